"""ALMotion's two forms of a pose: six numbers, or the rows of a matrix."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from rigid_tree_kinematics.arrays import Array
from rigid_tree_kinematics.model.transforms import matrix_rpy, transform_from_xyz_rpy
from rigid_tree_kinematics.nao.errors import NaoError

SPACE_TORSO, SPACE_WORLD, SPACE_ROBOT = range(3)
# Bits of an axis mask: x, y, z, wx, wy, wz.
MASK_BITS = (1, 2, 4, 8, 16, 32)


def finite_numbers(values: Sequence[float]) -> Array:
    """Return n numbers as an array (n,). Raises NaoError if one of them is not finite."""
    numbers = np.asarray(values, dtype=np.float64)
    if not np.isfinite(numbers).all():
        raise NaoError("a number is not finite")
    return numbers


def position6d(T: Array) -> list[float]:
    """Return x, y, z (m), wx, wy, wz (rad) of a 4x4, with R = Rz(wz) Ry(wy) Rx(wx)."""
    return [*map(float, T[:3, 3]), *map(float, matrix_rpy(T[:3, :3]))]


def pose_of(values: Sequence[float]) -> Array:
    """Return the 4x4 of a Position6D, or of a transform's 12 or 16 numbers, row by row.

    Raises NaoError for another count, numbers that are not finite, and improper rotations.
    """
    if len(values) not in (6, 12, 16):
        raise NaoError(f"a pose has 6 numbers, or 12 or 16 in rows, not {len(values)}")
    numbers = finite_numbers(values)
    if len(numbers) == 6:
        return transform_from_xyz_rpy(numbers[:3].tolist(), numbers[3:].tolist())
    T = np.eye(4)
    T[:3] = numbers[:12].reshape(3, 4)
    rotation = T[:3, :3]
    # Numbers that were sent in single precision have errors of 1e-6.
    if not np.allclose(rotation @ rotation.T, np.eye(3), atol=1e-4) or np.linalg.det(rotation) < 0:
        raise NaoError("the rotation of the transform is not orthonormal")
    return T


def changed_pose(present: Array, change: Array) -> Array:
    """Return a pose (4x4) translated and rotated by ``change`` (4x4) in the axes of the space."""
    moved: Array = present.copy()
    moved[:3, 3] += change[:3, 3]
    moved[:3, :3] = change[:3, :3] @ present[:3, :3]
    return moved


def axis_weights(mask: int) -> tuple[float, ...]:
    """Return inverse-kinematics weights (6,), orientation first, of an axis mask.

    Raises NaoError for a mask that is not within 1 to 63.
    """
    if not 1 <= mask <= 63:
        raise NaoError(f"axis mask {mask} is not within 1 to 63")
    x, y, z, wx, wy, wz = (1.0 if mask & bit else 0.0 for bit in MASK_BITS)
    return (wx, wy, wz, x, y, z)


def planar(x: float, y: float, theta: float) -> Array:
    """Return the 4x4 of a pose on the ground: x, y (m), theta (rad)."""
    return transform_from_xyz_rpy((x, y, 0.0), (0.0, 0.0, theta))


def along_arc(velocity: Sequence[float], seconds: float) -> Array:
    """Return the displacement (4x4) of a constant body velocity (m/s, m/s, rad/s) over a time (s).

    It is the exponential of SE(2) (Lynch and Park, Modern Robotics, 2017, 3.3).
    """
    x, y, theta = (float(value) * seconds for value in velocity)
    sine = np.sinc(theta / np.pi)  # sin(theta) / theta
    cosine = np.sin(theta / 2.0) * np.sinc(theta / (2.0 * np.pi))  # (1 - cos(theta)) / theta
    return planar(sine * x - cosine * y, cosine * x + sine * y, theta)


def place_of(T: Array) -> list[float]:
    """Return x, y (m) and the heading (rad) of a frame (4x4)."""
    return [float(T[0, 3]), float(T[1, 3]), float(np.arctan2(T[1, 0], T[0, 0]))]
