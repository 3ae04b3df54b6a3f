"""TF messages with constant frame names and variable numbers."""

from collections.abc import Sequence

from geometry_msgs.msg import TransformStamped
from rclpy.qos import QoSProfile
from tf2_msgs.msg import TFMessage

from rigid_tree_kinematics.nodes.tf.ready_message import ReadyMessage

TF_QOS = QoSProfile(depth=100)  # as tf2_ros does
POSE = 7  # x y z qx qy qz qw


class FrameMessage(ReadyMessage[TFMessage]):
    """A TFMessage of fixed (parent, child) frame names; its numbers are the poses (n, 7)."""

    def __init__(self, frames: Sequence[tuple[str, str]]) -> None:
        self.frames = tuple(frames)
        super().__init__(self._message_of, POSE * len(self.frames))

    def _message_of(self, seconds: int, nanoseconds: int, numbers: Sequence[float]) -> TFMessage:
        transforms = []
        for k, (parent, child) in enumerate(self.frames):
            stamped = TransformStamped()
            stamped.header.stamp.sec = seconds
            stamped.header.stamp.nanosec = nanoseconds
            stamped.header.frame_id = parent
            stamped.child_frame_id = child
            translation, rotation = stamped.transform.translation, stamped.transform.rotation
            pose = numbers[POSE * k : POSE * (k + 1)]
            translation.x, translation.y, translation.z = pose[:3]
            rotation.x, rotation.y, rotation.z, rotation.w = pose[3:]
            transforms.append(stamped)
        return TFMessage(transforms=transforms)
