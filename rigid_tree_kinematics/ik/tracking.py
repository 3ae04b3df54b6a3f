"""Tracking of a moving target, with one step of differential IK per control period."""

from collections.abc import Mapping, Sequence
from time import perf_counter
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

import rigid_tree_kinematics.ik.differential.steps.layout as steps
from rigid_tree_kinematics.arrays import Array
from rigid_tree_kinematics.errors import ModelError
from rigid_tree_kinematics.ik.chain import IKResult, IKStatus, layout, positive
from rigid_tree_kinematics.ik.differential import (
    CollisionBarrier,
    DifferentialIK,
    PlaneBarrier,
    RelativeFrameTask,
)
from rigid_tree_kinematics.ik.search import check
from rigid_tree_kinematics.ik.single import NO_REPORT
from rigid_tree_kinematics.ik.solver import InverseKinematics
from rigid_tree_kinematics.model.transforms import Pose, checked_pose

ITERATIONS = 2  # so that a tip meets a moving target within the tolerances
LM_DAMPING = 1.0  # so that the joints come to rest at a target out of reach


class MultiIKTracker:
    """Follows moving targets of several bodies at once, as ``IKTracker`` does for one.

    Args:
        solvers: one ``InverseKinematics`` of the same robot for each body.
        start, speed_scale, unlimited_speed, barriers: see ``IKTracker``.

    Raises ModelError and ConfigurationError. Not thread-safe.

    Example:
        >>> robot = load_robot("nao")
        >>> hands = [InverseKinematics(robot, hand) for hand in ("l_gripper", "r_gripper")]
        >>> tracker = MultiIKTracker(hands)
        >>> targets = [robot.get_transform(tracker.configuration, ik.body) for ik in hands]
        >>> print([result.status.value for result in tracker.step(targets, dt=0.01)])
        ['converged', 'converged']
    """

    def __init__(
        self,
        solvers: Sequence[InverseKinematics],
        start: ArrayLike | Mapping[str, Any] | None = None,
        *,
        speed_scale: float = 1.0,
        unlimited_speed: float = 2.0,
        barriers: Sequence[PlaneBarrier | CollisionBarrier] = (),
    ) -> None:
        if not 0.0 < speed_scale <= 1.0:
            raise ModelError(f"speed_scale must be above 0 and at most 1, not {speed_scale!r}")
        unlimited_speed = positive(unlimited_speed, "unlimited_speed")
        self.solvers = tuple(solvers)
        if not solvers or any(ik.compiled is not solvers[0].compiled for ik in solvers):
            raise ModelError("a tracker needs solvers, all of the same compiled robot")
        compiled = solvers[0].compiled
        speeds = compiled.velocity_limit
        speeds = speed_scale * np.where(np.isfinite(speeds), speeds, unlimited_speed)
        self._tasks = [_WeightedTask(ik) for ik in solvers]
        self._engine = DifferentialIK(
            compiled,
            self._tasks,
            barriers=barriers,
            locked=dict.fromkeys(joint for ik in solvers for joint in ik.locked),
            velocity_limits={
                name: float(speeds[compiled.windows(name)[1]].min())
                for name in compiled.joint_names
            },
        )
        self._chains = [ik.arrays() for ik in solvers]
        self._report = np.zeros(layout.REPORT)
        self.reset(start)

    @property
    def configuration(self) -> Array:
        """The last result (a copy)."""
        return self._engine.configuration

    def reset(self, configuration: ArrayLike | Mapping[str, Any] | None = None) -> None:
        """Restart from a configuration, clamped to the limits; None: the home configuration."""
        self._engine.reset(self.solvers[0].start(configuration))

    def step(self, targets: Sequence[Pose], dt: float) -> list[IKResult]:
        """Move toward T_base_tool of each solver for ``dt`` seconds; return their results.

        They have the same configuration, and the status CONVERGED or FOLLOWING. Raises ModelError
        for an invalid pose, and ConfigurationError for a time step that is not a positive number.
        """
        started = perf_counter()
        poses = [np.array(checked_pose(target, "target")) for target in targets]
        for task, T in zip(self._tasks, poses, strict=True):
            task.set_target(T)
        q = self._engine.step(dt, ITERATIONS).configuration
        results = []
        for ik, chain, T in zip(self.solvers, self._chains, poses, strict=True):
            arrived = check(chain, T, q, self._report)
            status = IKStatus.CONVERGED if arrived else IKStatus.FOLLOWING
            seconds = perf_counter() - started
            results.append(ik.result(status, q, self._report.tolist(), seconds))
        return results


class IKTracker:
    """Follows a moving target: each step starts from the previous result and stays near it.

    A step is one of ``DifferentialIK``. So limits of positions, speeds and accelerations (URDF
    1.2) are always met, the solution never jumps to another branch, and errors and speeds stay
    bounded at singularities and limits. When the target stops, the tip converges to it within the
    tolerances.

    Args:
        ik: an ``InverseKinematics``: body, base, tool, weights, locked joints and tolerances.
        start: the configuration to start from; None is the home configuration.
        options: ``speed_scale``, fraction of the speed limits to use, above 0, at most 1;
            ``unlimited_speed``, rad/s or m/s, for joints whose description gives no limit, by
            default 2; ``barriers``, distances to keep, as in ``DifferentialIK``.

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
        **options: Any,
    ) -> None:
        self.ik = ik
        self._tracker = MultiIKTracker([ik], start, **options)

    @property
    def configuration(self) -> Array:
        """The last result (a copy)."""
        return self._tracker.configuration

    def reset(self, configuration: ArrayLike | Mapping[str, Any] | None = None) -> None:
        """Restart from a configuration, clamped to the limits; None: the home configuration."""
        self._tracker.reset(configuration)

    def step(self, target: Pose, dt: float) -> IKResult:
        """Move toward T_base_tool for ``dt`` seconds and return the new configuration.

        The status is CONVERGED if the target is reached, FOLLOWING if it is not (yet), and
        INVALID_INPUT, with unchanged joints, for an invalid pose. Raises ConfigurationError for a
        time step that is not a positive number.
        """
        try:
            return self._tracker.step([target], dt)[0]
        except ModelError as error:
            invalid = IKStatus.INVALID_INPUT, self.configuration, NO_REPORT
            return self.ik.result(*invalid, 0.0, reason=str(error))


class _WeightedTask(RelativeFrameTask):
    """The pose of a solver's tool, with the solver's weights along the target's axes."""

    kind = steps.POSE_BY_TARGET

    def __init__(self, ik: InverseKinematics) -> None:
        orientation, position = np.split(ik.settings[:6], 2)
        costs = position, orientation
        super().__init__(ik.body, ik.base, *costs, offset=ik.tool, lm_damping=LM_DAMPING)
