"""Tracking of a moving target, with one IK step per control period."""

import math
from collections.abc import Mapping
from time import perf_counter
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from rigid_tree_kinematics.arrays import Array
from rigid_tree_kinematics.errors import ConfigurationError, ModelError
from rigid_tree_kinematics.ik.chain import IKResult, IKStatus, layout, positive
from rigid_tree_kinematics.ik.search import START, search
from rigid_tree_kinematics.ik.single import NO_REPORT
from rigid_tree_kinematics.ik.solver import InverseKinematics
from rigid_tree_kinematics.kinematics.topology import between, difference
from rigid_tree_kinematics.model.transforms import Pose, checked_pose


class IKTracker:
    """Follows a moving target: each step starts from the previous result and stays near it.

    A step is the damped descent of ``InverseKinematics``, without restarts, inside the box that
    the joints can reach in the time step. So speed limits are always met, the solution never
    jumps to another branch, and errors and speeds stay bounded at singularities and limits. When
    the target stops, the tip converges to it within the tolerances. Joints with an acceleration
    limit (URDF 1.2) look ahead by their stopping distance, and brake in time; the rotation of a
    floating joint is not limited in this way.

    Args:
        ik: an ``InverseKinematics``: body, base, tool, weights, locked joints and tolerances.
        start: the configuration to start from; None is the home configuration.
        speed_scale: fraction of the speed limits to use, above 0, at most 1.
        unlimited_speed: rad/s or m/s, for joints whose description gives no limit.

    Raises ModelError and ConfigurationError. Not thread-safe.

    Example:
        >>> robot = load_robot("panda")
        >>> tracker = IKTracker(InverseKinematics(robot, "panda_link8"))
        >>> target = robot.get_transform(tracker.configuration, "panda_link8")
        >>> target[2, 3] += 0.001  # m, further up in each control cycle
        >>> print(tracker.step(target, dt=0.01).status.value)
        converged
    """

    def __init__(
        self,
        ik: InverseKinematics,
        start: ArrayLike | Mapping[str, Any] | None = None,
        *,
        speed_scale: float = 1.0,
        unlimited_speed: float = 2.0,
    ) -> None:
        if not 0.0 < speed_scale <= 1.0:
            raise ModelError(f"speed_scale must be above 0 and at most 1, not {speed_scale!r}")
        unlimited_speed = positive(unlimited_speed, "unlimited_speed")
        self.ik = ik
        compiled = ik.compiled
        speeds = compiled.velocity_limit
        speeds = np.where(np.isfinite(speeds), speeds, unlimited_speed)
        # (nq,); a quaternion's x, y and z have that of the rotation
        self._speeds = compiled.by_position(speed_scale * speeds)
        limits = compiled.by_position(compiled.acceleration_limit, missing=np.inf)
        for quaternion in compiled.quaternions:
            limits[quaternion] = np.inf
        self._braking = Braking(self._speeds, limits, compiled.lower, compiled.upper)
        self._work = np.empty(ik.work_size)
        self.reset(start)

    @property
    def configuration(self) -> Array:
        """The last result (a copy)."""
        return np.array(self._q)

    def reset(self, configuration: ArrayLike | Mapping[str, Any] | None = None) -> None:
        """Restart from a configuration, clamped to the limits; None: the home configuration."""
        q = self.ik.start(configuration)
        if not np.isfinite(q).all():
            raise ConfigurationError("a tracker starts from finite joint positions")
        self._q = np.clip(q, self.ik.compiled.lower, self.ik.compiled.upper)
        self._braking.reset()

    def step(self, target: Pose, dt: float) -> IKResult:
        """Move toward T_base_tool for ``dt`` seconds and return the new configuration.

        The status is CONVERGED if the target is reached, FOLLOWING if it is not (yet), and
        INVALID_INPUT, with unchanged joints, for an invalid pose. Raises ConfigurationError for a
        time step that is not a positive number.
        """
        started = perf_counter()
        if not (math.isfinite(dt) and dt > 0.0):
            raise ConfigurationError(f"a time step must be positive and finite (s), not {dt!r}")
        ik, chain = self.ik, self.ik.chain
        q = self._q.copy()
        try:
            T = checked_pose(target, "target").copy()
        except ModelError as error:
            seconds = perf_counter() - started
            return ik.result(IKStatus.INVALID_INPUT, q, NO_REPORT, seconds, reason=str(error))
        code = self._search(T, q, self._braking.reach(dt))
        if self._braking.limited.any():
            q = self._braking.step(self._q, q, dt, code == layout.CONVERGED)
            code = self._search(T, q.copy(), np.zeros(len(q)))
        report = self._work[: layout.REPORT].tolist()
        report[layout.CUT] = report[layout.OUT_OF_REACH] = 0.0
        too_fast = chain.ball_count and self._slow_down_balls(q, dt)
        arrived = code == layout.CONVERGED and not too_fast
        status = IKStatus.CONVERGED if arrived else IKStatus.FOLLOWING
        self._q = q
        return ik.result(status, q.copy(), report, perf_counter() - started)

    def _search(self, T: Array, q: Array, reach: Array) -> int:
        """Move ``q`` toward the target by at most ``reach`` (nq,); return the search's code."""
        arrays = self.ik.arrays(self.ik.chain.variables_near(q, reach))
        return search(arrays, T, q, self._work, self.ik.random_seed, 0, self.ik.budget, START)

    def _slow_down_balls(self, q: Array, dt: float) -> bool:
        """Clamp the rotations of floating joints to their speed; return whether any was faster."""
        kinds, chain = self.ik.compiled.position_kinds, self.ik.chain
        change = difference(kinds, self._q, q)
        cut = False
        for entry in chain.entries[np.abs(chain.variables[:, layout.BALL]) == 1.0]:
            turn = change[entry : entry + 3]
            angle, allowed = float(np.linalg.norm(turn)), self._speeds[entry] * dt
            if angle > allowed:
                turn *= allowed / angle
                cut = True
        if cut:
            for quaternion in self.ik.compiled.quaternions:
                q[quaternion] = between(kinds, self._q, change)[quaternion]
        return cut


class Braking:
    """Moves joints toward a moving goal within acceleration limits, so that they can stop there.

    Arrays are (nq,): speeds and accelerations (rad/s, rad/s^2 or m), which may be infinite, and
    limits of positions.
    """

    def __init__(self, speeds: Array, accelerations: Array, lower: Array, upper: Array) -> None:
        self.limited = np.isfinite(accelerations)
        self._speeds, self._lower, self._upper = speeds, lower, upper
        self._a = accelerations[self.limited]
        self.reset()

    def reset(self) -> None:
        """Start at rest."""
        self._v = np.zeros(len(self._a))
        self._goal: Array | None = None  # of the last step, if the target was in reach

    def reach(self, dt: float) -> Array:
        """Return how far each joint may be from the goal of a step."""
        reach: Array = self._speeds * dt
        reach[self.limited] += self._speeds[self.limited] ** 2 / (2.0 * self._a)
        return reach

    def step(self, q: Array, goal: Array, dt: float, in_reach: bool) -> Array:
        """Return the positions after a step from ``q`` toward ``goal``."""
        k = self.limited
        start, end, speeds = q[k], goal[k], self._speeds[k]
        u = np.zeros(len(start)) if self._goal is None else (end - self._goal) / dt
        u = np.clip(u, -speeds, speeds)  # velocity of the goal
        v = u + self._stoppable(end - u * dt - start, dt)
        v = np.clip(v, -speeds, speeds)
        v = np.clip(v, self._v - self._a * dt, self._v + self._a * dt)
        v = np.minimum(v, self._stoppable(np.maximum(self._upper[k] - start, 0.0), dt))
        self._v = np.maximum(v, self._stoppable(np.minimum(self._lower[k] - start, 0.0), dt))
        self._goal = end if in_reach else None
        moved: Array = goal.copy()
        moved[k] = np.clip(start + self._v * dt, self._lower[k], self._upper[k])
        return moved

    def _stoppable(self, distance: Array, dt: float) -> Array:
        """Return the largest velocities that stop within signed distances, in steps of ``dt``.

        A velocity of n * a * dt stops within n (n + 1) / 2 * a * dt^2; linear in between.
        """
        unit = self._a * dt * dt
        far = np.abs(distance) / unit
        with np.errstate(invalid="ignore"):
            n = np.floor(0.5 * (np.sqrt(1.0 + 8.0 * far) - 1.0))
            rest = np.where(np.isinf(far), 0.0, (far - 0.5 * n * (n + 1.0)) / (n + 1.0))
        velocities: Array = np.copysign(self._a * dt * (n + rest), distance)
        return velocities
