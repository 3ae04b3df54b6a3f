"""What lies between two configurations: intervals, circles and rotations, joint by joint.

A revolute joint with limits or a prismatic one moves on an interval, a continuous joint on a
circle, a planar joint in SE(2) (two intervals and a circle), a floating one in SE(3) (three
intervals and a unit quaternion). The straight way between two configurations is straight in each
of them: on a circle the shorter arc, for a quaternion the shorter turn about a fixed axis.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from numba import types
from numpy.typing import NDArray

from rigid_tree_kinematics.kernels import READ_1D, VECTOR, inlined, kernel
from rigid_tree_kinematics.model.compiled import KIND, MULTIPLIER, PLANAR, POSITION, CompiledTree

# Kinds of positions; a quaternion's x is QUATERNION, its y, z, w are QUATERNION_REST.
INTERVAL, CIRCLE, QUATERNION, QUATERNION_REST = range(4)

TURN = 2.0 * math.pi
KINDS = types.Array(types.int64, 1, "C", readonly=True)


def position_kinds(compiled: CompiledTree) -> NDArray[np.int64]:
    """Return the kind of every position of a configuration, (nq,).

    A continuous joint is an interval if a mimic joint tells its turns apart, that is if the
    mimic's multiplier is not a whole number.
    """
    kinds = np.where(compiled.is_circular, CIRCLE, INTERVAL)
    for row in compiled.table[1:]:
        at = int(row[POSITION])
        if at >= 0 and row[KIND] != PLANAR and not float(row[MULTIPLIER]).is_integer():
            kinds[at] = INTERVAL
    for start in compiled.quaternion_starts:
        kinds[start : start + 4] = QUATERNION, QUATERNION_REST, QUATERNION_REST, QUATERNION_REST
    kinds.flags.writeable = False
    return kinds


@inlined
def write_difference(kinds: Any, a: Any, b: Any, out: Any) -> None:
    """Write the straight way from ``a`` to ``b``: b - a, an arc in [-pi, pi], a rotation vector.

    The rotation vector (3 numbers, in the parent's axes, then a 0) takes a's rotation to b's.
    """
    for k in range(kinds.shape[0]):
        kind = kinds[k]
        if kind == INTERVAL:
            out[k] = b[k] - a[k]
        elif kind == CIRCLE:
            arc = b[k] - a[k]
            out[k] = arc - TURN * math.floor(arc / TURN + 0.5)
        elif kind == QUATERNION:
            x, y, z, w = _rotation_between(a, b, k)
            sine = math.sqrt(x * x + y * y + z * z)
            scale = 2.0 * math.atan2(sine, w) / sine if sine > 0.0 else 2.0
            out[k] = x * scale
            out[k + 1] = y * scale
            out[k + 2] = z * scale
            out[k + 3] = 0.0


@inlined
def _rotation_between(a: Any, b: Any, k: int) -> Any:
    """Return the unit quaternion b * conjugate(a), w >= 0, of the quaternions at entry k."""
    ax, ay, az, aw = -a[k], -a[k + 1], -a[k + 2], a[k + 3]
    bx, by, bz, bw = b[k], b[k + 1], b[k + 2], b[k + 3]
    x = bw * ax + bx * aw + by * az - bz * ay
    y = bw * ay - bx * az + by * aw + bz * ax
    z = bw * az + bx * ay - by * ax + bz * aw
    w = bw * aw - bx * ax - by * ay - bz * az
    if w < 0.0:
        return -x, -y, -z, -w
    return x, y, z, w


@inlined
def write_between(kinds: Any, a: Any, difference: Any, t: float, out: Any) -> None:
    """Write the configuration at fraction ``t`` of the way ``difference`` that starts at ``a``.

    Circles are not wrapped: a path stays continuous in numbers.
    """
    for k in range(kinds.shape[0]):
        kind = kinds[k]
        if kind == QUATERNION:
            vx, vy, vz = t * difference[k], t * difference[k + 1], t * difference[k + 2]
            half = 0.5 * math.sqrt(vx * vx + vy * vy + vz * vz)
            scale = 0.5 * math.sin(half) / half if half > 0.0 else 0.5
            x, y, z, w = vx * scale, vy * scale, vz * scale, math.cos(half)
            ax, ay, az, aw = a[k], a[k + 1], a[k + 2], a[k + 3]
            out[k] = w * ax + x * aw + y * az - z * ay
            out[k + 1] = w * ay - x * az + y * aw + z * ax
            out[k + 2] = w * az + x * ay - y * ax + z * aw
            out[k + 3] = w * aw - x * ax - y * ay - z * az
        elif kind != QUATERNION_REST:
            out[k] = a[k] + t * difference[k]


@inlined
def squared_length(kinds: Any, weights: Any, difference: Any) -> float:
    """Return the sum of (weight * entry)^2; a rotation vector counts with its first weight."""
    total = 0.0
    for k in range(kinds.shape[0]):
        kind = kinds[k]
        if kind == QUATERNION:
            total += weights[k] ** 2 * (
                difference[k] ** 2 + difference[k + 1] ** 2 + difference[k + 2] ** 2
            )
        elif kind != QUATERNION_REST:
            total += (weights[k] * difference[k]) ** 2
    return total


@inlined
def squared_distance(kinds: Any, weights: Any, a: Any, b: Any) -> float:
    """Return the squared weighted length of the straight way from ``a`` to ``b``."""
    total = 0.0
    for k in range(kinds.shape[0]):
        kind = kinds[k]
        if kind == INTERVAL:
            total += (weights[k] * (b[k] - a[k])) ** 2
        elif kind == CIRCLE:
            arc = b[k] - a[k]
            total += (weights[k] * (arc - TURN * math.floor(arc / TURN + 0.5))) ** 2
        elif kind == QUATERNION:
            x, y, z, w = _rotation_between(a, b, k)
            angle = 2.0 * math.atan2(math.sqrt(x * x + y * y + z * z), w)
            total += (weights[k] * angle) ** 2
    return total


@inlined
def distance(kinds: Any, weights: Any, a: Any, b: Any) -> float:
    """Return the weighted length of the straight way from ``a`` to ``b``."""
    return math.sqrt(squared_distance(kinds, weights, a, b))


@kernel(types.void(KINDS, READ_1D, READ_1D, VECTOR))
def difference_kernel(kinds: Any, a: Any, b: Any, out: Any) -> None:
    """Do ``write_difference`` for callers outside kernels."""
    write_difference(kinds, a, b, out)


@kernel(
    types.void(KINDS, READ_1D, READ_1D, types.float64, VECTOR),
)
def between_kernel(kinds: Any, a: Any, difference: Any, t: float, out: Any) -> None:
    """Do ``write_between`` for callers outside kernels."""
    write_between(kinds, a, difference, t, out)


@kernel(types.float64(KINDS, READ_1D, READ_1D, READ_1D))
def distance_kernel(kinds: Any, weights: Any, a: Any, b: Any) -> float:
    """Do ``distance`` for callers outside kernels."""
    return distance(kinds, weights, a, b)
