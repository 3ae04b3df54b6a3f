"""Subscriptions to /tf and /tf_static: valid transforms, and a table of them by frame."""

import math
import struct
import threading
from collections.abc import Callable, Iterator
from dataclasses import dataclass

import numpy as np
from geometry_msgs.msg import TransformStamped
from rclpy.callback_groups import CallbackGroup
from rclpy.node import Node
from rclpy.qos import QoSProfile
from rclpy.serialization import deserialize_message
from tf2_msgs.msg import TFMessage

from rigid_tree_kinematics.arrays import Array
from rigid_tree_kinematics.model.transforms import quaternion_matrix, transform
from rigid_tree_kinematics.nodes.common.fast import (
    COUNT,
    REST,
    START,
    RawSubscription,
    aligned,
    count_at,
    string_at,
)
from rigid_tree_kinematics.nodes.common.process import WARNING_PERIOD, report_error
from rigid_tree_kinematics.nodes.common.requests import BelievedStamps, nanoseconds_of, stamp_in
from rigid_tree_kinematics.nodes.common.robot import LATCHED

CDR_LITTLE_ENDIAN = b"\x00\x01"
FIRST_STAMP = 8  # offset of the first transform's stamp, after the count of transforms
STAMP = 8  # bytes: int32 seconds, uint32 nanoseconds
POSE = 7 * 8  # bytes: seven doubles
LAYOUTS_KEPT = 256  # bounds the memory if a sender changes its names all the time
LONGEST_NAME = 255  # characters of a frame's name
FARTHEST = 1e9  # m
LONGEST_CHAIN = 1000  # frames; a longer one is a loop
MOST_UNREAD = 5000  # messages between two updates


class FrameNames:
    """Computes keys of serialized TFMessages that are equal for equal frames.

    A sender repeats the names and changes the numbers: the offsets of the names are found once for
    each sender, and later messages of the same length are compared at these offsets. Not
    thread-safe: each listener has its own.
    """

    def __init__(self) -> None:
        # By the length of the message: spans of the names, and their bytes.
        self._layouts: dict[int, list[tuple[tuple[slice, ...], bytes]]] = {}
        self._count = 0

    def key(self, data: bytes) -> bytes:
        """Return the bytes of all frame names; the whole message if they cannot be found."""
        for spans, names in self._layouts.get(len(data), ()):
            # These bytes include the lengths of the names, so equal bytes have equal offsets.
            if b"".join([data[span] for span in spans]) == names:
                return names
        found = places_of_names(data)
        if found is None:
            return data
        names = b"".join([data[span] for span in found])
        if self._count >= LAYOUTS_KEPT:
            self._layouts.clear()
            self._count = 0
        self._layouts.setdefault(len(data), []).append((found, names))
        self._count += 1
        return names


def places_of_names(data: bytes) -> tuple[slice, ...] | None:
    """Return the offsets of a serialized TFMessage's transform count and frame names.

    None if the bytes are not plain little-endian CDR of a TFMessage: a count, then for each
    transform a stamp, two strings with their lengths in front, and seven doubles, each aligned to
    its size.
    """
    if data[:2] != CDR_LITTLE_ENDIAN:
        return None
    at = START + COUNT.size
    spans = [slice(0, at)]
    try:
        for _ in range(count_at(data, START)):
            at = aligned(at, 4) + STAMP
            for _ in range(2):
                spans.append(string_at(data, at))
                at = spans[-1].stop
            at = aligned(at, 8) + POSE
            if at > len(data):
                return None
    except struct.error:
        return None
    return tuple(spans)


class TransformListener:
    """Subscribes to /tf as bytes, in its own thread, and to /tf_static as messages.

    ``group`` is the callback group of /tf_static. ``forget`` is called when the clock is set back.
    """

    def __init__(
        self,
        node: Node,
        on_bytes: Callable[[bytes], None],
        on_static: Callable[[TFMessage], None],
        group: CallbackGroup | None = None,
        forget: Callable[[], None] = lambda: None,
    ) -> None:
        self._node = node
        self.stamps = BelievedStamps(node, forget)
        self.names = FrameNames()
        static = QoSProfile(depth=100, durability=LATCHED.durability)
        node.create_subscription(TFMessage, "/tf_static", on_static, static, callback_group=group)
        self.subscription = RawSubscription(
            node, TFMessage, "/tf", on_bytes, QoSProfile(depth=500), REST
        )
        self.start, self.stop = self.subscription.start, self.subscription.stop

    def transforms(self, data: bytes) -> Iterator[TransformStamped]:
        """Yield the valid transforms of a serialized TFMessage with accepted stamps."""
        try:
            message = deserialize_message(data, TFMessage)
        except Exception as error:  # malformed bytes of one sender must not end the thread
            report_error(self._node, "/tf", error)
            return
        yield from self.valid(message, self.stamps)

    def valid(
        self, message: TFMessage, stamps: BelievedStamps | None = None
    ) -> Iterator[TransformStamped]:
        """Yield the transforms that are poses between named frames; warn about the others.

        ``stamps`` checks the stamps of moving frames; those of static transforms have no meaning.
        """
        for stamped in message.transforms:
            reason = _fault(stamped)
            if stamps is not None and not reason:
                reason = stamps.doubt(nanoseconds_of(stamped.header.stamp))
            if reason:
                name = stamped.child_frame_id[:LONGEST_NAME]
                self.warn(f"ignored the transform of frame '{name}': {reason}")
            else:
                yield stamped

    def warn(self, text: str) -> None:
        """Log a warning, at most every WARNING_PERIOD."""
        self._node.get_logger().warning(text, throttle_duration_sec=WARNING_PERIOD)


def _fault(stamped: TransformStamped) -> str:
    """Return why a transform is not a pose between named frames, or an empty string."""
    for name in (stamped.child_frame_id, stamped.header.frame_id):
        if not name or len(name) > LONGEST_NAME or not name.isprintable():
            return f"a frame's name must have 1 to {LONGEST_NAME} printable characters"
    shift, turn = stamped.transform.translation, stamped.transform.rotation
    if not all(abs(number) < FARTHEST for number in (shift.x, shift.y, shift.z)):
        return f"its translation ({shift.x:g}, {shift.y:g}, {shift.z:g}) is not a position"
    length = math.hypot(turn.x, turn.y, turn.z, turn.w)
    if not abs(length - 1.0) < 0.1:
        return f"its quaternion has norm {length:g}"
    return ""


@dataclass(frozen=True)
class Placed:
    """A frame in its parent: m, and a quaternion w, x, y, z."""

    parent: str
    position: tuple[float, float, float]
    wxyz: tuple[float, float, float, float]

    def matrix(self) -> Array:
        """Return it as T_parent_frame (4x4)."""
        w, x, y, z = self.wxyz
        return transform(self.position, quaternion_matrix([x, y, z, w]))


class FrameTable:
    """The latest transforms by frame, read on ``update``.

    Of the messages with the same frames since the last update, only the newest is deserialized.
    """

    def __init__(self, node: Node) -> None:
        self.frames: dict[str, Placed] = {}
        self.counts: dict[str, int] = {}  # messages before the last update, by their first frame
        self._unread: dict[bytes, tuple[bytes, int]] = {}  # by the names of all frames
        self._lock = threading.Lock()
        self._listener = TransformListener(node, self._on_bytes, self._on_static)
        self.start, self.stop = self._listener.start, self._listener.stop

    def update(self) -> set[str]:
        """Read the messages that have arrived; return the names of their frames."""
        self._listener.subscription.catch_up()
        with self._lock:
            unread, self._unread = self._unread, {}
        self.counts = {}
        updated: set[str] = set()
        for data, count in unread.values():
            names = [self._take(stamped) for stamped in self._listener.transforms(data)]
            updated.update(names)
            if names:
                self.counts[names[0]] = self.counts.get(names[0], 0) + count
        return updated

    def chain(self, frame: str) -> list[str]:
        """Return the frames from this one up to the root of its tree."""
        names = [frame]
        while names[-1] in self.frames and len(names) < LONGEST_CHAIN:
            names.append(self.frames[names[-1]].parent)
        return names

    def pose(self, frame: str, ancestor: str) -> Array | None:
        """Return T_ancestor_frame (4x4), or None if it is not an ancestor of the frame."""
        T = np.eye(4)
        for name in self.chain(frame):
            if name == ancestor:
                return T
            if name in self.frames:
                T = self.frames[name].matrix() @ T
        return None

    def _on_bytes(self, data: bytes) -> None:
        if self._listener.stamps.doubt(stamp_in(data, FIRST_STAMP)):
            # It must not replace a valid message; its other transforms may be valid.
            for stamped in self._listener.transforms(data):
                self._take(stamped)
            return
        with self._lock:
            key = self._listener.names.key(data)
            if key not in self._unread and len(self._unread) >= MOST_UNREAD:
                self._unread.clear()
            _, count = self._unread.pop(key, (b"", 0))  # the newest is read last
            self._unread[key] = (data, count + 1)

    def _on_static(self, message: TFMessage) -> None:
        for stamped in self._listener.valid(message):
            self._take(stamped)

    def _take(self, stamped: TransformStamped) -> str:
        shift, turn = stamped.transform.translation, stamped.transform.rotation
        self.frames[stamped.child_frame_id] = Placed(
            stamped.header.frame_id, (shift.x, shift.y, shift.z), (turn.w, turn.x, turn.y, turn.z)
        )
        return str(stamped.child_frame_id)
