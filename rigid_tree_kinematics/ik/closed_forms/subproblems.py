"""The geometric subproblems of closed-form inverse kinematics.

Paden and Kahan's subproblems in the least-squares spirit of Elias and Wen 2022 ("IK-Geo"): where
rounding or a singularity makes an equation just unsolvable, the nearest angle is returned, and
the numerical polish that follows decides. Axes are unit vectors, angles in rad.
"""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np

from rigid_tree_kinematics.arrays import Array

# An equation a cos + b sin = c counts as solvable up to this relative excess of c.
EXCESS = 1e-6
# A vector shorter than this (m, or without unit) has no direction.
NO_LENGTH = 1e-9
# Roots of a trigonometric polynomial lie on the unit circle; double ones only to the root of the
# rounding error, and what is farther away is not a root.
OFF_CIRCLE = 1e-3


def dot(a: Array, b: Array) -> float:
    """Return the dot product of two 3-vectors."""
    return float(a[0] * b[0] + a[1] * b[1] + a[2] * b[2])


def cross(a: Array, b: Array) -> Array:
    """Return the cross product of two 3-vectors, without NumPy's overhead for general shapes."""
    return np.array(
        [
            a[1] * b[2] - a[2] * b[1],
            a[2] * b[0] - a[0] * b[2],
            a[0] * b[1] - a[1] * b[0],
        ]
    )


def turned(axis: Array, angle: float, vector: Array) -> Array:
    """Return a vector rotated about an axis through the origin (Rodrigues' formula)."""
    c, s = math.cos(angle), math.sin(angle)
    return c * vector + s * cross(axis, vector) + (1.0 - c) * dot(axis, vector) * axis


def normal_part(axis: Array, vector: Array) -> Array:
    """Return the component of a vector normal to an axis."""
    return vector - dot(axis, vector) * axis


def angle_between(axis: Array, u: Array, v: Array, otherwise: float) -> float:
    """Return the angle about the axis rotating u towards v; ``otherwise`` if any does."""
    u, v = normal_part(axis, u), normal_part(axis, v)
    if dot(u, u) < NO_LENGTH**2 or dot(v, v) < NO_LENGTH**2:
        return otherwise
    return math.atan2(dot(axis, cross(u, v)), dot(u, v))


def angles_of_height(
    axis: Array, u: Array, k: Array, height: float, otherwise: float
) -> list[float]:
    """Return the angles about the axis that rotate u so that its dot product with k is height.

    None, one or two; ``otherwise`` if every angle does.
    """
    a = dot(k, normal_part(axis, u))
    b = dot(k, cross(axis, u))
    c = height - dot(k, axis) * dot(axis, u)
    amplitude = math.hypot(a, b)
    scale = math.sqrt(dot(u, u) * dot(k, k))
    if amplitude <= NO_LENGTH * max(scale, 1.0):
        return [otherwise] if abs(c) <= EXCESS * max(scale, 1.0) else []
    middle = math.atan2(b, a)
    ratio = c / amplitude
    if abs(ratio) > 1.0:
        if abs(c) > amplitude + EXCESS * max(scale, amplitude):
            return []
        return [middle if ratio > 0.0 else middle + math.pi]
    spread = math.acos(ratio)
    return [middle + spread, middle - spread]


def zeros_of_trigonometric(function: Callable[[float], float]) -> list[float]:
    """Return the zeros of a trigonometric polynomial of degree two in (-pi, pi], at most four."""
    angles = 2.0 * math.pi / 5.0 * np.arange(5)
    values = np.array([function(angle) for angle in angles])
    coefficients = np.fft.fft(values) / 5.0  # c0 c1 c2 c-2 c-1
    polynomial = coefficients[[2, 1, 0, 4, 3]]
    size = np.abs(polynomial).max()
    if not size > 0.0:
        return []
    polynomial[np.abs(polynomial) < 1e-13 * size] = 0.0
    roots = np.roots(polynomial)
    return [float(np.angle(z)) for z in roots if abs(abs(z) - 1.0) < OFF_CIRCLE]
