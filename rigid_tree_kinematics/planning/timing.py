"""Times for a path: as fast as the limits of velocity and acceleration allow.

The timing is toppra's: Pham and Pham, "A new approach to time-optimal path parameterization based
on reachability analysis", IEEE Trans. Robotics 34(3), 2018.
"""

from __future__ import annotations

import importlib
import itertools
import logging
import math

import numpy as np

from rigid_tree_kinematics.model.joint_types import QUATERNION, QUATERNION_REST
from rigid_tree_kinematics.model.transforms import Array
from rigid_tree_kinematics.planning.blended_path import (
    BlendedPath,
    MotionFree,
    Movement,
    rounded_pieces,
)
from rigid_tree_kinematics.planning.result import Trajectory
from rigid_tree_kinematics.planning.space import Space

SAMPLE_TIME = 0.02  # s between points of a trajectory, at most
GRID_STEP = 0.02  # rad (m) between the points at which toppra looks at the limits
FEWEST_GRID_POINTS = 30
UNLIMITED = 1e3  # rad/s (m/s); toppra takes no infinity


class TimingError(Exception):
    """The timing library found no timing."""


def load_timing() -> None:
    """Import toppra, which takes some tenths of a second; the first timing does it otherwise."""
    importlib.import_module("toppra.algorithm")


def time_path(
    space: Space,
    path: Array,
    velocity_limit: Array,
    acceleration_limit: Array,
    free: MotionFree | None,
    movement: Movement,
) -> Trajectory:
    """Return a trajectory along ``path`` (k, nq) from rest to rest.

    It keeps to the straight ways, but for corners that can be rounded freely; elsewhere it stops
    at them. Limits (nq,) are per position; infinite ones count as 1,000 rad/s or m/s.
    ``free`` and ``movement`` are those of ``rounded_pieces``.
    """
    moving = np.flatnonzero(np.ptp(path, axis=0) > 0.0)
    if len(path) < 2 or not len(moving):
        still = np.zeros((1, path.shape[1]))
        return Trajectory(np.zeros(1), path[:1].copy(), still, still.copy())
    if np.isin(space.kinds[moving], (QUATERNION, QUATERNION_REST)).any():
        return _by_straight_ways(space, path, velocity_limit, acceleration_limit)

    def whole(part: Array) -> Array:
        q = path[0].copy()
        q[moving] = part
        return q

    def part_free(a: Array, b: Array) -> bool:
        return free is not None and free(whole(a), whole(b))

    def part_movement(difference: Array) -> float:
        all_of_it = np.zeros(path.shape[1])
        all_of_it[moving] = difference
        return movement(all_of_it)

    corners = np.ascontiguousarray(path[:, moving])
    pieces = rounded_pieces(corners, part_free if free is not None else None, part_movement)
    speed = np.minimum(velocity_limit[moving], UNLIMITED)
    timed = [_timed(piece, speed, acceleration_limit[moving]) for piece in pieces]
    times, positions, velocities, accelerations = _joined(timed)
    out = np.tile(path[0], (len(times), 1))
    out[:, moving] = positions
    out[-1] = path[-1]
    rates = np.zeros((2, *out.shape))
    rates[0][:, moving], rates[1][:, moving] = velocities, accelerations
    return Trajectory(times, out, rates[0], rates[1])


Timed = tuple[Array, Array, Array, Array]


def _timed(piece: BlendedPath, speed: Array, acceleration: Array) -> Timed:
    """Return times, positions, velocities and accelerations along one piece."""
    import toppra
    from toppra.algorithm import TOPPRA
    from toppra.constraint import (
        DiscretizationType,
        JointAccelerationConstraint,
        JointVelocityConstraint,
    )

    logging.getLogger("toppra").setLevel(logging.ERROR)
    grid = [
        np.linspace(
            low, high, max(FEWEST_GRID_POINTS, int((high - low) / GRID_STEP)), endpoint=False
        )
        for low, high in zip(piece.breaks[:-1], piece.breaks[1:], strict=True)
        if high > low
    ]
    gridpoints = np.append(np.concatenate(grid), piece.duration)
    constraints = [
        JointVelocityConstraint(np.column_stack([-speed, speed])),
        JointAccelerationConstraint(
            np.column_stack([-acceleration, acceleration]), DiscretizationType.Interpolation
        ),
    ]
    problem = TOPPRA(
        constraints,
        _as_toppra(piece),
        gridpoints=gridpoints,
        solver_wrapper="seidel",
        parametrizer="ParametrizeConstAccel",
    )
    curve = problem.compute_trajectory(0, 0)
    if curve is None:
        raise TimingError(f"toppra {toppra.__version__} found no timing for the path")
    count = max(2, int(np.ceil(curve.duration / SAMPLE_TIME)) + 1)
    times = np.linspace(0.0, curve.duration, count)
    samples = [curve(times), curve(times, 1), curve(times, 2)]
    samples[0][0], samples[0][-1] = piece(0.0), piece(piece.duration)
    samples[1][0] = samples[1][-1] = 0.0
    # toppra keeps the limits at its grid points only: between them they are passed by a little.
    slower = max(
        1.0,
        float((np.abs(samples[1]) / speed).max()),
        math.sqrt(float((np.abs(samples[2]) / acceleration).max())),
    )
    return slower * times, samples[0], samples[1] / slower, samples[2] / slower**2


def _as_toppra(piece: BlendedPath) -> object:
    from toppra.interpolator import AbstractGeometricPath

    class Path(AbstractGeometricPath):
        dof = property(lambda self: piece.dof)
        path_interval = property(lambda self: piece.path_interval)
        duration = property(lambda self: piece.duration)
        waypoints = property(lambda self: (piece.breaks, piece(piece.breaks)))

        def __call__(self, s: float | Array, order: int = 0) -> Array:
            return piece(s, order)

    return Path()


def _joined(timed: list[Timed]) -> Timed:
    """Put pieces after each other; each begins at rest where the one before ended."""
    joined = [list(timed[0])]
    end = timed[0][0][-1]
    for piece in timed[1:]:
        joined.append([piece[0][1:] + end, *(values[1:] for values in piece[1:])])
        end = joined[-1][0][-1]
    times, positions, velocities, accelerations = (
        np.concatenate([part[k] for part in joined]) for k in range(4)
    )
    return times, positions, velocities, accelerations


def _by_straight_ways(
    space: Space, path: Array, velocity_limit: Array, acceleration_limit: Array
) -> Trajectory:
    """Time a path with rotations: straight ways from rest to rest, as one number each.

    Velocities and accelerations of a quaternion's four entries are those of its rotation vector,
    and a 0.
    """
    parts: list[Timed] = []
    for first, last in itertools.pairwise(path):
        difference = space.difference(first, last)
        moved = np.flatnonzero(difference)
        size = np.abs(difference[moved])
        line = BlendedPath(np.array([[0.0], [1.0]]), np.zeros(2))
        speed = np.array([(np.minimum(velocity_limit[moved], UNLIMITED) / size).min()])
        rate = np.array([(acceleration_limit[moved] / size).min()])
        times, s, ds, dds = _timed(line, speed, rate)
        positions = np.array([space.between(first, difference, float(t)) for t in s[:, 0]])
        parts.append((times, positions, ds * difference, dds * difference))
    times, positions, velocities, accelerations = _joined(parts)
    return Trajectory(times, positions, velocities, accelerations)
