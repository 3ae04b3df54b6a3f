"""Requests and motions: errors in replies, slots, stamps, joint values by name."""

from rigid_tree_kinematics.nodes.common.requests.joint_parameters import JointParameters
from rigid_tree_kinematics.nodes.common.requests.joint_trajectories import (
    read_trajectory,
    refusal_code,
    refuse_multi_dof,
)
from rigid_tree_kinematics.nodes.common.requests.message_time import (
    SECOND,
    BelievedStamps,
    duration_of,
    nanoseconds_of,
    now_by,
    seconds_of,
    stamp_in,
    time_of,
)
from rigid_tree_kinematics.nodes.common.requests.motion_client import (
    BLOCKED,
    DRIVER,
    WATCHED,
    MotionClient,
    NotReadyError,
)
from rigid_tree_kinematics.nodes.common.requests.reply_errors import (
    NoRobotError,
    UnknownFrameError,
    errors_in_reply,
    errors_reported,
    refuse,
)
from rigid_tree_kinematics.nodes.common.requests.slots import Slots

__all__ = [
    "BLOCKED",
    "DRIVER",
    "SECOND",
    "WATCHED",
    "BelievedStamps",
    "JointParameters",
    "MotionClient",
    "NoRobotError",
    "NotReadyError",
    "Slots",
    "UnknownFrameError",
    "duration_of",
    "errors_in_reply",
    "errors_reported",
    "nanoseconds_of",
    "now_by",
    "read_trajectory",
    "refusal_code",
    "refuse",
    "refuse_multi_dof",
    "seconds_of",
    "stamp_in",
    "time_of",
]
