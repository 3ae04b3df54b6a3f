"""The latest transforms of TF, by frame."""

import threading
from collections import Counter
from dataclasses import dataclass

import numpy as np
from geometry_msgs.msg import TransformStamped
from rclpy.node import Node
from rclpy.qos import QoSProfile
from tf2_msgs.msg import TFMessage

from rigid_tree_kinematics.arrays import Array
from rigid_tree_kinematics.model.transforms import quaternion_matrix, transform
from rigid_tree_kinematics.nodes.common.process import WARNING_PERIOD
from rigid_tree_kinematics.nodes.common.requests import StampCheck, nanoseconds_of
from rigid_tree_kinematics.nodes.common.robot import LATCHED
from rigid_tree_kinematics.nodes.tf.frame_messages import TF_QOS
from rigid_tree_kinematics.nodes.tf.poses import LONGEST_NAME, invalidity

LONGEST_CHAIN = 1000  # frames; a longer one is a loop


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
    """The latest transforms by frame, as of the last ``update``."""

    def __init__(self, node: Node) -> None:
        self.frames: dict[str, Placed] = {}
        self.counts: Counter[str] = Counter()  # messages before the update, by their first frame
        self._log = node.get_logger()
        self._stamp_check = StampCheck(node)
        self._lock = threading.Lock()
        self._received: dict[str, Placed] = {}  # since the last update
        self._received_counts: Counter[str] = Counter()
        static = QoSProfile(depth=TF_QOS.depth, durability=LATCHED.durability)
        node.create_subscription(TFMessage, "/tf", self._on_moving, TF_QOS)
        node.create_subscription(TFMessage, "/tf_static", self._on_static, static)

    def update(self) -> set[str]:
        """Take the transforms that have arrived; return the names of their frames."""
        with self._lock:
            received, self._received = self._received, {}
            self.counts, self._received_counts = self._received_counts, Counter()
        self.frames.update(received)
        return set(received)

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

    def _on_moving(self, message: TFMessage) -> None:
        for stamped in message.transforms:
            self._receive(stamped, self._stamp_check.problem(nanoseconds_of(stamped.header.stamp)))
        if message.transforms:
            with self._lock:
                self._received_counts[message.transforms[0].child_frame_id] += 1

    def _on_static(self, message: TFMessage) -> None:
        for stamped in message.transforms:
            self._receive(stamped)  # its stamp has no meaning

    def _receive(self, stamped: TransformStamped, reason: str = "") -> None:
        """Store a transform, unless it is wrong."""
        frame = stamped.child_frame_id
        if reason := reason or invalidity(stamped):
            text = f"ignored the transform of frame '{frame[:LONGEST_NAME]}': {reason}"
            self._log.warning(text, throttle_duration_sec=WARNING_PERIOD)
            return
        shift, turn = stamped.transform.translation, stamped.transform.rotation
        position, wxyz = (shift.x, shift.y, shift.z), (turn.w, turn.x, turn.y, turn.z)
        with self._lock:
            self._received[frame] = Placed(stamped.header.frame_id, position, wxyz)
