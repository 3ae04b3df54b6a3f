"""TF: messages, a table of frames, and lookups."""

from rigid_tree_kinematics.nodes.tf.frame_messages import POSE, TF_QOS, FrameMessage
from rigid_tree_kinematics.nodes.tf.frame_table import FrameTable
from rigid_tree_kinematics.nodes.tf.target_frames import (
    LATEST,
    RobotInTf,
    Target,
    TargetFrames,
    pose_matrix,
    pose_message,
    read_stamp,
    read_target,
)

__all__ = [
    "LATEST",
    "POSE",
    "TF_QOS",
    "FrameMessage",
    "FrameTable",
    "RobotInTf",
    "Target",
    "TargetFrames",
    "pose_matrix",
    "pose_message",
    "read_stamp",
    "read_target",
]
