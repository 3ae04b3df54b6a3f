"""Requests and motions: errors in replies, stamps, joint values by name."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rigid_tree_kinematics.errors import UnknownFrameError
from rigid_tree_kinematics.lazy_names import lazy_names
from rigid_tree_kinematics.nodes.common.requests.joint_parameters import JointParameters
from rigid_tree_kinematics.nodes.common.requests.message_time import (
    SECOND,
    StampCheck,
    duration_of,
    nanoseconds_of,
    now_by,
    seconds_of,
    stamp_in,
    time_of,
)
from rigid_tree_kinematics.nodes.common.requests.reply_errors import (
    START_ADVICE,
    errors_in_reply,
    errors_reported,
    reject,
)

if TYPE_CHECKING:
    from rigid_tree_kinematics.nodes.common.requests.joint_trajectories import (
        read_trajectory,
        reject_multi_dof,
        rejection_code,
        unused_fields,
    )
    from rigid_tree_kinematics.nodes.common.requests.motion_client import (
        BLOCKED,
        DRIVER,
        WATCHED,
        BlockedError,
        MotionClient,
        MotionError,
        NotReadyError,
        StoppedError,
    )

# Nodes without motions do not load actions, nor this package's own messages.
__getattr__ = lazy_names(__name__)
