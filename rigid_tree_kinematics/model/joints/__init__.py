"""Joints: types, limits, mimic relations, and their entries in a configuration."""

from rigid_tree_kinematics.model.joints.joint import Joint
from rigid_tree_kinematics.model.joints.joint_data import (
    Calibration,
    JointDynamics,
    Mimic,
    SafetyController,
)
from rigid_tree_kinematics.model.joints.joint_types import (
    CIRCLE,
    FIXED,
    FLOATING,
    INTERVAL,
    JOINT_TYPES,
    PLANAR,
    POSITION_COUNTS,
    PRISMATIC,
    QUATERNION,
    QUATERNION_REST,
    REVOLUTE_X,
    REVOLUTE_Y,
    REVOLUTE_Z,
)
from rigid_tree_kinematics.model.joints.mimic import (
    Follower,
    check_mimics,
    followers,
    parallel_grippers,
    resolve_mimic,
)
