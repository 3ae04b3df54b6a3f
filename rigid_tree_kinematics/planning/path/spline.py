"""Smooth curves through configurations."""

from __future__ import annotations

import numpy as np

from rigid_tree_kinematics.arrays import Array
from rigid_tree_kinematics.planning.path.spline_kernels import spline_slopes

FEWEST_POINTS = 5


class Spline:
    """The curve through points (k, n), evenly spaced in a parameter from 0 to 1.

    Its second derivative is continuous, and its error falls with the fourth power of the spacing.
    There are at least FEWEST_POINTS points.
    """

    def __init__(self, points: Array) -> None:
        self._points = np.ascontiguousarray(points)
        self._step = 1.0 / (len(points) - 1)
        self._slopes = np.empty_like(self._points)
        spline_slopes(self._points, self._step, np.empty(len(points)), self._slopes)

    def at(self, places: Array) -> tuple[Array, Array, Array]:
        """Return values and the first two derivatives, (m, n) each, at parameters (m,)."""
        h = self._step
        k = np.clip((places / h).astype(np.int64), 0, len(self._points) - 2)
        t = (places / h - k)[:, np.newaxis]
        a, b = self._points[k], self._points[k + 1]
        da, db = h * self._slopes[k], h * self._slopes[k + 1]
        # a + t (da + t (c + t d)), Hermite's cubic
        c = 3.0 * (b - a) - 2.0 * da - db
        d = da + db - 2.0 * (b - a)
        values = a + t * (da + t * (c + t * d))
        first = (da + t * (2.0 * c + 3.0 * t * d)) / h
        second = (2.0 * c + 6.0 * t * d) / h**2
        return values, first, second
