"""The latest transforms of TF, by frame."""

from collections import Counter
from dataclasses import dataclass

import numpy as np
from geometry_msgs.msg import TransformStamped
from rclpy.node import Node
from rclpy.qos import DurabilityPolicy, QoSProfile
from tf2_msgs.msg import TFMessage

from rigid_tree_kinematics.arrays import Array
from rigid_tree_kinematics.model.transforms import quaternion_matrix, transform
from rigid_tree_kinematics.nodes.common.process import WARNING_PERIOD, PolledSubscription
from rigid_tree_kinematics.nodes.common.requests import StampCheck, nanoseconds_of
from rigid_tree_kinematics.nodes.tf.poses import LONGEST_NAME, invalidity

LONGEST_CHAIN = 1000  # frames; a longer one is a loop
QUEUE = 1000  # messages between two updates


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
    """The latest transforms by frame, as of the last ``update``.

    The newest 1,000 messages since then are kept.
    """

    def __init__(self, node: Node) -> None:
        self.frames: dict[str, Placed] = {}
        self.counts: Counter[str] = Counter()  # messages before the update, by their first frame
        self._log = node.get_logger()
        self._stamp_check = StampCheck(node)
        latched = QoSProfile(depth=QUEUE, durability=DurabilityPolicy.TRANSIENT_LOCAL)
        self._moving = PolledSubscription(node, TFMessage, "/tf", QoSProfile(depth=QUEUE))
        self._static = PolledSubscription(node, TFMessage, "/tf_static", latched)

    def update(self) -> set[str]:
        """Store the transforms that have arrived; return the names of their frames."""
        updated: set[str] = set()
        for message in self._static.take():
            for stamped in message.transforms:
                self._store(stamped, invalidity(stamped), updated)  # its stamp has no meaning
        counts: Counter[str] = Counter()
        for message in self._moving.take():
            for stamped in message.transforms:
                problem = self._stamp_check.problem(nanoseconds_of(stamped.header.stamp))
                self._store(stamped, problem or invalidity(stamped), updated)
            if message.transforms:
                counts[message.transforms[0].child_frame_id] += 1
        self.counts = counts
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

    def _store(self, stamped: TransformStamped, problem: str, updated: set[str]) -> None:
        """Store a transform and add its frame to ``updated``; warn instead if it has a problem."""
        frame = stamped.child_frame_id
        if problem:
            text = f"ignored the transform of frame '{frame[:LONGEST_NAME]}': {problem}"
            self._log.warning(text, throttle_duration_sec=WARNING_PERIOD)
            return
        shift, turn = stamped.transform.translation, stamped.transform.rotation
        position, wxyz = (shift.x, shift.y, shift.z), (turn.w, turn.x, turn.y, turn.z)
        self.frames[frame] = Placed(stamped.header.frame_id, position, wxyz)
        updated.add(frame)
