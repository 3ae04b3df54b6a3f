"""DifferentialIK: joint velocities for several tasks, within limits and barriers."""

import math
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

import rigid_tree_kinematics.ik.differential.steps.layout as layout
from rigid_tree_kinematics.arrays import Array, Integers
from rigid_tree_kinematics.errors import ConfigurationError, ModelError
from rigid_tree_kinematics.ik.chain import positive
from rigid_tree_kinematics.ik.differential.barriers import PlaneBarrier
from rigid_tree_kinematics.ik.differential.near import CollisionBarrier, NearBodies
from rigid_tree_kinematics.ik.differential.result import DifferentialStep
from rigid_tree_kinematics.ik.differential.steps.step_kernels import brake, step
from rigid_tree_kinematics.ik.differential.tasks import Task
from rigid_tree_kinematics.kernels.extension import bound
from rigid_tree_kinematics.kinematics.arguments import Tree, compiled_of
from rigid_tree_kinematics.model import CompiledTree
from rigid_tree_kinematics.model.configuration import check_independent, configuration_vector
from rigid_tree_kinematics.model.joints import CIRCLE

MOST_NEAR = 80  # pairs of bodies with a barrier in a step: the nearest ones
DAMPING = 1e-6  # lags by 1e-5 of a step where a singular value of the weighted Jacobian is 0.3


class DifferentialIK:
    """Computes joint velocities for several tasks, one step at a time.

    Each step solves one strictly convex quadratic program for each priority. Positions,
    velocities and accelerations always stay within their limits: joints brake in time for their
    limits, and for resting targets. The state after a step is the start of the next one.

    Args:
        robot: a tree, or its ``compiled()`` arrays.
        tasks: what to do; without a target, a task stays where it is at the start.
        start: configuration (nq,) or {joint: position}; None: the home configuration.
        barriers: distances to keep.
        locked: joints that do not move.
        velocity_limits, acceleration_limits: {joint: limit} in rad or m and s, in place of the
            robot's.
        damping: squared cost of velocities, which keeps them finite at singularities.

    Raises ModelError, UnknownNameError and ConfigurationError. Not thread-safe.

    Example:
        >>> robot = load_robot("panda")
        >>> hand = FrameTask("panda_link8")
        >>> ik = DifferentialIK(robot, [hand, PostureTask(priority=2)])
        >>> target = robot.get_transform(ik.configuration, "panda_link8")
        >>> target[0, 3] += 0.05  # m
        >>> hand.set_target(target)
        >>> for _ in range(100):
        ...     step = ik.step(0.01)  # s
        >>> print(np.abs(hand.error).max() < 1e-6, step.message)
        True Followed.
    """

    def __init__(
        self,
        robot: Tree,
        tasks: Sequence[Task],
        *,
        start: ArrayLike | Mapping[str, Any] | None = None,
        barriers: Sequence[PlaneBarrier | CollisionBarrier] = (),
        locked: Iterable[str] = (),
        velocity_limits: Mapping[str, float] | None = None,
        acceleration_limits: Mapping[str, float] | None = None,
        damping: float = DAMPING,
    ) -> None:
        self.compiled = compiled = compiled_of(robot)
        self.tasks = tuple(sorted(tasks, key=lambda task: task.priority))
        nq, nv = compiled.position_count, compiled.velocity_count
        rows = np.zeros((len(tasks), layout.TASK_COLUMNS), dtype=np.int64)
        numbers = np.zeros((len(tasks), layout.VALUES + nq + nv))
        given = zip(self.tasks, rows, numbers, strict=True)
        counts = [task.write(compiled, row, own) for task, row, own in given]
        joints = _joints(compiled, locked, velocity_limits or {}, acceleration_limits or {})
        of_planes = [barrier for barrier in barriers if isinstance(barrier, PlaneBarrier)]
        others = [barrier for barrier in barriers if isinstance(barrier, CollisionBarrier)]
        if len(others) > 1:
            raise ModelError("at most one CollisionBarrier can be used, with all bodies")
        planes = [barrier.planes(compiled) for barrier in of_planes]
        self.plane_names = tuple(name for barrier in of_planes for name in barrier.names)
        self._program = layout.make_program(
            compiled,
            rows,
            numbers,
            joints,
            np.vstack([np.empty((0, layout.PLANE_COLUMNS)), *planes]),
            pairs=MOST_NEAR if others else 0,
            rows=sum(counts),
            damping=positive(damping, "damping"),
        )
        self._near = NearBodies(others[0], compiled, self._program) if others else None
        self._size = nq + 2 * nv + 1 + len(self.plane_names) + len(self._program.near)
        state = np.zeros(self._size)
        self._timing: tuple[float, int] | None = None
        self._step = bound(step, (self._program,), (state,), (), state.copy(), self._step_anyway)
        self.reset(start)

    @property
    def configuration(self) -> Array:
        """The positions (nq,) after the last step (a copy)."""
        return np.array(self._state[: self.compiled.position_count])

    @property
    def velocity(self) -> Array:
        """The velocities (nv,) of the last step (a copy)."""
        nq = self.compiled.position_count
        return np.array(self._state[nq : nq + self.compiled.velocity_count])

    def reset(
        self,
        configuration: ArrayLike | Mapping[str, Any] | None = None,
        velocity: ArrayLike | None = None,
    ) -> None:
        """Restart from a configuration (None: home), clamped to the limits, and velocities (nv,).

        Tasks without a target stay where they are there. Raises ConfigurationError.
        """
        compiled = self.compiled
        q = configuration_vector(
            compiled, compiled.home if configuration is None else configuration
        )
        q = np.clip(q, compiled.lower, compiled.upper)
        self.place(q, np.zeros(compiled.velocity_count) if velocity is None else velocity)
        if self._near is not None:
            self._near.reset()
        for task in self.tasks:
            task.start(q)

    def place(self, configuration: ArrayLike, velocity: ArrayLike) -> None:
        """Continue from a state (nq,), (nv,), such as a measured one; targets remain.

        Joints beyond their limits can only move back. Raises ConfigurationError.
        """
        nq, nv = self.compiled.position_count, self.compiled.velocity_count
        v = np.array(velocity, dtype=np.float64)
        if v.shape != (nv,) or not np.isfinite(v).all():
            raise ConfigurationError(f"velocities are {nv} finite numbers, not {velocity!r}")
        state = np.zeros(self._size)
        state[:nq], state[nq : nq + nv] = configuration_vector(self.compiled, configuration), v
        self._state = state

    def step(self, dt: float, iterations: int = 1) -> DifferentialStep:
        """Move for ``dt`` seconds toward the tasks' targets and return the new state.

        The first of the ``iterations`` linearizes the tasks at the start, the others at the end
        that the one before has found: a second one lowers the errors of fast motions.
        Raises ConfigurationError for a time step that is not a positive number.
        """
        if (dt, iterations) != self._timing:
            self._set_timing(dt, iterations)
        near, before = self._near, self._state
        if near is None:
            self._state = self._step(before)
            return self._result(self._state.copy())
        near.update(before, dt)
        after = self._step(before)
        if not near.is_safe(after) and near.add_others(before):
            after = self._step(before)
        if not near.is_safe(after):
            brake(self._program, before, after)
        self._state = after
        return self._result(after.copy(), near.rows)

    def _set_timing(self, dt: float, iterations: int) -> None:
        if not 0.0 < dt < math.inf:
            raise ConfigurationError(f"a time step must be positive and finite (s), not {dt!r}")
        settings = self._program.settings
        settings[layout.PERIOD], settings[layout.ITERATIONS] = dt, iterations
        self._timing = dt, iterations

    def _result(self, numbers: Array, near: Integers | None = None) -> DifferentialStep:
        # The constructor of a frozen dataclass takes a tenth of the time of a step.
        result = object.__new__(DifferentialStep)
        result.__dict__.update(
            numbers=numbers, compiled=self.compiled, barrier_names=self.barrier_names, near=near
        )
        return result

    def barrier_names(self, step: DifferentialStep) -> tuple[str, ...]:
        """Return the names of all barriers in a step, planes first."""
        if self._near is None or step.near is None:
            return self.plane_names
        return self.plane_names + self._near.names(step.near, step.configuration)

    def _step_anyway(self, state: Array) -> Array:
        out = np.empty(self._size)
        if not step(self._program, state, out):
            raise ConfigurationError("the step has no finite solution; check targets and limits")
        return out


def _joints(
    compiled: CompiledTree,
    locked: Iterable[str],
    velocity_limits: Mapping[str, float],
    acceleration_limits: Mapping[str, float],
) -> Array:
    """Return the kernels' rows of joints (nv, JOINT_COLUMNS)."""
    locked = tuple(locked)
    check_independent(compiled, [*locked, *velocity_limits, *acceleration_limits])
    joints = np.zeros((compiled.velocity_count, layout.JOINT_COLUMNS))
    slots = compiled.position_of_velocity
    joints[:, layout.LOWER], joints[:, layout.UPPER] = compiled.lower[slots], compiled.upper[slots]
    joints[:, layout.SPEED] = compiled.velocity_limit
    joints[:, layout.ACCELERATION] = compiled.acceleration_limit
    joints[:, layout.SLOT] = np.where(compiled.is_scalar[slots], slots, -1)
    joints[:, layout.CIRCULAR] = compiled.position_kinds[slots] == CIRCLE
    joints[:, layout.FREE] = 1.0
    for joint in locked:
        joints[compiled.windows(joint)[1], layout.FREE] = 0.0
    for column, limits in (
        (layout.SPEED, velocity_limits),
        (layout.ACCELERATION, acceleration_limits),
    ):
        for joint, limit in limits.items():
            if not limit > 0.0:
                raise ModelError(f"a limit of joint '{joint}' must be above 0, not {limit!r}")
            joints[compiled.windows(joint)[1], column] = limit
    return joints
