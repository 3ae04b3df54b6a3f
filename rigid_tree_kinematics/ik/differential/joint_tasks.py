"""Tasks of joints: the posture and the velocities."""

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

import rigid_tree_kinematics.ik.differential.steps.layout as layout
from rigid_tree_kinematics.arrays import Array, Integers
from rigid_tree_kinematics.ik.differential.tasks import Task, checked_costs, checked_numbers
from rigid_tree_kinematics.model.configuration import check_independent, configuration_vector


class JointTask(Task):
    """A task of single joints; its cost is one number for all, or {joint: cost}."""

    def __init__(
        self,
        name: str,
        cost: float | Mapping[str, float],
        gain: float,
        priority: int,
    ) -> None:
        super().__init__(name, np.zeros(6), gain, 0.0, priority)
        self._costs = cost
        given = cost.values() if isinstance(cost, Mapping) else [cost]
        checked_costs(name, max(given, default=0.0), 0.0)

    def _write(self, row: Integers, numbers: Array) -> int:
        compiled, cost = self._compiled, self._costs
        costs = numbers[layout.VALUES + compiled.position_count :]
        if isinstance(cost, Mapping):
            check_independent(compiled, cost)
            for joint, value in cost.items():
                costs[compiled.windows(joint)[1]] = checked_costs(self.name, value, 0.0)[0]
        else:
            costs[:] = cost
        if self.kind == layout.POSTURE:  # not of floating joints
            costs[~compiled.is_scalar[compiled.position_of_velocity]] = 0.0
        return int(np.count_nonzero(costs))


class PostureTask(JointTask):
    """A configuration; floating joints are ignored.

    Args:
        cost: 1/rad or 1/m, one number for all joints or {joint: cost}.
        gain, priority: see ``Task``.

    Example:
        >>> posture = PostureTask()
        >>> ik = DifferentialIK(load_robot("panda"), [posture])
        >>> target = 0.99 * ik.configuration
        >>> posture.set_target(target)
        >>> print(np.abs(ik.step(0.1).configuration - target).max() < 1e-6)
        True
    """

    kind = layout.POSTURE

    def __init__(
        self,
        cost: float | Mapping[str, float] = 1.0,
        *,
        gain: float = 1.0,
        priority: int = 1,
    ) -> None:
        super().__init__("task of the posture", cost, gain, priority)

    def set_target(self, target: ArrayLike | Mapping[str, Any]) -> None:
        """Set the configuration, in order or by joint name. Raises ConfigurationError."""
        self._target(target)

    def _stay(self, q: Array) -> None:
        self._set(q)

    def _set(self, target: ArrayLike | Mapping[str, Any]) -> None:
        count = self._compiled.position_count
        q = configuration_vector(self._compiled, target)
        self._row()[layout.VALUES : layout.VALUES + count] = q


class JointVelocityTask(JointTask):
    """Joint velocities (nv,), rad/s or m/s; 0 until others are set, which damps the motion.

    Args:
        cost: s/rad or s/m, one number for all joints or {joint: cost}.
        priority: see ``Task``.

    Example:
        >>> turns = JointVelocityTask()
        >>> ik = DifferentialIK(load_robot("panda"), [turns])
        >>> turns.set_target([0.2, 0.0, 0.0, 0.0, 0.0, 0.0, 0.1])
        >>> print(ik.step(0.01).velocity.round(3))
        [0.2 0.  0.  0.  0.  0.  0.1]
    """

    kind = layout.VELOCITY

    def __init__(self, cost: float | Mapping[str, float] = 1.0, *, priority: int = 1) -> None:
        super().__init__("task of the joint velocities", cost, 1.0, priority)

    def set_target(self, target: ArrayLike) -> None:
        """Set the velocities (nv,). Raises ConfigurationError."""
        self._target(target)

    def _stay(self, q: Array) -> None:
        self._set(np.zeros(self._compiled.velocity_count))

    def _set(self, target: ArrayLike) -> None:
        count = self._compiled.velocity_count
        velocities = checked_numbers(target, count, f"{self.name}: the target")
        self._row()[layout.VALUES : layout.VALUES + count] = velocities
