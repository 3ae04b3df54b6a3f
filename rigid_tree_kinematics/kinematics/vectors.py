"""Vectors (3 numbers) inside the kernels."""

import math

from rigid_tree_kinematics.arrays import Array
from rigid_tree_kinematics.kernels import inlined
from rigid_tree_kinematics.kinematics.motion import Transform, Vector, rotate, unrotate


@inlined
def vector(rows: Array, k: int, first: int) -> Vector:
    """Return three numbers of row ``k``, from column ``first`` on."""
    return rows[k, first], rows[k, first + 1], rows[k, first + 2]


@inlined
def triple(numbers: Array) -> Vector:
    """Return the first three numbers of an array."""
    return numbers[0], numbers[1], numbers[2]


@inlined
def dot(a: Vector, b: Vector) -> float:
    """Return the scalar product."""
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2]


@inlined
def cross(a: Vector, b: Vector) -> Vector:
    """Return the vector product."""
    return a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]


@inlined
def minus(a: Vector, b: Vector) -> Vector:
    """Return ``a - b``."""
    return a[0] - b[0], a[1] - b[1], a[2] - b[2]


@inlined
def length(a: Vector) -> float:
    """Return the length of a vector."""
    return math.sqrt(dot(a, a))


@inlined
def rotated(m: Transform, p: Vector) -> Vector:
    """Return a vector rotated by the transform ``m``."""
    return rotate(m, p[0], p[1], p[2])


@inlined
def transformed(m: Transform, p: Vector) -> Vector:
    """Return a point moved by the transform ``m``."""
    return (
        m[0] * p[0] + m[1] * p[1] + m[2] * p[2] + m[3],
        m[4] * p[0] + m[5] * p[1] + m[6] * p[2] + m[7],
        m[8] * p[0] + m[9] * p[1] + m[10] * p[2] + m[11],
    )


@inlined
def relative(m: Transform, n: Transform) -> Transform:
    """Return the transform from the frame ``n`` to the frame ``m``: inverse(m) n."""
    a = unrotate(m, n[0], n[4], n[8])
    b = unrotate(m, n[1], n[5], n[9])
    c = unrotate(m, n[2], n[6], n[10])
    t = unrotate(m, n[3] - m[3], n[7] - m[7], n[11] - m[11])
    return (
        a[0], b[0], c[0], t[0],
        a[1], b[1], c[1], t[1],
        a[2], b[2], c[2], t[2],
    )  # fmt: skip
