"""Where a body is, from the rows of the compiled tree, in plain Python.

For single transforms, without the kernels of ``kinematics``: those are for batches, for many
bodies at once, and ten times as fast.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np

from rigid_tree_kinematics.arrays import Array
from rigid_tree_kinematics.model.columns import (
    AXIS,
    CHILD_TRANSFORM,
    FIXED_TRANSFORM,
    KIND,
    MOVED_CHILD,
    MULTIPLIER,
    OFFSET,
    PARENT,
    POSITION,
)
from rigid_tree_kinematics.model.compiled import CompiledTree
from rigid_tree_kinematics.model.joints import FIXED, FLOATING, PLANAR, PRISMATIC

# Rows 0 to 2 of a 4x4, row-major.
_Rows = Sequence[float]


def base_from_body(compiled: CompiledTree, body: int, q: Sequence[float]) -> Array:
    """Return T_base_body (4x4) at a checked configuration (nq,)."""
    T: _Rows | None = None
    while body > 0:
        row = compiled.rows[body]
        local = parent_from_body(row, q)
        T = local if T is None else _product(local, T)
        body = int(row[PARENT])
    matrix = np.eye(4)
    if T is not None:
        matrix[:3] = np.reshape(T, (3, 4))
    return matrix


def parent_from_body(row: Sequence[float], q: Sequence[float]) -> _Rows:
    """Return the transform from a body's parent to the body, of whose joint this is the row."""
    m: _Rows = row[FIXED_TRANSFORM : FIXED_TRANSFORM + 12]
    kind = int(row[KIND])
    if kind == FIXED:
        return m
    at = int(row[POSITION])
    if kind == FLOATING:
        m = _product(m, _turned(q[at + 3], q[at + 4], q[at + 5], q[at + 6], q[at : at + 3]))
    elif kind == PLANAR:
        half = 0.5 * q[at + 2]
        m = _product(m, _turned(0.0, 0.0, math.sin(half), math.cos(half), (q[at], q[at + 1], 0.0)))
    else:
        x, y, z = row[AXIS], row[AXIS + 1], row[AXIS + 2]
        value = row[MULTIPLIER] * q[at] + row[OFFSET]
        if kind == PRISMATIC:
            shift = (x * value, y * value, z * value)
            m = _product(m, _turned(0.0, 0.0, 0.0, 1.0, shift))
        else:
            s, c = math.sin(0.5 * value), math.cos(0.5 * value)
            m = _product(m, _turned(s * x, s * y, s * z, c, (0.0, 0.0, 0.0)))
    if row[MOVED_CHILD]:
        m = _product(m, row[CHILD_TRANSFORM : CHILD_TRANSFORM + 12])
    return m


def _turned(x: float, y: float, z: float, w: float, shift: Sequence[float]) -> _Rows:
    """Return the transform of a unit quaternion and a translation."""
    xx, yy, zz = x * x, y * y, z * z
    xy, xz, yz = x * y, x * z, y * z
    wx, wy, wz = w * x, w * y, w * z
    a, b, c = shift
    return (
        1.0 - 2.0 * (yy + zz), 2.0 * (xy - wz), 2.0 * (xz + wy), a,
        2.0 * (xy + wz), 1.0 - 2.0 * (xx + zz), 2.0 * (yz - wx), b,
        2.0 * (xz - wy), 2.0 * (yz + wx), 1.0 - 2.0 * (xx + yy), c,
    )  # fmt: skip


def _product(a: _Rows, b: _Rows) -> _Rows:
    """Return the product of two transforms."""
    a0, a1, a2, a3, a4, a5, a6, a7, a8, a9, a10, a11 = a
    b0, b1, b2, b3, b4, b5, b6, b7, b8, b9, b10, b11 = b
    return (
        a0 * b0 + a1 * b4 + a2 * b8, a0 * b1 + a1 * b5 + a2 * b9,
        a0 * b2 + a1 * b6 + a2 * b10, a0 * b3 + a1 * b7 + a2 * b11 + a3,
        a4 * b0 + a5 * b4 + a6 * b8, a4 * b1 + a5 * b5 + a6 * b9,
        a4 * b2 + a5 * b6 + a6 * b10, a4 * b3 + a5 * b7 + a6 * b11 + a7,
        a8 * b0 + a9 * b4 + a10 * b8, a8 * b1 + a9 * b5 + a10 * b9,
        a8 * b2 + a9 * b6 + a10 * b10, a8 * b3 + a9 * b7 + a10 * b11 + a11,
    )  # fmt: skip
