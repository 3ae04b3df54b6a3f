"""Slowing down of trajectories, as a whole or only where they are too fast."""

from collections.abc import Callable
from dataclasses import replace

import numpy as np
from numpy.lib.stride_tricks import sliding_window_view
from numpy.typing import NDArray

from rigid_tree_kinematics.arrays import Array
from rigid_tree_kinematics.deadline import Deadline
from rigid_tree_kinematics.kinematics import body_transform
from rigid_tree_kinematics.model import CompiledTree
from rigid_tree_kinematics.planning.problem import Trajectory
from rigid_tree_kinematics.planning.timing.sampling_kernels import needed_stretch
from rigid_tree_kinematics.planning.timing.timing import NANOSECONDS
from rigid_tree_kinematics.trajectories import polynomial_at, quintic

Excess = Callable[[Trajectory], Array]  # the required stretch of each part between points

CELL = 0.002  # s, of the grid of the stretch
MOST_CELLS = 50_000
SPILL = 0.1  # s, before and after a part that is too fast, for the transitions
PASSES = 12  # at most, as slowing down causes accelerations itself
MARGIN = 1.01  # times the required stretch, so that few passes suffice
ALLOWED = 1.005  # an excess that is removed by slowing down the whole trajectory
LOOKS = 8  # samples of a link's speed between two points
SPEED_MARGIN = 1.001  # for speeds between two samples


def joint_excess(limits: tuple[Array, Array], moving: NDArray[np.int64]) -> Excess:
    """Return a function of the excess of a trajectory over limits (nq,); see ``Excess``.

    Example:
        >>> planner = MotionPlanner(load_robot("ur5"))
        >>> motion = planner.plan(planner.compiled.home, planner.compiled.home + 0.5).trajectory
        >>> limits = planner.limits(PlanSettings(velocity_scale=0.1))
        >>> print(joint_excess(limits, planner.space.moving)(motion).max().round(1))
        5.0
    """
    velocity, acceleration = (limit[moving] for limit in limits)
    rows = np.array([-velocity, velocity, -acceleration, acceleration])

    def excess(trajectory: Trajectory) -> Array:
        q, v, a = (
            np.ascontiguousarray(values[:, moving])
            for values in (trajectory.positions, trajectory.velocities, trajectory.accelerations)
        )
        found = np.empty(len(trajectory.times) - 1)
        needed_stretch(trajectory.times, q, v, a, rows, found)
        at_points = np.sqrt((np.abs(a) / acceleration).max(axis=1))
        worst: Array = np.maximum(found, np.maximum(at_points[1:], at_points[:-1]))
        return worst

    return excess


def speed_excess(compiled: CompiledTree, body: str, speed: float) -> Excess:
    """Return a function of the excess of the speed of a body's origin over ``speed``, m/s.

    Example:
        >>> planner = MotionPlanner(load_robot("ur5"))
        >>> motion = planner.plan(planner.compiled.home, planner.compiled.home + 0.5).trajectory
        >>> excess = speed_excess(planner.compiled, "tool0", 0.1)  # m/s
        >>> print(excess(motion).max().round(1))
        17.1
    """

    def excess(trajectory: Trajectory) -> Array:
        times = trajectory.times
        spans = np.diff(times)[:, np.newaxis] * (np.arange(LOOKS) / LOOKS)
        looks = np.append((times[:-1, np.newaxis] + spans).ravel(), times[-1])
        q, _, _ = states_at(trajectory, looks)
        places = body_transform(compiled, np.ascontiguousarray(q), body)[:, :3, 3]
        distances = np.linalg.norm(np.diff(places, axis=0), axis=1)
        speeds = (distances / np.diff(looks)).reshape(-1, LOOKS).max(axis=1)
        worst: Array = np.maximum(1.0, SPEED_MARGIN * speeds / speed)
        return worst

    return excess


def states_at(trajectory: Trajectory, times: Array) -> tuple[Array, Array, Array]:
    """Return positions, velocities and accelerations (m, nq) at times (m,) s.

    Between points they are interpolated by quintics; before the first and after the last point
    they are constant.
    """
    last = len(trajectory.times) - 1
    if last == 0:
        rows = np.repeat(trajectory.positions, len(times), axis=0)
        return rows, np.zeros_like(rows), np.zeros_like(rows)
    k = np.clip(np.searchsorted(trajectory.times, times, side="right") - 1, 0, last - 1)
    h = (trajectory.times[k + 1] - trajectory.times[k])[:, np.newaxis]
    s = np.clip(times - trajectory.times[k], 0.0, h[:, 0])[:, np.newaxis]
    q, v, a = trajectory.positions, trajectory.velocities, trajectory.accelerations
    ends = ((q[at], v[at], a[at]) for at in (k, k + 1))
    return polynomial_at(quintic(h, *ends), s)


def slowed(trajectory: Trajectory, stretch: float) -> Trajectory:
    """Return a trajectory stretched in time by ``stretch``; times are whole nanoseconds."""
    return replace(
        trajectory,
        times=np.round(stretch * NANOSECONDS * trajectory.times) / NANOSECONDS,
        velocities=trajectory.velocities / stretch,
        accelerations=trajectory.accelerations / stretch**2,
    )


def eased(trajectory: Trajectory, *limits: Excess, deadline: Deadline) -> Trajectory:
    """Return a trajectory on the same path within limits, slowed down where necessary.

    Other parts keep their duration, except for some tenths of a second. If the deadline passes
    first, the whole trajectory is slowed down.

    Example:
        >>> from rigid_tree_kinematics.deadline import Deadline
        >>> planner = MotionPlanner(load_robot("ur5"))
        >>> motion = planner.plan(planner.compiled.home, planner.compiled.home + 0.5).trajectory
        >>> too_fast = speed_excess(planner.compiled, "tool0", 0.1)  # m/s
        >>> slow = eased(motion, too_fast, deadline=Deadline(10.0))
        >>> print(too_fast(motion).max().round(1), too_fast(slow).max().round(1))
        17.1 1.0
    """
    if len(trajectory.times) < 2:
        return trajectory
    for _ in range(PASSES):
        if deadline.over:
            break
        excess = np.max([limit(trajectory) for limit in limits], axis=0)
        if excess.max() <= ALLOWED:
            break
        trajectory = _slower(trajectory, excess)
    rest = max(float(limit(trajectory).max()) for limit in limits)
    return slowed(trajectory, rest) if rest > 1.0 else trajectory


def _slower(trajectory: Trajectory, excess: Array) -> Trajectory:
    """Return a smoothly slowed trajectory whose parts are stretched by at least ``excess``."""
    times = trajectory.times
    count = int(np.clip(np.ceil(times[-1] / CELL), 20, MOST_CELLS))
    h = times[-1] / count
    wanted = np.ones(count + 1)
    for part in np.flatnonzero(excess > 1.0):
        cells = slice(int(times[part] / h), int(times[part + 1] / h) + 2)
        wanted[cells] = np.maximum(wanted[cells], MARGIN * excess[part])
    reach = max(1, min(round(0.5 * SPILL / h), count // 8))
    # The maximum over a window, averaged twice: nowhere below the required stretch, with a
    # continuous derivative, which affects the accelerations.
    wide = sliding_window_view(np.pad(wanted, 4 * reach, mode="edge"), 4 * reach + 1).max(axis=1)
    box = np.full(2 * reach + 1, 1.0 / (2 * reach + 1))
    slow = np.convolve(np.convolve(wide, box, mode="valid"), box, mode="valid")
    # Time is the integral of the slowness, which is linear in each cell.
    starts = np.append(0.0, np.cumsum(0.5 * h * (slow[1:] + slow[:-1])))
    k = np.clip((times / h).astype(np.int64), 0, count - 1)
    inside = times - k * h
    slope = (slow[k + 1] - slow[k]) / h
    here = slow[k] + slope * inside
    new = starts[k] + inside * (slow[k] + 0.5 * slope * inside)
    factor, change = here[:, np.newaxis], slope[:, np.newaxis]
    return replace(
        trajectory,
        times=np.round(NANOSECONDS * new) / NANOSECONDS,
        velocities=trajectory.velocities / factor,
        accelerations=(trajectory.accelerations - trajectory.velocities * change / factor)
        / factor**2,
    )
