"""Timing kernels: the fastest motion along straight segments and parabolas.

The path's parameter s moves with the speed v and the acceleration u; the squared speed x = v^2
changes by 2 u in a unit of s. Reachability analysis (Pham and Pham, "A new approach to
time-optimal path parameterization based on reachability analysis", IEEE Trans. Robotics 34(3),
2018): backwards, the largest x from which the end can still be reached at rest; forwards, as fast
as that allows. On a straight segment the limits of u and x are constant, so both passes have
closed forms: accelerate, cruise, decelerate. On a parabola u is constant between grid points.
There the acceleration q'(s) u + q'' x of a position is linear in s, so limits that are satisfied
at both ends are satisfied in between.
"""

import math

from rigid_tree_kinematics.arrays import Array
from rigid_tree_kinematics.kernels import (
    BATCH,
    MATRIX,
    READ_1D,
    READ_2D,
    VECTOR,
    inlined,
    kernel,
    types,
)

GRID = 12  # intervals of a parabola
STRAIGHT_PHASES = 3
# Columns of a phase of constant u: its start time (s), its segment, s from the segment's start, v,
# u, and the greatest change of an acceleration at its start, as a share of the limits' range.
TIME, SEGMENT, PLACE, SPEED, RATE, JUMP = 0, 1, 2, 3, 4, 5
PHASE_COLUMNS = 6
# Rows of a segment: its start, and the first and second derivative there, by s.
START, FIRST, SECOND = 0, 1, 2
# Rows of the limits.
LOWEST_VELOCITY, HIGHEST_VELOCITY, LOWEST_ACCELERATION, HIGHEST_ACCELERATION = 0, 1, 2, 3
NEARLY_ZERO = 1e-13  # of a unit vector's entry: rounding
ROUNDING = 1e-12
MOST_STEPS = 100  # of Newton's method; it takes a few
TANGENT_RANGE = 0.5  # see _fastest


@inlined
def _bound_velocities(points: Array, limits: Array) -> None:
    """Lower the velocity limits to what no acceleration can exceed along the path.

    With far higher limits, sums would lose their last digits.
    """
    for j in range(points.shape[1]):
        distance = 0.0
        for k in range(1, points.shape[0]):
            distance += abs(points[k, j] - points[k - 1, j])
        most = max(-limits[LOWEST_ACCELERATION, j], limits[HIGHEST_ACCELERATION, j])
        fastest = math.sqrt(2.0 * most * distance)
        limits[LOWEST_VELOCITY, j] = max(limits[LOWEST_VELOCITY, j], -fastest)
        limits[HIGHEST_VELOCITY, j] = min(limits[HIGHEST_VELOCITY, j], fastest)


@kernel(types.void(READ_2D, READ_1D, MATRIX, BATCH, VECTOR))
def lay_segments(
    points: Array, radii: Array, limits: Array, segments: Array, lengths: Array
) -> None:
    """Write straight segments joined by parabolas, and lower velocity limits to reachable ones.

    ``points`` (k, n) are corners, no two neighbors equal; ``radii`` (k,) are the extents of the
    parabolas before and after the corners, 0 at the ends and more than 0 elsewhere. The output is
    ``segments`` (2 k - 3, 3, n) and ``lengths`` (2 k - 3,). The parameter s is the length on
    straight segments; on a parabola, twice its radius long, the derivative changes linearly from
    one direction to the other. ``limits`` (4, n) are those of ``fastest_phases``.
    """
    _bound_velocities(points, limits)
    for k in range(points.shape[0] - 1):
        squared = 0.0
        for j in range(points.shape[1]):
            squared += (points[k + 1, j] - points[k, j]) ** 2
        length = math.sqrt(squared)
        straight = segments[2 * k]
        for j in range(points.shape[1]):
            tangent = (points[k + 1, j] - points[k, j]) / length
            straight[START, j] = points[k, j] + radii[k] * tangent
            straight[FIRST, j] = tangent
            straight[SECOND, j] = 0.0
        lengths[2 * k] = length - radii[k] - radii[k + 1]
    for k in range(1, points.shape[0] - 1):
        before, after, round = segments[2 * k - 2], segments[2 * k], segments[2 * k - 1]
        lengths[2 * k - 1] = 2.0 * radii[k]
        for j in range(points.shape[1]):
            round[START, j] = points[k, j] - radii[k] * before[FIRST, j]
            round[FIRST, j] = before[FIRST, j]
            round[SECOND, j] = (after[FIRST, j] - before[FIRST, j]) / (2.0 * radii[k])


@inlined
def _bound(tangent: float, lowest: float, highest: float) -> float:
    """Return the limit in the direction of ``tangent``, divided by it."""
    if tangent > NEARLY_ZERO:
        return highest / tangent
    if tangent < -NEARLY_ZERO:
        return lowest / tangent
    return math.inf


@inlined
def _straight_limits(limits: Array, tangent: Array) -> tuple[float, float, float]:
    """Return the maximum x, and the forward and backward limits of u, on a straight segment."""
    speed, forwards, backwards = math.inf, math.inf, math.inf
    for j in range(tangent.shape[0]):
        speed = min(
            speed, _bound(tangent[j], limits[LOWEST_VELOCITY, j], limits[HIGHEST_VELOCITY, j])
        )
        low, high = limits[LOWEST_ACCELERATION, j], limits[HIGHEST_ACCELERATION, j]
        forwards = min(forwards, _bound(tangent[j], low, high))
        backwards = min(backwards, _bound(-tangent[j], low, high))
    return speed * speed, forwards, backwards


@inlined
def _fastest(limits: Array, segment: Array, low: float, high: float) -> tuple[float, float]:
    """Return the maximum x at both ends of a parabola's interval from the velocity limits.

    The derivative q' of a position changes linearly, as x does; x may be (limit / q')^2, which is
    convex: what is below its tangent in the middle keeps the limit along the whole interval.
    """
    first, second = segment[FIRST], segment[SECOND]
    at_low, at_high = math.inf, math.inf
    for j in range(first.shape[0]):
        left, right = first[j] + low * second[j], first[j] + high * second[j]
        lowest, highest = limits[LOWEST_VELOCITY, j], limits[HIGHEST_VELOCITY, j]
        middle, change = 0.5 * (left + right), right - left
        if abs(change) < TANGENT_RANGE * abs(middle):
            x = _bound(middle, lowest, highest) ** 2
            at_low = min(at_low, x * (1.0 + change / middle))
            at_high = min(at_high, x * (1.0 - change / middle))
        else:
            x = min(_bound(left, lowest, highest), _bound(right, lowest, highest)) ** 2
            at_low, at_high = min(at_low, x), min(at_high, x)
    return at_low, at_high


@inlined
def _rates(
    limits: Array, segment: Array, low: float, high: float, x: float, x_end: float
) -> tuple[float, float, float, float]:
    """Return the minimum and maximum u on a parabola's interval that starts with x.

    Also returns their derivatives by x. At the end of the interval x may be 0 to ``x_end``. The
    maximum is below the minimum if x is too large for any u.
    """
    first, second = segment[FIRST], segment[SECOND]
    twice = 2.0 * (high - low)
    least, greatest = -x / twice, (x_end - x) / twice
    least_slope, greatest_slope = -1.0 / twice, -1.0 / twice
    for j in range(first.shape[0]):
        bend = second[j]
        for end in range(2):
            # tangent * u + bend * x is within the limits, at the end with x + twice * u.
            tangent = first[j] + (low * bend if end == 0 else high * bend + twice * bend)
            if abs(tangent) < NEARLY_ZERO:
                continue
            slope = -bend / tangent
            one = limits[LOWEST_ACCELERATION, j] / tangent + slope * x
            two = limits[HIGHEST_ACCELERATION, j] / tangent + slope * x
            if min(one, two) > least:
                least, least_slope = min(one, two), slope
            if max(one, two) < greatest:
                greatest, greatest_slope = max(one, two), slope
    return least, greatest, least_slope, greatest_slope


@inlined
def _controllable(
    limits: Array, segment: Array, low: float, high: float, x: float, x_end: float
) -> float:
    """Return the maximum x, up to ``x``, at an interval's start that leads to ``x_end``.

    The length of the range of u is concave in x and not negative at x = 0: Newton's method from
    above converges in finitely many steps.
    """
    for j in range(segment.shape[1]):
        tangent, bend = segment[FIRST, j], segment[SECOND, j]
        least = min(abs(tangent + low * bend), abs(tangent + (3.0 * high - 2.0 * low) * bend))
        if least < NEARLY_ZERO:  # then the acceleration is bend * x for any u
            lowest, highest = limits[LOWEST_ACCELERATION, j], limits[HIGHEST_ACCELERATION, j]
            x = min(x, _bound(bend, lowest, highest))
    for _ in range(MOST_STEPS):
        least, greatest, least_slope, greatest_slope = _rates(limits, segment, low, high, x, x_end)
        room, slope = greatest - least, greatest_slope - least_slope
        if room >= -ROUNDING * abs(least) or slope >= 0.0:
            break
        x = max(0.0, x - room / slope)
    return x


@inlined
def _add_phase(
    phases: Array,
    count: int,
    segment: int,
    place: float,
    x: float,
    rate: float,
    length: float,
    end: float,
) -> int:
    """Append a phase from squared speed x to ``end`` if it has a length; return the count.

    The row after the last phase has its end time.
    """
    if length <= 0.0:
        return count
    speed = math.sqrt(x)
    row = phases[count]
    row[SEGMENT], row[PLACE], row[SPEED], row[RATE] = segment, place, speed, rate
    phases[count + 1, TIME] = row[TIME] + 2.0 * length / (speed + math.sqrt(end))
    return count + 1


@inlined
def _mark_jumps(segments: Array, limits: Array, phases: Array, count: int) -> None:
    """Write the change of acceleration at the start of each phase and at the end."""
    for p in range(count + 1):
        most = 0.0
        for j in range(limits.shape[1]):
            jump = 0.0
            if p > 0:  # at the end of the phase before
                row = phases[p - 1]
                segment, rate = segments[int(row[SEGMENT])], row[RATE]
                t = phases[p, TIME] - row[TIME]
                v, s = row[SPEED] + rate * t, row[PLACE] + t * (row[SPEED] + 0.5 * rate * t)
                tangent = segment[FIRST, j] + s * segment[SECOND, j]
                jump -= tangent * rate + segment[SECOND, j] * v * v
            if p < count:
                row = phases[p]
                segment, rate = segments[int(row[SEGMENT])], row[RATE]
                tangent = segment[FIRST, j] + row[PLACE] * segment[SECOND, j]
                jump += tangent * rate + segment[SECOND, j] * row[SPEED] ** 2
            span = limits[HIGHEST_ACCELERATION, j] - limits[LOWEST_ACCELERATION, j]
            most = max(most, abs(jump) / span)
        phases[p, JUMP] = most


@inlined
def _straight_motion(
    limits: Array, jerks: Array, tangent: Array, length: float, x: float, end: float
) -> tuple[float, float, float, float]:
    """Return the acceleration, the deceleration, the maximum x and the last x.

    The motion on a straight segment starts with ``x`` and ends with at most ``end``. With jerk
    limits, the maximum speed is held while the acceleration changes, and a motion from rest to
    rest has no higher acceleration than the fastest one.
    """
    speed, forwards, backwards = _straight_limits(limits, tangent)
    steepness = 0.0  # s to ramp up to an acceleration of 1
    for j in range(tangent.shape[0]):
        steepness = max(steepness, abs(tangent[j]) / jerks[j])
    if x == 0.0 and end == 0.0 and steepness > 0.0:
        most = (0.5 * length / steepness**2) ** (1.0 / 3.0)
        forwards, backwards = min(forwards, most), min(backwards, most)
    end = min(end, x + 2.0 * forwards * length)
    coast = steepness * max(forwards, backwards)
    squared = 0.5 / forwards + 0.5 / backwards
    rest = length + 0.5 * x / forwards + 0.5 * end / backwards
    peak = (math.sqrt(coast * coast + 4.0 * squared * rest) - coast) / (2.0 * squared)
    return forwards, backwards, min(speed, max(x, end, peak * peak)), end


@kernel(types.int64(BATCH, READ_1D, READ_2D, READ_1D, VECTOR, MATRIX))
def fastest_phases(
    segments: Array, lengths: Array, limits: Array, jerks: Array, reachable: Array, phases: Array
) -> int:
    """Write the phases of the fastest motion from rest to rest; return their number.

    ``segments`` and ``lengths`` are those of ``lay_segments``. Velocities in ``limits`` (4, n),
    see the rows' names, may be infinite, and ``jerks`` (n,), which shape straight motions only.
    ``reachable`` has room for an x at each end of an interval. The motion takes an infinite time
    if a limit in its direction is 0.
    """
    at = reachable.shape[0] - 1
    reachable[at] = 0.0
    for m in range(lengths.shape[0] - 1, -1, -1):
        segment = segments[m]
        if m % 2 == 0:
            speed, _, backwards = _straight_limits(limits, segment[FIRST])
            reachable[at] = min(reachable[at], speed)
            reachable[at - 1] = min(speed, reachable[at] + 2.0 * backwards * lengths[m])
            at -= 1
            continue
        step = lengths[m] / GRID
        for k in range(GRID - 1, -1, -1):
            low, high = k * step, (k + 1) * step
            x, x_end = _fastest(limits, segment, low, high)
            reachable[at] = min(reachable[at], x_end)
            reachable[at - 1] = _controllable(limits, segment, low, high, x, reachable[at])
            at -= 1
    x, at, count = 0.0, 0, 0
    phases[0, TIME] = 0.0
    for m in range(lengths.shape[0]):
        segment, length = segments[m], lengths[m]
        if m % 2 == 0:
            at += 1
            forwards, backwards, peak, end = _straight_motion(
                limits, jerks, segment[FIRST], length, x, reachable[at]
            )
            rise, fall = (peak - x) / (2.0 * forwards), (peak - end) / (2.0 * backwards)
            rest = length - rise - fall
            count = _add_phase(phases, count, m, 0.0, x, forwards, rise, peak)
            count = _add_phase(phases, count, m, rise, peak, 0.0, rest, peak)
            count = _add_phase(phases, count, m, length - fall, peak, -backwards, fall, end)
            x = end
            continue
        step = length / GRID
        for k in range(GRID):
            low, high = k * step, (k + 1) * step
            at += 1
            _, greatest, _, _ = _rates(limits, segment, low, high, x, reachable[at])
            end = min(max(0.0, x + 2.0 * step * greatest), reachable[at])
            rate = (end - x) / (2.0 * step)
            count = _add_phase(phases, count, m, low, x, rate, step, end)
            x = end
    phases[count, PLACE] = lengths[lengths.shape[0] - 1]
    _mark_jumps(segments, limits, phases, count)
    return count
