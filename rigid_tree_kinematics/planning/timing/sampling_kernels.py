"""Kernels that sample a trajectory from phases of constant acceleration along a path.

The acceleration of such a motion jumps, and a driver that interpolates by quintics exceeds the
limits at a jump between two points. So the motion is averaged over a short window of time: its
acceleration is then continuous, and the averages satisfy every limit that the motion satisfies.
"""

import math

from rigid_tree_kinematics.arrays import Array
from rigid_tree_kinematics.kernels import BATCH, READ_1D, READ_2D, VECTOR, inlined, kernel, types
from rigid_tree_kinematics.planning.timing.timing_kernels import (
    FIRST,
    HIGHEST_ACCELERATION,
    HIGHEST_VELOCITY,
    JUMP,
    LOWEST_ACCELERATION,
    LOWEST_VELOCITY,
    PLACE,
    RATE,
    SECOND,
    SEGMENT,
    SPEED,
    START,
    TIME,
)

# Gauss's three points of an interval from 0 to 1: exact for the quartics that positions are.
OFF = 0.5 * math.sqrt(0.6)
PLACES = (0.5 - OFF, 0.5, 0.5 + OFF)
FEW = 8  # phases; a window of up to 8 is summed phase by phase, which is more accurate
WEIGHTS = (5.0 / 18.0, 8.0 / 18.0, 5.0 / 18.0)

NOTED_JUMP = 0.05  # of the largest jump: there are points before and after such changes
ALLOWED_EXCESS = 1.002  # of the limits, between two points
# Minimum spacing of points (s, and share of the window): over shorter times, rounding dominates a
# quintic's acceleration.
SMALLEST_SPACING = 2e-5
SMALLEST_SHARE = 0.5


@inlined
def _add_part(
    segments: Array, phases: Array, r: int, start: float, end: float, scale: float, sums: Array
) -> None:
    """Add the scaled integrals of position, velocity and acceleration from start to end.

    Both times lie in phase ``r``; ``sums`` are (3, n).
    """
    segment = segments[int(phases[r, SEGMENT])]
    rate, span = phases[r, RATE], end - start
    for g in range(3):
        t = start - phases[r, TIME] + PLACES[g] * span
        weight = scale * WEIGHTS[g] * span
        speed = phases[r, SPEED] + rate * t
        s = phases[r, PLACE] + t * (phases[r, SPEED] + 0.5 * rate * t)
        for j in range(sums.shape[1]):
            tangent = segment[FIRST, j] + s * segment[SECOND, j]
            sums[0, j] += weight * (segment[START, j] + 0.5 * s * (segment[FIRST, j] + tangent))
            sums[1, j] += weight * tangent * speed
            sums[2, j] += weight * (segment[SECOND, j] * speed * speed + tangent * rate)


@inlined
def _add_rest(segments: Array, phases: Array, before: float, behind: float, sums: Array) -> None:
    """Add the first and the last position, weighted by their shares of a window."""
    tail = segments[segments.shape[0] - 1]
    length = phases[phases.shape[0] - 1, PLACE]
    for j in range(sums.shape[1]):
        sums[0, j] += before * segments[0, START, j]
        sums[0, j] += behind * (tail[START, j] + length * tail[FIRST, j])


@inlined
def _copy(source: Array, target: Array) -> None:
    for i in range(source.shape[0]):
        for j in range(source.shape[1]):
            target[i, j] = source[i, j]


@kernel(types.void(BATCH, READ_2D, types.float64, READ_1D, BATCH, BATCH))
def sample_averages(
    segments: Array, phases: Array, window: float, times: Array, integrals: Array, samples: Array
) -> None:
    """Write averages of position and derivatives over the ``window`` (s) before each time.

    ``segments`` and ``phases`` are those of ``timing_kernels``, the last row of ``phases`` being
    the end; outside of them the motion rests. ``times`` (k,) increase from 0 to the end plus the
    window; ``samples`` are (3, k, n), and ``integrals`` has room for as many rows as ``phases``.
    """
    last = phases.shape[0] - 1
    integrals[0] = 0.0
    for r in range(last):
        _copy(integrals[r], integrals[r + 1])
        start, end = phases[r, TIME], phases[r + 1, TIME]
        _add_part(segments, phases, r, start, end, 1.0, integrals[r + 1])
    first, final = 0, 0  # the phases at the window's start and end
    for k in range(times.shape[0]):
        low, high = times[k] - window, times[k]
        samples[:, k] = 0.0
        while first < last - 1 and phases[first + 1, TIME] <= low:
            first += 1
        while final < last - 1 and phases[final + 1, TIME] < high:
            final += 1
        final = max(first, final)
        many = final - first > FEW
        for r in range(first, first + 1 if many else final):
            end = min(high, phases[r + 1, TIME])
            start = max(low, phases[r, TIME])
            if start < end:
                _add_part(segments, phases, r, start, end, 1.0 / window, samples[:, k])
        start, end = max(low, phases[final, TIME]), min(high, phases[final + 1, TIME])
        if start < end:
            _add_part(segments, phases, final, start, end, 1.0 / window, samples[:, k])
        if many:
            for i in range(3):
                for j in range(samples.shape[2]):
                    whole = integrals[final, i, j] - integrals[first + 1, i, j]
                    samples[i, k, j] += whole / window
        before, behind = max(0.0, -low), max(0.0, high - phases[last, TIME])
        if before > 0.0 or behind > 0.0:
            _add_rest(segments, phases, before / window, behind / window, samples[:, k])


@kernel(types.void(READ_1D, READ_2D, READ_2D, READ_2D, READ_2D, VECTOR))
def needed_stretch(times: Array, q: Array, v: Array, a: Array, limits: Array, out: Array) -> None:
    """Write the time stretch, 1 or more, with which each quintic satisfies the limits.

    ``out`` is (k - 1,), ``limits`` (4, n) are those of ``timing_kernels``. The derivatives are
    bounded by their Bernstein coefficients.
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


@inlined
def _smallest_spacing(window: float) -> float:
    return min(SMALLEST_SPACING, SMALLEST_SHARE * window)


@inlined
def _next_jump(phases: Array, row: int, noted: float) -> int:
    """Return the first phase from ``row`` on that starts with a jump above ``noted``."""
    while row < phases.shape[0] and phases[row, JUMP] <= noted:
        row += 1
    return row


@inlined
def _add_times(times: Array, count: int, until: float, spacing: float, fewest: int) -> int:
    """Append times after the last one, the last of them being ``until``; return the count."""
    start = times[count - 1]
    parts = max(fewest, math.ceil((until - start) / spacing))
    for k in range(1, parts):
        times[count] = start + k * (until - start) / parts
        count += 1
    times[count] = until
    return count + 1


@kernel(types.int64(READ_2D, types.float64, types.float64, VECTOR))
def write_times(phases: Array, window: float, spacing: float, times: Array) -> int:
    """Write times of points, at most ``spacing`` (s) apart; return their number, 3 or more.

    They include the ends, large changes of acceleration, and these a ``window`` (s) later, unless
    a point is very near. ``times`` has room for end / ``spacing`` + 2 len(``phases``) + 4.
    """
    last = phases.shape[0] - 1
    end, shortest = phases[last, TIME] + window, _smallest_spacing(window)
    noted = 0.0
    for row in range(last + 1):
        noted = max(noted, NOTED_JUMP * phases[row, JUMP])
    times[0], count = 0.0, 1
    entering, leaving = _next_jump(phases, 0, noted), _next_jump(phases, 0, noted)
    while leaving <= last:
        knot = phases[leaving, TIME] + window
        if entering <= last and phases[entering, TIME] < knot:
            knot = phases[entering, TIME]
            entering = _next_jump(phases, entering + 1, noted)
        else:
            leaving = _next_jump(phases, leaving + 1, noted)
        if knot - times[count - 1] > shortest and end - knot > shortest:
            count = _add_times(times, count, knot, spacing, 1)
    return _add_times(times, count, end, spacing, 2 if count == 1 else 1)


@kernel(types.int64(READ_1D, READ_1D, types.float64, VECTOR))
def write_finer(times: Array, stretches: Array, window: float, finer: Array) -> int:
    """Write times (k,), and those in the middle of intervals that exceed limits; return how many.

    ``stretches`` are those of ``needed_stretch``. ``finer`` has room for 2 k - 1.
    """
    finer[0], count = times[0], 1
    for k in range(stretches.shape[0]):
        span = times[k + 1] - times[k]
        if stretches[k] > ALLOWED_EXCESS and span > 2.0 * _smallest_spacing(window):
            finer[count] = times[k] + 0.5 * span
            count += 1
        finer[count] = times[k + 1]
        count += 1
    return count
