"""Rigid transforms as plain tuples: fast for the few products of a lookup.

A quaternion is ``(x, y, z, w)``, a vector ``(x, y, z)`` in meters.
"""

import math
from typing import NamedTuple

Vector = tuple[float, float, float]
Quaternion = tuple[float, float, float, float]

# Below this angle (rad) the sine of slerp loses digits, and the chord is the arc.
SMALL_ANGLE = 1e-6


class Rigid(NamedTuple):
    """A rotation followed by a translation."""

    rotation: Quaternion
    translation: Vector


IDENTITY = Rigid((0.0, 0.0, 0.0, 1.0), (0.0, 0.0, 0.0))


def rotate(q: Quaternion, v: Vector) -> Vector:
    """Rotate a vector by a unit quaternion: v + 2w (u x v) + 2 u x (u x v)."""
    x, y, z, w = q
    tx = 2.0 * (y * v[2] - z * v[1])
    ty = 2.0 * (z * v[0] - x * v[2])
    tz = 2.0 * (x * v[1] - y * v[0])
    return (
        v[0] + w * tx + y * tz - z * ty,
        v[1] + w * ty + z * tx - x * tz,
        v[2] + w * tz + x * ty - y * tx,
    )


def normalized(q: Quaternion) -> Quaternion:
    """Normalize a quaternion; NaN if its length is not a normal float."""
    norm = math.sqrt(sum(value * value for value in q)) or math.nan
    return (q[0] / norm, q[1] / norm, q[2] / norm, q[3] / norm)


def canonical(q: Quaternion) -> Quaternion:
    """Return the unit quaternion of a rotation with the sign that tf2 reports.

    tf2 stores a rotation matrix and converts it back: ``w`` is positive while it is above 1/2 in
    magnitude, otherwise the largest of ``x, y, z`` is.
    """
    q = normalized(q)
    leading = q[3] if abs(q[3]) > 0.5 else max(q[:3], key=abs)
    return q if leading >= 0.0 else (-q[0], -q[1], -q[2], -q[3])


def compose(outer: Rigid, inner: Rigid) -> Rigid:
    """Return the transform that applies ``inner``, then ``outer``."""
    x, y, z = rotate(outer.rotation, inner.translation)
    tx, ty, tz = outer.translation
    ax, ay, az, aw = outer.rotation
    bx, by, bz, bw = inner.rotation
    rotation = (
        aw * bx + ax * bw + ay * bz - az * by,
        aw * by - ax * bz + ay * bw + az * bx,
        aw * bz + ax * by - ay * bx + az * bw,
        aw * bw - ax * bx - ay * by - az * bz,
    )
    return Rigid(rotation, (x + tx, y + ty, z + tz))


def invert(transform: Rigid) -> Rigid:
    """Return the inverse transform."""
    x, y, z, w = transform.rotation
    rotation = (-x, -y, -z, w)
    x, y, z = rotate(rotation, transform.translation)
    return Rigid(rotation, (-x, -y, -z))


def interpolate(a: Rigid, b: Rigid, ratio: float) -> Rigid:
    """Interpolate on the line and on the shorter arc; ratio 0 gives ``a``, 1 gives ``b``."""
    x, y, z = (p + ratio * (q - p) for p, q in zip(a.translation, b.translation, strict=True))
    dot = sum(p * q for p, q in zip(a.rotation, b.rotation, strict=True))
    sign = -1.0 if dot < 0.0 else 1.0
    angle = math.acos(min(1.0, abs(dot)))
    weight_a, weight_b = 1.0 - ratio, ratio
    if angle >= SMALL_ANGLE:
        weight_a = math.sin(weight_a * angle) / math.sin(angle)
        weight_b = math.sin(weight_b * angle) / math.sin(angle)
    i, j, k, w = (
        weight_a * p + sign * weight_b * q for p, q in zip(a.rotation, b.rotation, strict=True)
    )
    return Rigid(normalized((i, j, k, w)), (x, y, z))
