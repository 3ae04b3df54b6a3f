"""A tf2 buffer that is filled when somebody looks: /tf is loud, and most requests need none of it.

Reading a hundred robots' worth of transforms a second, message by message, takes half a core;
keeping their bytes takes next to nothing.
"""

from __future__ import annotations

import threading
import time
from collections import deque

from geometry_msgs.msg import TransformStamped
from rclpy.callback_groups import ReentrantCallbackGroup
from rclpy.node import Node
from rclpy.qos import QoSProfile
from rclpy.serialization import deserialize_message
from tf2_msgs.msg import TFMessage
from tf2_ros import Buffer

from rigid_tree_kinematics.nodes.common.fast import REST, RawSubscription
from rigid_tree_kinematics.nodes.common.process import report_error
from rigid_tree_kinematics.nodes.common.requests import (
    SECOND,
    BelievedStamps,
    nanoseconds_of,
    stamp_in,
)
from rigid_tree_kinematics.nodes.common.robot import LATCHED
from rigid_tree_kinematics.nodes.tf.frame_names import FIRST_STAMP, FrameNames
from rigid_tree_kinematics.nodes.tf.usable import usable

AUTHORITY = "network"
KEPT = 10.0  # s, as long as a tf2 buffer keeps transforms
MOST_UNREAD = 50_000  # messages
# s without transforms of a frame that are newer than what comes: then their sender is gone, and
# the older ones are taken.
GONE = 3.0
LONGEST_CHAIN = 1000  # frames
WARNING_PERIOD = 5.0  # s between two warnings


class LazyTransforms:
    """Fills a buffer from /tf (on demand) and /tf_static (at once). Thread-safe.

    Stamps that the node does not believe never reach the buffer, nor do those that tf2 would
    refuse as too old, with a line for each.

    Args:
        node: whose subscriptions they are.
        buffer: to be filled.
    """

    def __init__(self, node: Node, buffer: Buffer) -> None:
        self._node = node
        self._buffer = buffer
        self.stamps = BelievedStamps(node, self._forget)
        self._unread: deque[tuple[float, bytes]] = deque(maxlen=MOST_UNREAD)
        # The newest transform of each moving frame, with its stamp (ns) and its arrival.
        self._newest: dict[str, tuple[int, float, TransformStamped]] = {}
        self._names = FrameNames()
        self._lock = threading.RLock()
        self._waiting = 0
        self._static_parents: dict[str, str] = {}
        static = QoSProfile(depth=100, durability=LATCHED.durability)
        node.create_subscription(
            TFMessage,
            "/tf_static",
            self._on_static,
            static,
            callback_group=ReentrantCallbackGroup(),
        )
        self._subscription = RawSubscription(
            node, TFMessage, "/tf", self._on_bytes, QoSProfile(depth=500), REST
        )

    def start(self) -> None:
        """Begin to listen to /tf, in a thread of its own."""
        self._subscription.start()

    def stop(self) -> None:
        """End the subscription's thread."""
        self._subscription.stop()

    def catch_up(self, latest_only: bool) -> None:
        """Fill the buffer; of messages with the same frames only with the newest if so asked."""
        self._subscription.catch_up()
        self.stamps.now()
        with self._lock:
            unread = list(self._unread)
            self._unread.clear()
            chosen = self._latest(unread) if latest_only else range(len(unread))
            for number, (arrival, data) in enumerate(unread):
                if number in chosen:
                    self._take(data, arrival)
                else:
                    self._unread.append((arrival, data))

    def _latest(self, unread: list[tuple[float, bytes]]) -> set[int]:
        """Return which messages have the newest stamps of their frames.

        Older stamps count where no newer ones have come for a while: see GONE.
        """
        found: dict[bytes, tuple[float, int, int]] = {}
        for number in range(len(unread) - 1, -1, -1):
            arrival, data = unread[number]
            key, stamp = self._names.key(data), stamp_in(data, FIRST_STAMP)
            last, newest, _ = found.get(key, (arrival, -1, 0))
            if stamp > newest and last - arrival < GONE:
                found[key] = last, stamp, number
        return {number for _, _, number in found.values()}

    def __enter__(self) -> LazyTransforms:
        """While somebody waits for a transform, every message is read as it comes."""
        with self._lock:
            self._waiting += 1
            self._subscription.set_rest(0.0)
        self.catch_up(latest_only=False)
        return self

    def __exit__(self, *_: object) -> None:
        with self._lock:
            self._waiting -= 1
            if not self._waiting:
                self._subscription.set_rest(REST)

    def _on_bytes(self, data: bytes) -> None:
        now = time.monotonic()
        doubtful = bool(self.stamps.doubt(stamp_in(data, FIRST_STAMP)))
        with self._lock:
            if self._waiting or doubtful:
                self._take(data, now)
                return
            self._unread.append((now, data))
            while self._unread[0][0] < now - KEPT:
                self._unread.popleft()

    def _take(self, data: bytes, arrival: float) -> None:
        try:
            message = deserialize_message(data, TFMessage)
        except Exception as error:  # bytes that are no message; other ones count
            report_error(self._node, "/tf", error)
            return
        for transform in usable(self._node, message.transforms, self.stamps):
            if not (self._closes_loop(transform, arrival) or self._is_too_old(transform, arrival)):
                self._buffer.set_transform(transform, AUTHORITY)

    def _is_too_old(self, transform: TransformStamped, arrival: float) -> bool:
        """Return whether much newer transforms of a frame come; note the newest one."""
        frame = transform.child_frame_id.removeprefix("/")
        stamp = nanoseconds_of(transform.header.stamp)
        newest, heard, _ = self._newest.get(frame, (stamp, arrival, None))
        if stamp < newest - KEPT * SECOND:
            back = (newest - stamp) / SECOND
            if arrival - heard < GONE:
                self._warn(f"transforms of frame '{frame}' are {back:.6g} s late: ignored")
                return True
            self._warn(f"the stamps of frame '{frame}' went back by {back:.6g} s: taken over")
            self._forget_frame(frame)
        elif stamp < newest:
            return False
        self._newest[frame] = stamp, arrival, transform
        return False

    def _closes_loop(self, transform: TransformStamped, arrival: float) -> bool:
        """Return whether a transform would put a frame below itself.

        Not where another transform of the loop has not come again for a while: that is forgotten.
        """
        frame = transform.child_frame_id.removeprefix("/")
        way, seen = [transform.header.frame_id.removeprefix("/")], set[str]()
        while way[-1] != frame:
            if way[-1] in self._newest:
                way.append(self._newest[way[-1]][2].header.frame_id.removeprefix("/"))
            elif way[-1] in self._static_parents:
                way.append(self._static_parents[way[-1]])
            else:
                return False
            if way[-1] in seen or len(way) > LONGEST_CHAIN:
                return False  # a loop of other frames, or what tf2 does not follow
            seen.add(way[-1])
        others = [name for name in way[:-1] if name in self._newest]
        oldest = min(others, key=lambda name: self._newest[name][1], default=frame)
        if oldest == frame or arrival - self._newest[oldest][1] < GONE:
            self._warn(f"the transform of frame '{frame}' puts it below itself: ignored")
            return True
        self._warn(f"the transform of frame '{oldest}' makes a loop: forgotten")
        self._forget_frame(oldest)
        return False

    def _forget_frame(self, frame: str) -> None:
        """Take a moving frame out of the buffer; of the others the newest stays."""
        del self._newest[frame]
        self._buffer.clear()
        for _, _, transform in self._newest.values():
            self._buffer.set_transform(transform, AUTHORITY)

    def _forget(self) -> None:
        """Begin again with the moving frames: the clock was set back."""
        with self._lock:
            self._unread.clear()
            self._newest.clear()
            self._buffer.clear()

    def _warn(self, words: str) -> None:
        self._node.get_logger().warning(words, throttle_duration_sec=WARNING_PERIOD)

    def _on_static(self, message: TFMessage) -> None:
        for transform in usable(self._node, message.transforms):
            self._buffer.set_transform_static(transform, AUTHORITY)
            self._static_parents[transform.child_frame_id] = transform.header.frame_id

    def are_fixed(self, target: str, source: str) -> bool:
        """Return whether /tf_static alone connects two frames: then /tf tells nothing of them."""
        return not self._static_chain(target).isdisjoint(self._static_chain(source))

    def _static_chain(self, frame: str) -> set[str]:
        chain = {frame}
        while (frame := self._static_parents.get(frame, frame)) not in chain:
            chain.add(frame)
        return chain
