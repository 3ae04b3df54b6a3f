"""The latest transforms of /tf and /tf_static by frame, read on ``update``.

Of the messages with the same frames since the last update, only the newest is deserialized.
"""

import threading
from dataclasses import dataclass

import numpy as np
from geometry_msgs.msg import TransformStamped
from rclpy.node import Node
from tf2_msgs.msg import TFMessage

from rigid_tree_kinematics.arrays import Array
from rigid_tree_kinematics.model.transforms import quaternion_matrix, transform
from rigid_tree_kinematics.nodes.common.requests import stamp_in
from rigid_tree_kinematics.nodes.tf.frame_names import FIRST_STAMP
from rigid_tree_kinematics.nodes.tf.listener import LONGEST_CHAIN, TransformListener

MOST_UNREAD = 5000  # messages between two updates


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
    """Subscribes to all transforms."""

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
