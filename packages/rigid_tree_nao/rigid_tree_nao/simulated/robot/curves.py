"""Curves through angles at given times, for the interpolating methods."""

from bisect import bisect_right
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from rigid_tree_nao.errors import NaoError

Curve = Callable[[float], float]

CONSTANT, LINEAR, BEZIER = range(3)
BISECTIONS = 50
SHORTEST = 1e-12  # s: slopes over shorter times overflow


def checked_times(times: Sequence[float]) -> list[float]:
    """Return times (s); raises NaoError unless they are finite, positive and increasing."""
    listed = [float(time) for time in times]
    if not np.isfinite(listed).all():
        raise NaoError("a time is not finite")
    if not listed or np.any(np.diff([0.0, *listed]) < SHORTEST):
        raise NaoError(f"times are not positive and increasing: {listed}")
    return listed


def smooth_curve(start: float, values: Sequence[float], times: Sequence[float]) -> Curve:
    """Return a curve from ``start`` through the values: ends at rest, no overshoot.

    The slopes are those of the shape-preserving cubic interpolation (Fritsch and Butland, 1984):
    SciPy's PCHIP, whose import would take longer than the start of the simulated robot. The times
    are ``checked_times``, one for each value.
    """
    knots, heights = [0.0, *times], [start, *map(float, values)]
    slopes = _slopes(knots, heights)

    def curve(time: float) -> float:
        at = min(time, knots[-1])
        left = min(bisect_right(knots, at), len(knots) - 1) - 1
        span = knots[left + 1] - knots[left]
        y = (
            heights[left],
            heights[left] + span * slopes[left] / 3.0,
            heights[left + 1] - span * slopes[left + 1] / 3.0,
            heights[left + 1],
        )
        return _cubic(y, (at - knots[left]) / span)

    return curve


def _slopes(knots: Sequence[float], heights: Sequence[float]) -> list[float]:
    """Return the slope at each knot: 0 at the ends and at extrema."""
    spans = np.diff(knots)
    rates = np.diff(heights) / spans
    slopes = [0.0] * len(knots)
    for k in range(1, len(knots) - 1):
        if rates[k - 1] * rates[k] > 0.0:
            before, after = spans[k - 1] + 2.0 * spans[k], 2.0 * spans[k - 1] + spans[k]
            slopes[k] = float((before + after) / (before / rates[k - 1] + after / rates[k]))
    return slopes


def bezier_curve(start: float, points: Sequence[Any], times: Sequence[float]) -> Curve:
    """Return angleInterpolationBezier's curve through [angle, handle before, handle after].

    A handle is [type, time (s), angle (rad)] relative to the point. The times are
    ``checked_times``, one for each point.
    """
    knots = [0.0, *times]
    heights = [start, *(float(point[0]) for point in points)]
    no_handle = [BEZIER, 0.0, 0.0]
    before = [no_handle, *(list(point[1]) if len(point) > 1 else no_handle for point in points)]
    after = [no_handle, *(list(point[2]) if len(point) > 2 else no_handle for point in points)]

    def curve(time: float) -> float:
        if time >= knots[-1]:
            return heights[-1]
        left = int(np.searchsorted(knots, time, side="right")) - 1
        right = left + 1
        kind = int(before[right][0])
        if kind == CONSTANT:
            return heights[left]
        span = knots[right] - knots[left]
        if kind == LINEAR:
            part = (time - knots[left]) / span
            return heights[left] + part * (heights[right] - heights[left])
        # Handles that reach beyond the segment would make the curve turn back in time.
        out = min(max(float(after[left][1]), 0.0), span)
        back = min(max(-float(before[right][1]), 0.0), span)
        x = (knots[left], knots[left] + out, knots[right] - back, knots[right])
        y = (
            heights[left],
            heights[left] + float(after[left][2]),
            heights[right] + float(before[right][2]),
            heights[right],
        )
        return _cubic(y, _parameter(x, time))

    return curve


def _cubic(c: Sequence[float], s: float) -> float:
    r = 1.0 - s
    return r**3 * c[0] + 3.0 * r * r * s * c[1] + 3.0 * r * s * s * c[2] + s**3 * c[3]


def _parameter(x: Sequence[float], time: float) -> float:
    """Return the parameter at which an increasing Bezier cubic is ``time``."""
    low, high = 0.0, 1.0
    for _ in range(BISECTIONS):
        middle = (low + high) / 2.0
        low, high = (middle, high) if _cubic(x, middle) < time else (low, middle)
    return (low + high) / 2.0
