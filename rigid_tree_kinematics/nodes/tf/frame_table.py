"""The latest transforms of /tf and /tf_static, by frame; read when they are looked at.

Of the messages with the same frames that came since the last look, the newest is read, the others
are not even deserialised.
"""

from __future__ import annotations

import threading
from dataclasses import dataclass

import numpy as np
from rclpy.node import Node
from rclpy.qos import QoSProfile
from rclpy.serialization import deserialize_message
from tf2_msgs.msg import TFMessage

from rigid_tree_kinematics.arrays import Array
from rigid_tree_kinematics.model.transforms import quaternion_matrix, transform
from rigid_tree_kinematics.nodes.common.fast import REST, RawSubscription
from rigid_tree_kinematics.nodes.common.process import report_error
from rigid_tree_kinematics.nodes.common.requests import BelievedStamps, stamp_in
from rigid_tree_kinematics.nodes.common.robot import LATCHED
from rigid_tree_kinematics.nodes.tf.frame_names import FIRST_STAMP, FrameNames
from rigid_tree_kinematics.nodes.tf.usable import usable

MOST_UNREAD = 5000  # messages between two looks
LONGEST_CHAIN = 1000  # frames; a longer one goes in a circle


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
    """Subscribes to the transforms of everybody."""

    def __init__(self, node: Node) -> None:
        self._node = node
        self.frames: dict[str, Placed] = {}
        self.counts: dict[str, int] = {}  # messages since the last look, by their first frame
        self._stamps = BelievedStamps(node)
        self._names = FrameNames()
        self._unread: dict[bytes, tuple[bytes, int]] = {}  # by the names of all frames
        self._lock = threading.Lock()
        self._subscription = RawSubscription(
            node, TFMessage, "/tf", self._on_bytes, QoSProfile(depth=500), REST
        )
        static = QoSProfile(depth=100, durability=LATCHED.durability)
        node.create_subscription(TFMessage, "/tf_static", self._on_static, static)

    def start(self) -> None:
        """Begin to listen to /tf, in a thread of its own."""
        self._subscription.start()

    def stop(self) -> None:
        """End the subscription's thread."""
        self._subscription.stop()

    def look(self) -> set[str]:
        """Read what has come; return the frames that it tells of."""
        self._subscription.catch_up()
        with self._lock:
            unread, self._unread = self._unread, {}
        self.counts = {}
        told: set[str] = set()
        for data, count in unread.values():
            try:
                names = self._take(deserialize_message(data, TFMessage), self._stamps)
            except Exception as error:  # bytes that are no message; other ones count
                report_error(self._node, "/tf", error)
                continue
            told.update(names)
            if names:
                self.counts[names[0]] = self.counts.get(names[0], 0) + count
        return told

    def chain(self, frame: str) -> list[str]:
        """Return the frames from this one up to the root of its tree."""
        names = [frame]
        while names[-1] in self.frames and len(names) < LONGEST_CHAIN:
            names.append(self.frames[names[-1]].parent)
        return names

    def pose(self, frame: str, ancestor: str) -> Array | None:
        """Return T_ancestor_frame (4x4), or None if the frame does not hang on it."""
        T = np.eye(4)
        for name in self.chain(frame):
            if name == ancestor:
                return T
            if name in self.frames:
                T = self.frames[name].matrix() @ T
        return None

    def _on_bytes(self, data: bytes) -> None:
        if self._stamps.doubt(stamp_in(data, FIRST_STAMP)):
            # It must not take the place of a good one.
            self._take(deserialize_message(data, TFMessage), self._stamps)
            return
        with self._lock:
            key = self._names.key(data)
            if key not in self._unread and len(self._unread) >= MOST_UNREAD:
                self._unread.clear()
            _, count = self._unread.pop(key, (b"", 0))  # the newest is read last
            self._unread[key] = (data, count + 1)

    def _on_static(self, message: TFMessage) -> None:
        self._take(message)

    def _take(self, message: TFMessage, stamps: BelievedStamps | None = None) -> list[str]:
        names = []
        for stamped in usable(self._node, message.transforms, stamps):
            shift, turn = stamped.transform.translation, stamped.transform.rotation
            names.append(stamped.child_frame_id)
            self.frames[stamped.child_frame_id] = Placed(
                stamped.header.frame_id,
                (shift.x, shift.y, shift.z),
                (turn.w, turn.x, turn.y, turn.z),
            )
        return names
