"""Rotations, quaternions and 4x4 transforms, and pose types of other libraries."""

from rigid_tree_kinematics.arrays import Array
from rigid_tree_kinematics.model.transforms.matrices import (
    ORTHONORMAL_TOLERANCE,
    axis_angle_matrix,
    checked_transform,
    dh_transform,
    inverse,
    matrix_quaternion,
    matrix_rpy,
    mdh_transform,
    normalize_quaternion,
    quaternion_matrix,
    random_quaternion,
    rotation_log,
    rotation_taking_z_to,
    rpy_matrix,
    transform,
    transform_from_xyz_rpy,
)
from rigid_tree_kinematics.model.transforms.poses import (
    Pose,
    checked_pose,
    checked_rotation,
    pose_array,
)

__all__ = [
    "ORTHONORMAL_TOLERANCE",
    "Array",
    "Pose",
    "axis_angle_matrix",
    "checked_pose",
    "checked_rotation",
    "checked_transform",
    "dh_transform",
    "inverse",
    "matrix_quaternion",
    "matrix_rpy",
    "mdh_transform",
    "normalize_quaternion",
    "pose_array",
    "quaternion_matrix",
    "random_quaternion",
    "rotation_log",
    "rotation_taking_z_to",
    "rpy_matrix",
    "transform",
    "transform_from_xyz_rpy",
]
