"""Differences, distances, interpolation and integration of configurations.

A revolute joint with limits or a prismatic one moves on an interval, a continuous joint on a
circle, a planar joint in SE(2) (two intervals and a circle), a floating one in SE(3) (three
intervals and a unit quaternion). The straight motion between two configurations is straight in
each of them: on a circle the shorter arc, for a quaternion the shorter rotation about one axis.

A displacement has the layout of configurations, (nq,), with a rotation vector (3 numbers, along
the parent's axes) and a 0 in place of a quaternion. ``kinds`` are a CompiledTree's
``position_kinds``.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np

from rigid_tree_kinematics.arrays import Array
from rigid_tree_kinematics.arrays import Integers as Kinds
from rigid_tree_kinematics.kernels import READ_1D, READ_2D, TABLE, VECTOR, inlined, kernel, types
from rigid_tree_kinematics.kinematics.motion import Vector, velocity_count
from rigid_tree_kinematics.model.columns import KIND, POSITION, VELOCITY
from rigid_tree_kinematics.model.joints.joint_types import (
    CIRCLE,
    FLOATING,
    INTERVAL,
    QUATERNION,
    QUATERNION_REST,
)

if TYPE_CHECKING:
    from rigid_tree_kinematics.model.compiled import CompiledTree

TURN = 2.0 * math.pi
KINDS = types.Array(types.int64, 1, readonly=True)


@inlined
def copy_numbers(source: Array, out: Array) -> None:
    """Copy a vector; Numba would create an array to assign a slice."""
    for k in range(source.shape[0]):
        out[k] = source[k]


@inlined
def write_difference(kinds: Kinds, a: Array, b: Array, out: Array) -> None:
    """Write the displacement from a to b: b - a, an arc in [-pi, pi], a rotation vector.

    The rotation vector takes a's rotation to b's.
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
            out[k], out[k + 1], out[k + 2], out[k + 3] = x * scale, y * scale, z * scale, 0.0


@inlined
def _rotation_between(a: Array, b: Array, k: int) -> tuple[float, ...]:
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
def write_between(kinds: Kinds, a: Array, difference: Array, t: float, out: Array) -> None:
    """Write the configuration at fraction ``t`` of a displacement ``difference`` from ``a``.

    ``t`` is 0 at the start and 1 at the end; all arrays are (nq,). Angles are not wrapped, so a
    path has no jumps.
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
def squared_length(kinds: Kinds, weights: Array, difference: Array) -> float:
    """Return the sum of (weight * entry)^2 over a displacement ``difference`` (nq,).

    ``weights`` (nq,) convert rad and m to one unit; a rotation vector uses its first weight.
    """
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
def squared_distance(kinds: Kinds, weights: Array, a: Array, b: Array) -> float:
    """Return the squared weighted length of the straight motion from ``a`` to ``b`` (nq,)."""
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
def distance(kinds: Kinds, weights: Array, a: Array, b: Array) -> float:
    """Return the weighted length of the straight motion from ``a`` to ``b`` (nq,): a metric."""
    return math.sqrt(squared_distance(kinds, weights, a, b))


@inlined
def write_displacement(table: Array, q: Array, v: Array, out: Array) -> None:
    """Write the displacement (nq,) caused by velocities ``v`` (nv,) in a unit of time.

    A floating joint's velocities are rotated from its moved axes to the parent's.
    """
    for i in range(1, table.shape[0]):
        at, first = int(table[i, POSITION]), int(table[i, VELOCITY])
        if int(table[i, KIND]) == FLOATING:
            for k in range(0, 6, 3):
                x, y, z = v[first + k], v[first + k + 1], v[first + k + 2]
                out[at + k], out[at + k + 1], out[at + k + 2] = _rotated(q, at + 3, x, y, z)
            out[at + 6] = 0.0
        else:
            for k in range(velocity_count(int(table[i, KIND]))):
                out[at + k] = v[first + k]


@inlined
def write_position_rates(table: Array, q: Array, v: Array, out: Array) -> None:
    """Write the time derivatives of the positions: dq/dt for velocities ``v``."""
    for i in range(1, table.shape[0]):
        at, first = int(table[i, POSITION]), int(table[i, VELOCITY])
        if int(table[i, KIND]) == FLOATING:
            vx, vy, vz = v[first], v[first + 1], v[first + 2]
            wx, wy, wz = v[first + 3], v[first + 4], v[first + 5]
            x, y, z, w = q[at + 3], q[at + 4], q[at + 5], q[at + 6]
            out[at], out[at + 1], out[at + 2] = _rotated(q, at + 3, vx, vy, vz)
            out[at + 3] = 0.5 * (w * wx + y * wz - z * wy)
            out[at + 4] = 0.5 * (w * wy + z * wx - x * wz)
            out[at + 5] = 0.5 * (w * wz + x * wy - y * wx)
            out[at + 6] = -0.5 * (x * wx + y * wy + z * wz)
        else:
            for k in range(velocity_count(int(table[i, KIND]))):
                out[at + k] = v[first + k]


@inlined
def _rotated(q: Array, k: int, x: float, y: float, z: float) -> Vector:
    """Return a vector rotated by the unit quaternion (u, w) at k: v + 2 u x (u x v + w v)."""
    ux, uy, uz, w = q[k], q[k + 1], q[k + 2], q[k + 3]
    cx = uy * z - uz * y + w * x
    cy = uz * x - ux * z + w * y
    cz = ux * y - uy * x + w * z
    return (
        x + 2.0 * (uy * cz - uz * cy),
        y + 2.0 * (uz * cx - ux * cz),
        z + 2.0 * (ux * cy - uy * cx),
    )


@kernel(types.void(KINDS, READ_1D, READ_1D, VECTOR))
def difference_kernel(kinds: Kinds, a: Array, b: Array, out: Array) -> None:
    """Version of ``write_difference`` for callers outside kernels."""
    write_difference(kinds, a, b, out)


@kernel(types.void(KINDS, READ_1D, READ_1D, types.float64, VECTOR))
def between_kernel(kinds: Kinds, a: Array, difference: Array, t: float, out: Array) -> None:
    """Version of ``write_between`` for callers outside kernels."""
    write_between(kinds, a, difference, t, out)


@kernel(types.float64(KINDS, READ_1D, READ_1D, READ_1D))
def distance_kernel(kinds: Kinds, weights: Array, a: Array, b: Array) -> float:
    """Version of ``distance`` for callers outside kernels."""
    return distance(kinds, weights, a, b)


@kernel(types.float64(KINDS, READ_1D, READ_2D, types.int64))
def path_length(kinds: Kinds, weights: Array, path: Array, count: int) -> float:
    """Return the sum of the distances along the first ``count`` points of a path."""
    total = 0.0
    for k in range(count - 1):
        total += distance(kinds, weights, path[k], path[k + 1])
    return total


@kernel(types.void(TABLE, READ_1D, READ_1D, VECTOR))
def displacement_kernel(table: Array, q: Array, v: Array, out: Array) -> None:
    """Version of ``write_displacement`` for callers outside kernels."""
    write_displacement(table, q, v, out)


@kernel(types.void(TABLE, READ_1D, READ_1D, VECTOR))
def position_rates_kernel(table: Array, q: Array, v: Array, out: Array) -> None:
    """Version of ``write_position_rates`` for callers outside kernels."""
    write_position_rates(table, q, v, out)


def difference(kinds: Kinds, a: Array, b: Array) -> Array:
    """Return the displacement (nq,) from configuration ``a`` to ``b``, (nq,) each."""
    displacement = np.empty(len(a))
    difference_kernel(kinds, a, b, displacement)
    return displacement


def between(kinds: Kinds, a: Array, displacement: Array, fraction: float = 1.0) -> Array:
    """Return the configuration (nq,) at a fraction of a displacement from ``a``."""
    q = np.empty(len(a))
    between_kernel(kinds, a, displacement, fraction, q)
    return q


def position_rates(compiled: CompiledTree, q: Array, v: Array) -> Array:
    """Return dq/dt (nq,) for velocities ``v`` (nv,)."""
    rates = np.empty(compiled.position_count)
    position_rates_kernel(compiled.table, q, v, rates)
    return rates


def integrated(compiled: CompiledTree, q: Array, v: Array, duration: float) -> Array:
    """Return the configuration (nq,) after moving at velocities ``v`` (nv,) for a time (s).

    A floating joint moves straight and rotates about a fixed axis: its velocity is constant along
    the parent's axes.
    """
    displacement = np.empty(compiled.position_count)
    displacement_kernel(compiled.table, q, v, displacement)
    return between(compiled.position_kinds, q, displacement, duration)
