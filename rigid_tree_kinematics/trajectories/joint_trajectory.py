"""Joint trajectories of drivers: waypoints in time, and their interpolation."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from rigid_tree_kinematics.arrays import Array
from rigid_tree_kinematics.errors import ConfigurationError, UnknownNameError
from rigid_tree_kinematics.model import CompiledTree
from rigid_tree_kinematics.text import told_apart

LIMIT_SLACK = 1e-3  # rad or m; smaller violations of a joint's limits are rounding errors
TURN = 2.0 * np.pi

State = tuple[Array, Array, Array]  # positions, velocities, accelerations


class JointNamesError(ConfigurationError):
    """A trajectory has joints that the robot does not have, or one twice."""


@dataclass(frozen=True, eq=False)
class Waypoints:
    """Desired values of some of a robot's positions at times after the start.

    ``times`` (N,) are in s; ``positions``, ``velocities`` and ``accelerations`` (N, k) in rad, m
    and their rates, ``slots`` (k,) their indices in a configuration.
    """

    names: tuple[str, ...]
    slots: NDArray[np.int64]
    times: Array
    positions: Array
    velocities: Array | None
    accelerations: Array | None


def checked_waypoints(
    compiled: CompiledTree,
    names: Sequence[str],
    times: ArrayLike,
    positions: Sequence[Sequence[float]],
    velocities: Sequence[Sequence[float]] | None = None,
    accelerations: Sequence[Sequence[float]] | None = None,
) -> Waypoints:
    """Return validated waypoints for a robot.

    Raises JointNamesError for names that the robot does not have and for floating joints, which
    have no motor, and ConfigurationError for times that do not increase, and for numbers that are
    missing, not finite or outside the joints' limits.
    """
    slots = _slots(compiled, names)
    at = np.array(times, dtype=np.float64)
    if not len(at):
        raise ConfigurationError("the trajectory has no points")
    if not np.isfinite(at).all() or at[0] < 0.0 or (np.diff(at) <= 0.0).any():
        raise ConfigurationError(f"the times of the points do not increase from 0: {at.tolist()}")
    where = _rows(names, len(at), positions, "positions")
    low, high = compiled.lower[slots], compiled.upper[slots]
    outside = (where < low - LIMIT_SLACK) | (where > high + LIMIT_SLACK)
    if outside.any():
        row, column = np.argwhere(outside)[0]
        value, lowest, highest = told_apart(where[row, column], low[column], high[column])
        raise ConfigurationError(
            f"point {row + 1} brings {names[column]} to {value}, outside its limits "
            f"[{lowest}, {highest}]"
        )
    return Waypoints(
        tuple(names),
        slots,
        at,
        np.clip(where, low, high),
        None if velocities is None else _rows(names, len(at), velocities, "velocities"),
        None if accelerations is None else _rows(names, len(at), accelerations, "accelerations"),
    )


def _slots(compiled: CompiledTree, names: Sequence[str]) -> NDArray[np.int64]:
    if not names:
        raise JointNamesError("the trajectory names no joints")
    if len(set(names)) < len(names):
        raise JointNamesError(f"a joint is given twice: {', '.join(names)}")
    known = {name: slot for slot, name in enumerate(compiled.position_names)}
    for name in names:
        if name not in known:
            where = f"robot '{compiled.name}'"
            raise JointNamesError(str(UnknownNameError("independent joint", name, known, where)))
        if not compiled.is_scalar[known[name]]:
            raise JointNamesError(f"{name} belongs to a floating joint, which has no motor")
    return np.array([known[name] for name in names], dtype=np.int64)


def _rows(names: Sequence[str], points: int, rows: Sequence[Sequence[float]], what: str) -> Array:
    if len(rows) != points:
        raise ConfigurationError(
            f"there must be as many {what} as times, {points}, not {len(rows)}"
        )
    for number, row in enumerate(rows, start=1):
        if len(row) != len(names):
            raise ConfigurationError(
                f"point {number} has {len(row)} {what} for {len(names)} joints"
            )
    values = np.array(rows, dtype=np.float64)
    if not np.isfinite(values).all():
        number = 1 + int(np.argwhere(~np.isfinite(values))[0, 0])
        raise ConfigurationError(f"point {number} has {what} that are not finite")
    return values


class JointTrajectory:
    """A motion through waypoints from the current state of the joints.

    The interpolation is linear if waypoints have positions only, cubic with velocities, quintic
    with accelerations, too (like ros2_control's joint_trajectory_controller). A continuous joint
    starts in the shorter direction. After the last waypoint the joints are at rest.

    Args:
        waypoints: the desired positions.
        begin: positions, velocities and accelerations (k,) at time 0.
        circular: (k,) which positions are equal modulo a turn.
    """

    def __init__(
        self, waypoints: Waypoints, begin: tuple[Array, Array, Array], circular: NDArray[np.bool_]
    ) -> None:
        self.waypoints = waypoints
        count = len(waypoints.names)
        q, v, a = waypoints.positions, waypoints.velocities, waypoints.accelerations
        turns = np.where(circular, np.round((q[0] - begin[0]) / TURN), 0.0)
        times = waypoints.times
        if times[0] > 0.0:
            times = np.concatenate(([0.0], times))
            q = np.vstack((begin[0] + TURN * turns, q))
            v = v if v is None else np.vstack((begin[1], v))
            a = a if a is None else np.vstack((begin[2], a))
        # A continuous joint keeps its number of turns.
        self._times, self._positions = times, q - TURN * turns
        spans = np.diff(times)[:, None]
        self._coefficients = np.zeros((6, len(spans), count))
        if len(spans):
            _fill(self._coefficients, spans, self._positions, v, a)

    @property
    def duration(self) -> float:
        """The time of the last waypoint, s."""
        return float(self._times[-1])

    def sample(self, time: float) -> State:
        """Return positions, velocities and accelerations (k,) at a time after the start."""
        if time >= self._times[-1] or not len(self._coefficients[0]):
            rest = np.zeros(self._positions.shape[1])
            return self._positions[-1].copy(), rest, rest.copy()
        k = max(int(np.searchsorted(self._times, time, side="right")) - 1, 0)
        s = max(time - self._times[k], 0.0)
        return polynomial_at(self._coefficients[:, k], s)


def polynomial_at(coefficients: Array, t: Array | float) -> State:
    """Return polynomials and their first two derivatives at times; coefficients are (6, ...)."""
    c0, c1, c2, c3, c4, c5 = coefficients
    q = c0 + t * (c1 + t * (c2 + t * (c3 + t * (c4 + t * c5))))
    v = c1 + t * (2.0 * c2 + t * (3.0 * c3 + t * (4.0 * c4 + t * 5.0 * c5)))
    a = 2.0 * c2 + t * (6.0 * c3 + t * (12.0 * c4 + t * 20.0 * c5))
    return q, v, a


def quintic(t: Array, first: State, last: State) -> Array:
    """Return the coefficients (6, ...) of quintics over durations ``t`` by both ends' states."""
    (q0, v0, a0), (q1, v1, a1) = first, last
    # The differences from a motion of constant acceleration, by Hermite's conditions.
    q = q1 - q0 - v0 * t - 0.5 * a0 * t**2
    v = v1 - v0 - a0 * t
    a = a1 - a0
    cubic = 10.0 * q / t**3 - 4.0 * v / t**2 + 0.5 * a / t
    quartic = -15.0 * q / t**4 + 7.0 * v / t**3 - a / t**2
    quintic = 6.0 * q / t**5 - 3.0 * v / t**4 + 0.5 * a / t**3
    return np.array((q0, v0, 0.5 * a0, cubic, quartic, quintic))


def _fill(c: Array, t: Array, q: Array, v: Array | None, a: Array | None) -> None:
    """Write the polynomials' coefficients (6, segments, k) for spans ``t`` (segments, 1)."""
    c[0] = q[:-1]
    difference = q[1:] - q[:-1]
    if v is None:
        c[1] = difference / t
        return
    c[1] = v[:-1]
    if a is None:
        c[2] = 3.0 * difference / t**2 - (2.0 * v[:-1] + v[1:]) / t
        c[3] = -2.0 * difference / t**3 + (v[:-1] + v[1:]) / t**2
        return
    c[:] = quintic(t, (q[:-1], v[:-1], a[:-1]), (q[1:], v[1:], a[1:]))
