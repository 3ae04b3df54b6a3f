"""Kernels that make points of a trajectory out of phases of constant acceleration along a path.

The acceleration of such a motion jumps, and a driver that joins points by quintics passes the
limits where it jumps between two points. So the motion is averaged over a short window of time:
its acceleration is continuous then, and the averages keep every limit that the motion keeps.
"""

from __future__ import annotations

import math
from typing import Any

from rigid_tree_kinematics.kernels import BATCH, MATRIX, READ_1D, READ_2D, VECTOR, kernel, types
from rigid_tree_kinematics.planning.timing.timing_kernels import (
    BEGIN,
    FIRST,
    HIGHEST_ACCELERATION,
    HIGHEST_VELOCITY,
    LOWEST_ACCELERATION,
    LOWEST_VELOCITY,
    PLACE,
    RATE,
    SECOND,
    SEGMENT,
    SPEED,
    START,
)

# Gauss's three points of an interval from 0 to 1: exact for the quartics that positions are.
OFF = 0.5 * math.sqrt(0.6)
PLACES = (0.5 - OFF, 0.5, 0.5 + OFF)
WEIGHTS = (5.0 / 18.0, 8.0 / 18.0, 5.0 / 18.0)


@kernel(types.void(BATCH, READ_2D, types.float64, READ_1D, MATRIX, MATRIX, MATRIX))
def sample_averages(
    segments: Any, phases: Any, window: float, times: Any, q: Any, v: Any, a: Any
) -> None:
    """Write averages of position and derivatives over the ``window`` (s) that ends at each time.

    ``segments`` and ``phases`` are those of ``timing_kernels``, the last row of ``phases`` being
    the end; outside of them the motion rests. ``times`` (k,) rise from 0 to the end plus the
    window; ``q``, ``v`` and ``a`` are (k, n).
    """
    last = phases.shape[0] - 1
    end = phases[last, BEGIN]
    p = 0
    for k in range(times.shape[0]):
        for j in range(q.shape[1]):
            q[k, j], v[k, j], a[k, j] = 0.0, 0.0, 0.0
        low, high = times[k] - window, times[k]
        while p < last - 1 and phases[p + 1, BEGIN] <= low:
            p += 1
        before, behind = max(0.0, -low) / window, max(0.0, high - end) / window
        r = p
        while r < last and phases[r, BEGIN] < high:
            begin = max(low, phases[r, BEGIN])
            span = min(high, phases[r + 1, BEGIN]) - begin
            segment = segments[int(phases[r, SEGMENT])]
            rate = phases[r, RATE]
            for g in range(3):
                t = begin - phases[r, BEGIN] + PLACES[g] * span
                weight = WEIGHTS[g] * span / window
                speed = phases[r, SPEED] + rate * t
                s = phases[r, PLACE] + t * (phases[r, SPEED] + 0.5 * rate * t)
                for j in range(q.shape[1]):
                    way = segment[FIRST, j] + s * segment[SECOND, j]
                    q[k, j] += weight * (segment[START, j] + 0.5 * s * (segment[FIRST, j] + way))
                    v[k, j] += weight * way * speed
                    a[k, j] += weight * (segment[SECOND, j] * speed * speed + way * rate)
            r += 1
        if before > 0.0 or behind > 0.0:
            tail = segments[segments.shape[0] - 1]
            length = phases[last, PLACE]
            for j in range(q.shape[1]):
                q[k, j] += before * segments[0, START, j]
                q[k, j] += behind * (tail[START, j] + length * tail[FIRST, j])


@kernel(types.void(READ_1D, READ_2D, READ_2D, READ_2D, READ_2D, VECTOR))
def needed_stretch(times: Any, q: Any, v: Any, a: Any, limits: Any, out: Any) -> None:
    """Write how much slower each part between two points has to be for its quintic to fit.

    That is 1 or more, (k - 1,). Looked at are the control points (in Bernstein's form) of the
    quintic's derivatives, between which these lie. ``limits`` (4, n) are those of
    ``timing_kernels``.
    """
    for k in range(1, times.shape[0]):
        h = times[k] - times[k - 1]
        faster, harder = 1.0, 1.0
        for j in range(q.shape[1]):
            one = v[k - 1, j] + 0.25 * h * a[k - 1, j]
            three = v[k, j] - 0.25 * h * a[k, j]
            two = 5.0 * (q[k, j] - q[k - 1, j]) / h - 2.0 * (v[k, j] + v[k - 1, j])
            two += 0.25 * h * (a[k, j] - a[k - 1, j])
            low, high = limits[LOWEST_VELOCITY, j], limits[HIGHEST_VELOCITY, j]
            faster = max(faster, max(one, two, three) / high, min(one, two, three) / low)
            low, high = limits[LOWEST_ACCELERATION, j], limits[HIGHEST_ACCELERATION, j]
            one, two = 4.0 * (two - one) / h, 4.0 * (three - two) / h
            harder = max(harder, max(one, two) / high, min(one, two) / low)
        out[k - 1] = max(faster, math.sqrt(harder))
