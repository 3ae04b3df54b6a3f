"""Kernels of cubic splines."""

from __future__ import annotations

from typing import Any

from numba import types

from rigid_tree_kinematics.kernels import MATRIX, READ_2D, VECTOR, kernel

# The derivative at the first of five points, by their values: exact for quartics.
END_WEIGHTS = (-25.0 / 12.0, 4.0, -3.0, 4.0 / 3.0, -0.25)


@kernel(types.void(READ_2D, types.float64, VECTOR, MATRIX))
def spline_slopes(points: Any, step: float, factors: Any, slopes: Any) -> None:
    """Write the derivatives (k, n) of the cubic spline through points (k, n), k at least 5.

    Neighbours are ``step`` apart in the parameter. At the ends the derivatives are those of the
    quartics through the five points there; elsewhere the second derivative is continuous, which
    leaves a tridiagonal system. ``factors`` (k,) is room to work in.
    """
    last = points.shape[0] - 1
    for j in range(points.shape[1]):
        slopes[0, j], slopes[last, j] = 0.0, 0.0
        for k in range(5):
            slopes[0, j] += END_WEIGHTS[k] * points[k, j] / step
            slopes[last, j] -= END_WEIGHTS[k] * points[last - k, j] / step
        for k in range(1, last):
            slopes[k, j] = 3.0 * (points[k + 1, j] - points[k - 1, j]) / step
        slopes[1, j] -= slopes[0, j]
        slopes[last - 1, j] -= slopes[last, j]
    # Thomas's elimination.
    factors[1] = 0.25
    for j in range(points.shape[1]):
        slopes[1, j] *= factors[1]
    for k in range(2, last):
        factors[k] = 1.0 / (4.0 - factors[k - 1])
        for j in range(points.shape[1]):
            slopes[k, j] = (slopes[k, j] - slopes[k - 1, j]) * factors[k]
    for k in range(last - 2, 0, -1):
        for j in range(points.shape[1]):
            slopes[k, j] -= factors[k] * slopes[k + 1, j]
