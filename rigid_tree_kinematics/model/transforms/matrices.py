"""Rotations and rigid transforms as NumPy arrays.

A transform is a 4x4 float64 array named ``T_target_source``: it takes coordinates in the source
frame to coordinates in the target frame. Quaternions are (x, y, z, w) as in ROS, angles are in
rad, lengths in m, roll-pitch-yaw turns about the fixed x, y, z axes in this order (REP 103, URDF).
"""

import math
from collections.abc import Sequence

import numpy as np
from numpy.typing import ArrayLike

from rigid_tree_kinematics.arrays import Array
from rigid_tree_kinematics.errors import ModelError

# Matrices from users have rounded digits: rotations within the first of orthonormal are accepted
# unchanged, within the second (four digits after the point) replaced by the nearest rotation.
ORTHONORMAL_TOLERANCE, ROUNDED_TOLERANCE = 1e-6, 1e-3
SMALLEST_QUATERNION = 1e-9  # length; shorter ones are unset


def axis_angle_matrix(axis: ArrayLike, angle: float) -> Array:
    """Return the 3x3 rotation by ``angle`` about the unit vector ``axis`` (Rodrigues).

    Example:
        >>> print(axis_angle_matrix((0, 0, 1), np.pi / 2).round(3) @ [1, 0, 0])
        [0. 1. 0.]
    """
    x, y, z = np.asarray(axis, dtype=np.float64)
    c, s = math.cos(angle), math.sin(angle)
    v = 1.0 - c
    return np.array(
        [
            [x * x * v + c, x * y * v - z * s, x * z * v + y * s],
            [x * y * v + z * s, y * y * v + c, y * z * v - x * s],
            [x * z * v - y * s, y * z * v + x * s, z * z * v + c],
        ]
    )


def rpy_matrix(roll: float, pitch: float, yaw: float) -> Array:
    """Return the 3x3 rotation Rz(yaw) Ry(pitch) Rx(roll).

    Example:
        >>> print(rpy_matrix(0, 0, np.pi / 2).round(3) @ [1, 0, 0])
        [0. 1. 0.]
    """
    cr, sr = math.cos(roll), math.sin(roll)
    cp, sp = math.cos(pitch), math.sin(pitch)
    cy, sy = math.cos(yaw), math.sin(yaw)
    return np.array(
        [
            [cy * cp, cy * sp * sr - sy * cr, cy * sp * cr + sy * sr],
            [sy * cp, sy * sp * sr + cy * cr, sy * sp * cr - cy * sr],
            [-sp, cp * sr, cp * cr],
        ]
    )


def matrix_rpy(rotation: ArrayLike) -> tuple[float, float, float]:
    """Return (roll, pitch, yaw) of a 3x3 rotation; roll is 0 if pitch is +-90 degrees.

    ``rpy_matrix`` of the result equals the rotation to rounding, also near those pitches: yaw is
    computed from the rotation that remains after roll.

    Example:
        >>> np.round(matrix_rpy(rpy_matrix(0.1, 0.2, 0.3)), 3).tolist()
        [0.1, 0.2, 0.3]
    """
    R = np.asarray(rotation, dtype=np.float64)
    horizontal = math.hypot(R[2, 1], R[2, 2])  # the cosine of the pitch
    pitch = math.atan2(-R[2, 0], horizontal)
    roll = math.atan2(R[2, 1], R[2, 2]) if horizontal > 1e-15 else 0.0
    cr, sr = math.cos(roll), math.sin(roll)
    yaw = math.atan2(R[0, 2] * sr - R[0, 1] * cr, R[1, 1] * cr - R[1, 2] * sr)
    return roll, pitch, yaw


def normalize_quaternion(quaternion: Array) -> bool:
    """Normalize (x, y, z, w) in place; return False if its length is zero or overflows.

    Example:
        >>> quaternion = np.array([0.0, 0.0, 2.0, 2.0])
        >>> normalize_quaternion(quaternion)
        True
        >>> print(quaternion.round(3))
        [0.    0.    0.707 0.707]
    """
    length = math.hypot(*quaternion.tolist())
    if not SMALLEST_QUATERNION <= length < math.inf:
        return False
    quaternion /= length
    return True


def random_quaternion(rng: "np.random.Generator") -> Array:  # quoted: np.random loads OpenSSL
    """Return the unit quaternion (x, y, z, w) of a uniformly random rotation.

    Example:
        >>> quaternion = random_quaternion(np.random.default_rng(1))
        >>> print(np.linalg.norm(quaternion).round(3))
        1.0
    """
    quaternion = rng.normal(size=4)
    normalize_quaternion(quaternion)
    return quaternion


def quaternion_matrix(quaternion: ArrayLike) -> Array:
    """Return the 3x3 rotation of a quaternion (x, y, z, w), which is normalized first.

    Raises ModelError for a zero or non-finite quaternion.

    Example:
        >>> print(quaternion_matrix((0, 0, 1, 1)).round(3) @ [1, 0, 0])
        [0. 1. 0.]
    """
    x, y, z, w = (float(value) for value in np.asarray(quaternion, dtype=np.float64))
    norm2 = x * x + y * y + z * z + w * w
    if not (math.isfinite(norm2) and norm2 > 1e-24):
        raise ModelError(
            f"a quaternion (x, y, z, w) must not be zero or non-finite: {quaternion!r}"
        )
    s = 2.0 / norm2
    return np.array(
        [
            [1 - s * (y * y + z * z), s * (x * y - z * w), s * (x * z + y * w)],
            [s * (x * y + z * w), 1 - s * (x * x + z * z), s * (y * z - x * w)],
            [s * (x * z - y * w), s * (y * z + x * w), 1 - s * (x * x + y * y)],
        ]
    )


def matrix_quaternion(rotation: ArrayLike) -> Array:
    """Return the unit quaternion (x, y, z, w), w >= 0, of a 3x3 rotation (Shepperd 1978).

    Example:
        >>> print(matrix_quaternion(rpy_matrix(0, 0, np.pi / 2)).round(3))
        [0.    0.    0.707 0.707]
    """
    R = np.asarray(rotation, dtype=np.float64)
    trace = R[0, 0] + R[1, 1] + R[2, 2]
    candidates = (R[0, 0], R[1, 1], R[2, 2], trace)
    largest = int(np.argmax(candidates))
    q = np.empty(4)
    if largest == 3:
        q[:] = R[2, 1] - R[1, 2], R[0, 2] - R[2, 0], R[1, 0] - R[0, 1], 1.0 + trace
    else:
        i, j, k = largest, (largest + 1) % 3, (largest + 2) % 3
        q[i] = 1.0 - trace + 2.0 * R[i, i]
        q[j] = R[j, i] + R[i, j]
        q[k] = R[k, i] + R[i, k]
        q[3] = R[k, j] - R[j, k]
    q /= math.sqrt(float(q @ q))
    return -q if q[3] < 0 else q


def transform(translation: ArrayLike = (0, 0, 0), rotation: ArrayLike | None = None) -> Array:
    """Return the 4x4 of a translation (m) and a 3x3 rotation (default: identity).

    Example:
        >>> T = transform((0.1, 0.2, 0.3), rpy_matrix(0, 0, np.pi / 2))
        >>> print(T.round(3) @ [1, 0, 0, 1])
        [0.1 1.2 0.3 1. ]
    """
    T = np.eye(4)
    T[:3, 3] = translation
    if rotation is not None:
        T[:3, :3] = rotation
    return T


def transform_from_xyz_rpy(xyz: Sequence[float], rpy: Sequence[float]) -> Array:
    """Return the 4x4 of a URDF ``origin``: translation (m), then fixed-axis roll, pitch, yaw.

    Example:
        >>> T = transform_from_xyz_rpy((0.1, 0.2, 0.3), (0, 0, np.pi / 2))
        >>> print(T.round(3) @ [1, 0, 0, 1])
        [0.1 1.2 0.3 1. ]
    """
    return transform(xyz, rpy_matrix(*rpy))


def inverse(T: ArrayLike) -> Array:
    """Return the inverse of rigid transforms (..., 4, 4).

    Example:
        >>> print(inverse(transform((0.1, 0.2, 0.3)))[:3, 3])
        [-0.1 -0.2 -0.3]
    """
    T = np.asarray(T, dtype=np.float64)
    R_transposed = np.swapaxes(T[..., :3, :3], -1, -2)
    result = np.zeros_like(T)
    result[..., :3, :3] = R_transposed
    result[..., :3, 3] = -(R_transposed @ T[..., :3, 3, None])[..., 0]
    result[..., 3, 3] = 1.0
    return result


def dh_transform(a: float, alpha: float, d: float, theta: float) -> Array:
    """Return RotZ(theta) TransZ(d) TransX(a) RotX(alpha), the classic DH step.

    Example:
        >>> print(dh_transform(a=0.3, alpha=0.0, d=0.1, theta=np.pi / 2)[:3, 3].round(3))
        [0.  0.3 0.1]
    """
    ca, sa = math.cos(alpha), math.sin(alpha)
    ct, st = math.cos(theta), math.sin(theta)
    return np.array(
        [
            [ct, -st * ca, st * sa, a * ct],
            [st, ct * ca, -ct * sa, a * st],
            [0.0, sa, ca, d],
            [0.0, 0.0, 0.0, 1.0],
        ]
    )


def mdh_transform(a: float, alpha: float, d: float, theta: float) -> Array:
    """Return RotX(alpha) TransX(a) RotZ(theta) TransZ(d), the modified DH step (Craig 1986).

    Example:
        >>> print(mdh_transform(a=0.3, alpha=0.5, d=0.1, theta=0.0)[:3, 3].round(3))
        [ 0.3   -0.048  0.088]
    """
    ca, sa = math.cos(alpha), math.sin(alpha)
    ct, st = math.cos(theta), math.sin(theta)
    return np.array(
        [
            [ct, -st, 0.0, a],
            [st * ca, ct * ca, -sa, -sa * d],
            [st * sa, ct * sa, ca, ca * d],
            [0.0, 0.0, 0.0, 1.0],
        ]
    )


def rotation_log(rotation: ArrayLike) -> Array:
    """Return the rotation vector (axis times angle, rad, angle in [0, pi]) of a 3x3 rotation.

    Example:
        >>> print(rotation_log(axis_angle_matrix((0, 0, 1), 0.5)).round(3))
        [0.  0.  0.5]
    """
    x, y, z, w = matrix_quaternion(rotation)
    norm = math.sqrt(x * x + y * y + z * z)
    # atan2 keeps full accuracy near 0 and near pi, where acos of the trace loses half the digits.
    scale = 2.0 if norm < 1e-12 else 2.0 * math.atan2(norm, w) / norm
    return scale * np.array([x, y, z])


def rotation_taking_z_to(axis: ArrayLike) -> Array:
    """Return the smallest 3x3 rotation that maps the z axis to the unit vector ``axis``.

    Example:
        >>> print(rotation_taking_z_to((1, 0, 0)).round(3) @ [0, 0, 1])
        [1. 0. 0.]
    """
    x, y, z = np.asarray(axis, dtype=np.float64)
    h = x * x + y * y
    if z < 0.0 and h < 1e-300:
        return np.diag([1.0, -1.0, -1.0])
    k = 1.0 / (1.0 + z) if z >= 0.0 else (1.0 - z) / h  # equal; 1 + z would lose digits near -1
    return np.array([[1 - x * x * k, -x * y * k, x], [-x * y * k, 1 - y * y * k, y], [-x, -y, z]])


def checked_transform(matrix: ArrayLike, what: str) -> Array:
    """Return ``matrix`` as a read-only rigid 4x4; raises ModelError with the name ``what``.

    A rotation with rounded digits is replaced by the nearest one.

    Example:
        >>> checked_transform(np.zeros((4, 4)), "the tool")
        Traceback (most recent call last):
            ...
        rigid_tree_kinematics.errors.ModelError: the tool: the last row of a transform is ...
    """
    T = np.array(matrix, dtype=np.float64)
    if T.shape != (4, 4):
        raise ModelError(f"{what}: a transform must be a 4x4 matrix, not of shape {T.shape}")
    if not np.isfinite(T).all():
        raise ModelError(f"{what}: the transform contains a NaN or infinity")
    if np.abs(T[3] - (0, 0, 0, 1)).max() > 0:
        raise ModelError(f"{what}: the last row of a transform is 0 0 0 1, not {T[3]}")
    R = T[:3, :3]
    error = np.abs(R @ R.T - np.eye(3)).max()
    if error > ROUNDED_TOLERANCE or np.linalg.det(R) < 0:
        raise ModelError(f"{what}: the upper left 3x3 is not a rotation (R R^T != I or det < 0)")
    if error > ORTHONORMAL_TOLERANCE:
        U, _, Vt = np.linalg.svd(R)
        T[:3, :3] = U @ Vt
    T.flags.writeable = False
    return T
