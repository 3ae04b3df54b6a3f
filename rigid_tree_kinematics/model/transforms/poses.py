"""Poses as matrices, or as objects of spatialmath, SciPy and Pinocchio.

Functions that take a pose accept all of these. They are recognized by their attributes, without
importing the libraries: ``A`` (spatialmath's SE3, SO3), ``R`` (UnitQuaternion), ``as_matrix()``
(SciPy's Rotation and RigidTransform), ``homogeneous`` (Pinocchio's SE3). A rotation is a pose at
the origin.
"""

from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from rigid_tree_kinematics.arrays import Array
from rigid_tree_kinematics.errors import ModelError
from rigid_tree_kinematics.model.transforms.matrices import checked_transform

Pose = ArrayLike | Any


def pose_array(pose: Pose) -> Array:
    """Return a pose as a new 4x4, or an array or sequence of poses as (..., 4, 4).

    Values are not checked: a matrix of numbers is returned unchanged. Raises ModelError for
    objects that cannot become a float64 array.

    Example:
        >>> from scipy.spatial.transform import Rotation
        >>> pose_array(Rotation.from_euler("z", 90, degrees=True)).shape
        (4, 4)
    """
    try:
        if isinstance(pose, list | tuple) and any(_matrix_of(one) is not None for one in pose):
            return np.array([pose_array(one) for one in pose])
        matrix = _matrix_of(pose)
        if matrix is None:
            return np.array(pose, dtype=np.float64, order="C")
        found = np.array(matrix, dtype=np.float64, order="C")
    except (TypeError, ValueError) as error:
        raise ModelError(f"a pose is a 4x4 matrix, or an object that has one: {error}") from error
    if found.shape[-2:] == (4, 4):
        return found
    if found.shape[-2:] != (3, 3):
        raise ModelError(
            f"{type(pose).__name__}: a pose in space is a 4x4 matrix, not a {found.shape[-2:]}"
        )
    poses = np.zeros((*found.shape[:-2], 4, 4))
    poses[..., :3, :3] = found
    poses[..., 3, 3] = 1.0
    return poses


def checked_pose(pose: Pose, what: str) -> Array:
    """Return one pose as a read-only rigid 4x4; raises ModelError with the name ``what``.

    Example:
        >>> checked_pose(np.eye(4), "the goal").flags.writeable
        False
    """
    try:
        matrix = pose_array(pose)
    except ModelError as error:
        raise ModelError(f"{what}: {error}") from error
    return checked_transform(matrix, what)


def checked_rotation(rotation: Pose, what: str) -> Array:
    """Return a 3x3, or the rotation of a pose object, as a read-only 3x3.

    Example:
        >>> from scipy.spatial.transform import Rotation
        >>> checked_rotation(Rotation.from_euler("z", 90, degrees=True), "the tool").shape
        (3, 3)
    """
    if _matrix_of(rotation) is None:
        R = np.array(rotation, dtype=np.float64)
        if R.shape != (3, 3):
            raise ModelError(f"{what}: a rotation is 3x3, not of shape {R.shape}")
        T = np.eye(4)
        T[:3, :3] = R
        return checked_transform(T, what)[:3, :3]
    return checked_pose(rotation, what)[:3, :3]


def _matrix_of(pose: Any) -> Any:
    """Return the matrix of a pose or rotation object; None for other objects."""
    if isinstance(pose, np.ndarray | list | tuple | float | int):
        return None
    if hasattr(pose, "as_matrix"):
        return pose.as_matrix()
    if hasattr(pose, "homogeneous"):
        return pose.homogeneous
    # A quaternion of spatialmath has four numbers as A; a pose in the plane has a 2x2 as R.
    R = getattr(pose, "R", None)
    if R is None or np.shape(R)[-2:] not in ((3, 3), (2, 2)):
        return None
    A = getattr(pose, "A", R)
    return A if np.shape(A)[-2:] == (4, 4) else R
