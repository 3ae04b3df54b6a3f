"""TF: messages, a table of frames, and lookups.

``__all__`` lists what other packages' nodes use beside ``nodes.base``: ``TargetFrames``, lookups
at a time, for which ``LATEST`` is the newest; ``UnknownFrameError``, which they raise;
``RobotInTf``, a robot's frames; ``Target``, a pose in a frame at a time.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from rigid_tree_kinematics.lazy_names import lazy_names
from rigid_tree_kinematics.nodes.tf.frame_messages import POSE, TF_QOS, FrameMessage
from rigid_tree_kinematics.nodes.tf.joint_state_reader import JointStateReader
from rigid_tree_kinematics.nodes.tf.raw_subscription import RawSubscription

if TYPE_CHECKING:
    from rigid_tree_kinematics.nodes.common.requests import UnknownFrameError
    from rigid_tree_kinematics.nodes.tf.frame_table import FrameTable
    from rigid_tree_kinematics.nodes.tf.poses import (
        LATEST,
        Target,
        pose_matrix,
        pose_message,
        pose_of,
        read_stamp,
        read_target,
    )
    from rigid_tree_kinematics.nodes.tf.target_frames import RobotInTf, TargetFrames

__all__ = ["LATEST", "RobotInTf", "Target", "TargetFrames", "UnknownFrameError"]

# Publishers of frames do not listen to them.
__getattr__ = lazy_names(__name__)
