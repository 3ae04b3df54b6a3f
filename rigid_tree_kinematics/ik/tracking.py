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
    the target stops, the tip converges to it within the tolerances.

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
        arrays = ik.arrays(chain.variables_near(q, self._speeds * dt))
        code = search(arrays, T, q, self._work, ik.random_seed, 0, ik.budget, START)
        report = self._work[: layout.REPORT].tolist()
        report[layout.CUT] = report[layout.OUT_OF_REACH] = 0.0
        too_fast = chain.ball_count and self._slow_down_balls(q, dt)
        arrived = code == layout.CONVERGED and not too_fast
        status = IKStatus.CONVERGED if arrived else IKStatus.FOLLOWING
        self._q = q
        return ik.result(status, q.copy(), report, perf_counter() - started)

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
