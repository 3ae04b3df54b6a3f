"""Time-optimal timing of a path within limits of velocity, acceleration and jerk."""

from __future__ import annotations

import itertools
from typing import NamedTuple

import numpy as np

from rigid_tree_kinematics.arrays import Array
from rigid_tree_kinematics.deadline import Deadline
from rigid_tree_kinematics.errors import PlanningError
from rigid_tree_kinematics.planning.path import Corners
from rigid_tree_kinematics.planning.problem import Space, Trajectory
from rigid_tree_kinematics.planning.timing.sampling_kernels import (
    ALLOWED_EXCESS,
    NOTED_JUMP,
    needed_stretch,
    sample_averages,
    write_finer,
    write_times,
)
from rigid_tree_kinematics.planning.timing.timing_kernels import (
    GRID,
    JUMP,
    PHASE_COLUMNS,
    STRAIGHT_PHASES,
    TIME,
    fastest_phases,
    lay_segments,
)

SAMPLE_TIME = 0.02  # s between points of a trajectory, at most
MOST_POINTS = 10_000  # of a trajectory, besides some at each corner
# Time (s) and share of the motion's duration within which accelerations change.
SMOOTHING_TIME = 0.004
SMOOTHING_SHARE = 0.01
SHORTEST_DURATION = 1e-3  # s; a shorter motion's points would be nanoseconds apart
LONGEST_DURATION = 86_400.0  # s
REFINEMENTS = 3
NANOSECONDS = 1e9  # in a second
STEPS = "steps of the timing"

INSTANT = 1e-7  # s; changes of acceleration within this time are steps
WINDOWS = 6  # windows to try for a jerk limit

Timed = tuple[Array, Array, Array, Array]  # times (m,), positions, velocities, accelerations


class Motion(NamedTuple):
    """A motion from rest to rest: segments and phases (see timing_kernels), and a window.

    Averages over a ``window`` of time (s) change their accelerations slowly.
    """

    segments: Array
    phases: Array
    window: float

    @property
    def duration(self) -> float:
        """Its duration, s."""
        return float(self.phases[-1, TIME]) + self.window

    @property
    def jumps(self) -> Array:
        """Times of large changes of acceleration, s."""
        changes = self.phases[:, JUMP]
        return np.asarray(self.phases[changes > NOTED_JUMP * changes.max(), TIME])


class JerkLimit(NamedTuple):
    """Jerk limits (n,), rad/s^3 or m/s^3, and the smoothing that enforces them.

    Accelerations are averaged over a window of time: a ``share`` of the window that the limits
    require, at most half of the motion. With a smaller share, the motion stays closer to its path.
    The remaining excess is removed by slowing down the whole motion.
    """

    limits: Array
    share: float = 1.0

    def of_share(self, edge: Array) -> JerkLimit:
        """Return the limit (1,) of the completed share of a straight motion."""
        moved = np.flatnonzero(edge)
        return self._replace(limits=(self.limits[moved] / np.abs(edge[moved])).min(keepdims=True))

    def stretch(self, times: Array, accelerations: Array) -> float:
        """Return the factor, 1 or more, by which a motion through points must be slowed down."""
        steps = np.maximum(np.diff(times), INSTANT)  # tiny motions have shorter ones
        jerks = np.abs(np.diff(accelerations, axis=0)) / steps[:, np.newaxis]
        return float(max(1.0, (jerks / self.limits).max(initial=0.0) ** (1.0 / 3.0)))


def time_path(
    space: Space,
    corners: Corners,
    radii: Array,
    velocity_limit: Array,
    acceleration_limit: Array,
    jerk: JerkLimit | None,
    deadline: Deadline,
) -> Trajectory:
    """Return a trajectory along ``corners`` from rest to rest, near the shortest time.

    It follows the straight lines, and parabolas that extend ``radii`` (k,) before and after the
    corners; it stops at corners with radius 0. Limits are per position, (nq,); velocities may be
    infinite. With a ``jerk`` limit, the motion cuts the parabolas on the inside. The limits are
    satisfied at all times if the points are interpolated by quintics, like in ros2_control's
    joint_trajectory_controller. Velocities and accelerations of a quaternion's four entries are
    those of its rotation vector, and a 0. Raises PlanningError if it would take more than a day,
    OutOfTimeError at the deadline.
    """
    limits = np.array([-velocity_limit, velocity_limit, -acceleration_limit, acceleration_limit])
    points, edges = corners.points, corners.segments
    if not len(edges):
        at_rest = np.zeros((1, points.shape[1]))
        return Trajectory(np.zeros(1), points[:1].copy(), at_rest, at_rest.copy())
    if corners.turning:
        return _on_straight_lines(space, corners, limits, jerk, deadline)
    moving = np.flatnonzero(edges.any(axis=0))
    own = np.ascontiguousarray(limits[:, moving])
    own_jerk = jerk and jerk._replace(limits=jerk.limits[moving])
    pieces = [
        (np.ascontiguousarray(points[first : last + 1, moving]), radii[first : last + 1])
        for first, last in itertools.pairwise(np.flatnonzero(radii == 0.0))
    ]
    motions: list[Motion] = []
    for number, piece in enumerate(pieces):
        deadline.check(number, 2 * len(pieces), STEPS)
        motions.append(fastest_motion(piece[0], piece[1], own, own_jerk))
    spacing = _spacing(space, corners, limits, motions)
    timed = []
    for number, (motion, (points_of, _)) in enumerate(zip(motions, pieces, strict=True)):
        deadline.check(len(pieces) + number, 2 * len(pieces), STEPS)
        timed.append(sampled(motion, own, spacing, points_of[[0, -1]], own_jerk))
    times, *joined = _joined(timed)
    rows = np.zeros((3, len(times), points.shape[1]))
    rows[0] = points[0]
    rows[:, :, moving] = joined
    return Trajectory(times, *rows)


def _on_straight_lines(
    space: Space, corners: Corners, limits: Array, jerk: JerkLimit | None, deadline: Deadline
) -> Trajectory:
    """Time straight motions from rest to rest by their completed shares."""
    line = np.array([[0.0], [1.0]])
    own = [_of_share(edge, limits) for edge in corners.segments]
    jerks = [jerk and jerk.of_share(edge) for edge in corners.segments]
    motions = [
        fastest_motion(line, np.zeros(2), share, own_jerk)
        for share, own_jerk in zip(own, jerks, strict=True)
    ]
    spacing = _spacing(space, corners, limits, motions)
    timed: list[Timed] = []
    for first, edge, motion, share, own_jerk in zip(
        corners.points[:-1], corners.segments, motions, own, jerks, strict=True
    ):
        deadline.check(len(timed), len(motions), STEPS)
        times, s, ds, dds = sampled(motion, share, spacing, line, own_jerk)
        positions = np.array([space.between(first, edge, float(done)) for done in s[:, 0]])
        timed.append((times, positions, ds * edge, dds * edge))
    times, positions, velocities, accelerations = _joined(timed)
    positions[-1] = corners.points[-1]
    return Trajectory(times, positions, velocities, accelerations)


def _of_share(edge: Array, limits: Array) -> Array:
    """Return the limits (4, 1) of the completed share of a motion."""
    moved = np.flatnonzero(edge)
    shares = limits[:, moved] / edge[moved]
    backwards = edge[moved] < 0.0
    shares[:, backwards] = shares[[1, 0, 3, 2]][:, backwards]
    least, most = shares.max(axis=1), shares.min(axis=1)
    return np.array([[least[0]], [most[1]], [least[2]], [most[3]]])


def fastest_motion(
    points: Array, radii: Array, limits: Array, jerk: JerkLimit | None = None
) -> Motion:
    """Return the fastest motion along one piece of a path, from rest to rest.

    ``points`` (k, n) are corners, no two neighbors equal, ``radii`` (k,) as for ``lay_segments``,
    ``limits`` (4, n) as for ``fastest_phases``.
    """
    count = len(points)
    limits = limits.copy()
    segments, lengths = np.empty((2 * count - 3, 3, points.shape[1])), np.empty(2 * count - 3)
    lay_segments(points, radii, limits, segments, lengths)
    intervals = count - 1 + (count - 2) * GRID
    phases = np.empty((STRAIGHT_PHASES * (count - 1) + (count - 2) * GRID + 1, PHASE_COLUMNS))
    jerks = np.full(limits.shape[1], np.inf)
    if jerk is not None and jerk.share > 0.0:
        jerks = jerk.limits / jerk.share
    used = fastest_phases(segments, lengths, limits, jerks, np.empty(intervals + 1), phases)
    phases = phases[: used + 1]
    window = min(SMOOTHING_TIME, SMOOTHING_SHARE * float(phases[-1, TIME]))
    if jerk is not None:
        longest = _jerk_window(Motion(segments, phases, INSTANT), jerk.limits)
        # Beyond that, slowing down the motion takes less time than a longer window.
        window = max(window, jerk.share * min(longest, 0.5 * float(phases[-1, TIME])))
    return Motion(segments, phases, window)


def rest_to_rest_time(distances: Array, velocity: Array, acceleration: Array) -> float:
    """Return the durations (s) of quintics from rest to rest within limits, all (n,).

    Example:
        >>> distance, velocity, acceleration = np.array([1.0]), np.array([2.0]), np.array([5.0])
        >>> print(round(rest_to_rest_time(distance, velocity, acceleration), 3))  # s
        1.075
    """
    far = np.abs(distances)
    # Maximum velocity and acceleration of a quintic from rest to rest.
    by_velocity = 15.0 / 8.0 * far / velocity
    by_acceleration = np.sqrt(10.0 / np.sqrt(3.0) * far / acceleration)
    return float(np.maximum(by_velocity, by_acceleration).max(initial=0.0))


def _spacing(space: Space, corners: Corners, limits: Array, motions: list[Motion]) -> float:
    """Return the maximum spacing of a trajectory's points, s."""
    total = sum(motion.duration for motion in motions)
    if not total <= LONGEST_DURATION:
        moved = np.abs(corners.segments).sum(axis=0)
        speed = np.minimum(-limits[0], limits[1])
        rate = np.minimum(-limits[2], limits[3])
        with np.errstate(divide="ignore", invalid="ignore"):
            needed = np.where(moved > 0.0, np.maximum(moved / speed, np.sqrt(moved / rate)), 0.0)
        slowest = int(np.argmax(needed))
        raise PlanningError(
            f"the motion would take {total:.3g} s, more than a day: {space.names[slowest]} is "
            f"limited to a velocity of {speed[slowest]:.3g} and an acceleration of "
            f"{rate[slowest]:.3g}; raise velocity_scale, acceleration_scale, acceleration_limit, "
            "jerk_limit or the joint's own limit"
        )
    return max(SAMPLE_TIME, total / MOST_POINTS)


def sampled(
    motion: Motion, limits: Array, spacing: float, ends: Array, jerk: JerkLimit | None = None
) -> Timed:
    """Return points of the smoothed motion between which quintics satisfy the limits.

    There are points at large changes of acceleration, at least one per ``spacing`` (s), and more
    where the limits are exceeded by more than ALLOWED_EXCESS between two. The remaining excess is
    removed by slowing down the whole motion. Times are whole nanoseconds, as in messages. ``ends``
    (2, n) are the exact first and last positions.
    """
    window, end = motion.window, motion.duration
    times = _times(motion, spacing)
    if jerk is not None:
        slower = jerk.stretch(times, _averages(motion, times)[2])
        times = _times(motion, max(spacing / slower, end / MOST_POINTS))
    excess = _excess(motion, times, limits)
    for _ in range(REFINEMENTS):
        finer = np.empty(2 * len(times) - 1)
        count = write_finer(times, excess, window, finer)
        if count == len(times):
            break
        times = finer[:count]
        excess = _excess(motion, times, limits)
    slower = max(1.0, float(excess.max()), SHORTEST_DURATION / end)
    if jerk is not None:
        slower = max(slower, jerk.stretch(times, _averages(motion, times)[2]))
    slower *= 1.0 + 1.0 / (NANOSECONDS * window)  # rounding can move points past a change
    whole = np.round(slower * NANOSECONDS * times) / NANOSECONDS
    q, v, a = _averages(motion, np.minimum(whole / slower, end))
    q[[0, -1]], v[[0, -1]], a[[0, -1]] = ends, 0.0, 0.0
    return whole, q, v / slower, a / slower**2


def _jerk_window(motion: Motion, limits: Array) -> float:
    """Return the shortest averaging window (s) that satisfies jerk limits (n,).

    The average over a window w changes by (a(t) - a(t - w)) / w in a second.
    """
    starts = motion.jumps
    sides = np.sort(np.append(starts, starts + INSTANT))  # before and after each change
    a = _accelerations(motion, sides)
    shortest = float((np.abs(np.diff(a, axis=0, prepend=0.0)) / limits).max())
    longest = float(((a.max(axis=0) - a.min(axis=0)) / limits).max())
    for window in np.linspace(min(shortest, longest), longest, WINDOWS):
        looks = np.sort(np.append(sides, sides + window))
        change = _accelerations(motion, looks) - _accelerations(motion, looks - window)
        if (np.abs(change) <= ALLOWED_EXCESS * window * limits).all():
            break
    return float(window)


def _accelerations(motion: Motion, times: Array) -> Array:
    """Return accelerations (m, n) of a motion with a window of zero length."""
    return np.asarray(_averages(motion, times.clip(0.0, motion.duration))[2])


def _times(motion: Motion, spacing: float) -> Array:
    """Return times of points: ends, large changes of acceleration, and times in between."""
    times = np.empty(int(motion.duration / spacing) + 2 * len(motion.phases) + 4)
    return times[: write_times(motion.phases, motion.window, spacing, times)]


def _averages(motion: Motion, times: Array) -> Array:
    """Return positions, velocities and accelerations (3, m, n) of the smoothed motion."""
    segments, phases, window = motion
    width = segments.shape[2]
    integrals, samples = np.empty((len(phases), 3, width)), np.empty((3, len(times), width))
    sample_averages(segments, phases, window, times, integrals, samples)
    return samples


def _excess(motion: Motion, times: Array, limits: Array) -> Array:
    """Return the stretches that the quintics between points need, (m - 1,)."""
    excess = np.empty(len(times) - 1)
    q, v, a = _averages(motion, times)
    needed_stretch(times, q, v, a, limits, excess)
    return excess


def _joined(timed: list[Timed]) -> Timed:
    """Concatenate pieces; each starts at rest where the previous one ended."""
    if len(timed) == 1:
        return timed[0]
    ends = np.cumsum([0.0, *(piece[0][-1] for piece in timed)])
    times = [piece[0] + end for piece, end in zip(timed, ends[:-1], strict=True)]
    columns = (times, *([piece[k] for piece in timed] for k in range(1, 4)))
    joined = [np.concatenate([first, *(part[1:] for part in rest)]) for first, *rest in columns]
    return joined[0], joined[1], joined[2], joined[3]
