"""Tasks of differential inverse kinematics, with pink's names and units.

A task has an error e (m, rad). In each step it asks for the velocity that removes the share
``gain`` of the error, and that of its moving target. Costs are per m or rad (position and
orientation) or per rad or m of a joint; the square of cost times deviation is minimized.
Tasks with priority 1 are as well satisfied as the limits and barriers allow. Those with priority 2
use only the freedom that these leave, and so on. Tasks with priority 0 are constraints.
"""

from abc import ABC, abstractmethod
from typing import Any, ClassVar

import numpy as np
from numpy.typing import ArrayLike

import rigid_tree_kinematics.ik.differential.steps.layout as layout
from rigid_tree_kinematics.arrays import Array, Integers
from rigid_tree_kinematics.errors import ConfigurationError, ModelError
from rigid_tree_kinematics.ik.chain import unsigned
from rigid_tree_kinematics.ik.search.search import is_rigid
from rigid_tree_kinematics.kernels import MATRIX, VECTOR, kernel, types
from rigid_tree_kinematics.kernels.extension import bound
from rigid_tree_kinematics.kinematics import body_transform, center_of_mass
from rigid_tree_kinematics.model import CompiledTree
from rigid_tree_kinematics.model.transforms import (
    Pose,
    checked_pose,
    inverse,
    rotation_taking_z_to,
    transform,
)


@kernel(types.boolean(MATRIX, VECTOR))
def write_pose(T: Array, out: Array) -> bool:
    """Write a transform (4, 4) to ``out`` (12,) if it is rigid; return whether it is."""
    if not is_rigid(T):
        return False
    for k in range(12):
        out[k] = T[k // 4, k % 4]
    return True


class Task(ABC):
    """Base class of all tasks; a task belongs to one ``DifferentialIK``.

    Args:
        name: what the task is about, for messages.
        cost: (6,), of its error's entries.
        gain: share of the error that a step removes, above 0, at most 1.
        lm_damping: Levenberg-Marquardt damping in proportion to the squared error.
        priority: 0 for a constraint; 1, 2, ... for objectives, the lowest number first.
    """

    kind: ClassVar[int]

    def __init__(
        self, name: str, cost: Array, gain: float, lm_damping: float, priority: int
    ) -> None:
        self.name = name
        if not 0.0 < gain <= 1.0:
            raise ModelError(f"{name}: the gain must be above 0 and at most 1, not {gain!r}")
        if not (np.isfinite(lm_damping) and lm_damping >= 0.0):
            raise ModelError(f"{name}: lm_damping must not be negative, but is {lm_damping!r}")
        self.priority = unsigned(priority, f"{name}: the priority")
        self.gain, self.lm_damping, self._cost = gain, lm_damping, cost
        self._numbers: Array | None = None
        self._given: Any = None  # a target that was set before the task was used

    def __repr__(self) -> str:
        return f"{type(self).__name__}({self.name}, priority {self.priority})"

    @property
    def error(self) -> Array:
        """The error (6,) where the last step linearized it, its start: m, then rad."""
        return np.array(self._row()[layout.ERROR : layout.ERROR + 6])

    def write(self, compiled: CompiledTree, row: Integers, numbers: Array) -> int:
        """Write the task's entries of ``tasks`` and ``numbers``; return its number of rows.

        Raises ModelError if it belongs to another engine, and UnknownNameError.
        """
        if self._numbers is not None:
            raise ModelError(f"{self.name} is already used; make a task for each DifferentialIK")
        row[layout.KIND], row[layout.PRIORITY] = self.kind, self.priority
        numbers[layout.GAIN], numbers[layout.LM_DAMPING] = self.gain, self.lm_damping
        numbers[layout.COST : layout.COST + 6] = self._cost
        numbers[layout.FRAME : layout.FRAME + 12] = np.eye(4)[:3].ravel()
        self._numbers = numbers
        self._compiled = compiled
        return self._write(row, numbers)

    def start(self, q: Array) -> None:
        """Prepare for a first step at ``q`` (nq,); without a target, the task stays there."""
        self._row()[layout.FOLLOWS] = 0.0
        if self._given is None:
            self._stay(q)
        else:
            self._set(self._given)

    def _row(self) -> Array:
        if self._numbers is None:
            raise ModelError(f"{self.name} is not used by a DifferentialIK yet")
        return self._numbers

    def _target(self, target: Any) -> None:
        self._given = target
        if self._numbers is not None:
            self._set(target)

    def _write(self, row: Integers, numbers: Array) -> int:
        return int(np.count_nonzero(self._cost))

    @abstractmethod
    def _stay(self, q: Array) -> None:
        """Make the pose at ``q`` the target."""

    @abstractmethod
    def _set(self, target: Any) -> None:
        """Write a target."""


class RelativeFrameTask(Task):
    """A frame's pose in the frame of another body, such as one hand's in the other's.

    Args:
        frame: name of a body.
        root: name of the other body.
        position_cost: 1/m, one number or three, along the frame's axes; 0: free.
        orientation_cost: 1/rad, likewise, about the frame's axes.
        offset: T_body_frame, if the frame is not that of the body.
        gain, lm_damping, priority: see ``Task``.

    Example:
        >>> hands = RelativeFrameTask("l_gripper", "r_gripper")  # stay as they are at the start
        >>> ik = DifferentialIK(load_robot("nao_v4_h21"), [hands])
        >>> ik.step(0.01).message
        'Followed.'
    """

    kind = layout.POSE

    def __init__(
        self,
        frame: str,
        root: str,
        position_cost: ArrayLike = 1.0,
        orientation_cost: ArrayLike = 1.0,
        *,
        offset: Pose | None = None,
        gain: float = 1.0,
        lm_damping: float = 0.0,
        priority: int = 1,
    ) -> None:
        name = f"task of frame '{frame}'"
        costs = checked_costs(name, position_cost, orientation_cost)
        super().__init__(name, costs, gain, lm_damping, priority)
        self.frame, self.root = frame, root
        self.offset = np.eye(4) if offset is None else checked_pose(offset, f"{name}: offset")
        T = np.eye(4)
        self._write_target = bound(write_pose, (), (T,), (), np.empty(12), self._write_checked)

    def set_target(self, target: Pose) -> None:
        """Set T_root_target. Raises ModelError if it is not a pose."""
        if self._numbers is None:
            self._given = checked_pose(target, f"{self.name}: the target")
        else:
            self._write_target(target, self._place)
            self._given = np.array(target)

    def _write(self, row: Integers, numbers: Array) -> int:
        row[layout.BODY] = self._compiled.index_of(self.frame)
        row[layout.ROOT] = self._compiled.index_of(self.root) if self.root else 0
        numbers[layout.FRAME : layout.FRAME + 12] = self.offset[:3].ravel()
        self._place = numbers[layout.TARGET : layout.TARGET + 12]
        return super()._write(row, numbers)

    def _write_checked(self, target: Pose, out: Array) -> Array:
        out[:] = checked_pose(target, f"{self.name}: the target")[:3].ravel()
        return out

    def _stay(self, q: Array) -> None:
        root = body_transform(self._compiled, q, self.root) if self.root else np.eye(4)
        frame = body_transform(self._compiled, q, self.frame) @ self.offset
        self._set(inverse(root) @ frame)

    def _set(self, target: Pose) -> None:
        self._write_target(target, self._place)


class FrameTask(RelativeFrameTask):
    """A frame's pose in the base frame.

    Args: those of ``RelativeFrameTask`` without ``root``.

    Example:
        >>> robot = load_robot("panda")
        >>> task = FrameTask("panda_link8", position_cost=1.0, orientation_cost=0.0)
        >>> ik = DifferentialIK(robot, [task])
        >>> target = robot.get_transform(ik.configuration, "panda_link8")
        >>> target[2, 3] += 0.001  # m
        >>> task.set_target(target)
        >>> print(ik.step(0.01).status.value)
        followed
    """

    def __init__(
        self,
        frame: str,
        position_cost: ArrayLike = 1.0,
        orientation_cost: ArrayLike = 1.0,
        **options: Any,
    ) -> None:
        super().__init__(frame, "", position_cost, orientation_cost, **options)


class ComTask(Task):
    """The center of mass in the base frame; the target is a point (3,), m.

    Args:
        cost: 1/m, one number or three along the base's axes; 0: free.
        gain, lm_damping, priority: see ``Task``.

    Example:
        >>> balance = ComTask(cost=(1.0, 1.0, 0.0))  # any height
        >>> ik = DifferentialIK(load_robot("panda"), [balance])
        >>> balance.set_target([0.0, 0.0, 0.0])
        >>> steps = [ik.step(0.01) for _ in range(100)]
        >>> print(np.abs(balance.error[:2]).max() < 1e-6)
        True
    """

    kind = layout.CENTER_OF_MASS

    def __init__(
        self,
        cost: ArrayLike = 1.0,
        *,
        gain: float = 1.0,
        lm_damping: float = 0.0,
        priority: int = 1,
    ) -> None:
        name = "task of the center of mass"
        super().__init__(name, checked_costs(name, cost, 0.0), gain, lm_damping, priority)

    def set_target(self, target: ArrayLike) -> None:
        """Set the target (3,), m. Raises ConfigurationError."""
        self._target(checked_numbers(target, 3, f"{self.name}: the target"))

    def _write(self, row: Integers, numbers: Array) -> int:
        if not self._compiled.mass.sum() > 0.0:
            raise ModelError(f"{self.name}: robot '{self._compiled.name}' has no masses")
        return super()._write(row, numbers)

    def _stay(self, q: Array) -> None:
        self._set(center_of_mass(self._compiled, q))

    def _set(self, target: Array) -> None:
        self._row()[layout.TARGET : layout.TARGET + 12] = transform(target)[:3].ravel()


class LookAtTask(Task):
    """An axis of a frame, such as a camera's, points at a point (3,) of the base frame, m.

    Args:
        frame: name of a body.
        axis: (3,), the direction of view in the frame.
        cost: 1/rad.
        gain, lm_damping, priority: see ``Task``.

    Example:
        >>> view = LookAtTask("panda_link8")
        >>> ik = DifferentialIK(load_robot("panda"), [view])
        >>> view.set_target([1.0, 0.0, 0.0])
        >>> steps = [ik.step(0.01) for _ in range(100)]
        >>> print(np.abs(view.error).max() < 1e-6)
        True
    """

    kind = layout.LOOK_AT

    def __init__(
        self,
        frame: str,
        axis: ArrayLike = (0.0, 0.0, 1.0),
        cost: float = 1.0,
        *,
        gain: float = 1.0,
        lm_damping: float = 0.0,
        priority: int = 1,
    ) -> None:
        name = f"task of the view of '{frame}'"
        super().__init__(name, checked_costs(name, 0.0, cost), gain, lm_damping, priority)
        direction = checked_numbers(axis, 3, f"{name}: the axis")
        if not direction.any():
            raise ModelError(f"{name}: the axis must not be 0")
        self.frame = frame
        self.offset = transform(rotation=rotation_taking_z_to(direction))

    def set_target(self, target: ArrayLike) -> None:
        """Set the point (3,) to look at, m. Raises ConfigurationError."""
        self._target(checked_numbers(target, 3, f"{self.name}: the target"))

    def _write(self, row: Integers, numbers: Array) -> int:
        row[layout.BODY] = self._compiled.index_of(self.frame)
        numbers[layout.FRAME : layout.FRAME + 12] = self.offset[:3].ravel()
        return 3

    def _stay(self, q: Array) -> None:
        self._set((body_transform(self._compiled, q, self.frame) @ self.offset)[:3, [2, 3]].sum(1))

    def _set(self, target: Array) -> None:
        self._row()[layout.TARGET : layout.TARGET + 12] = transform(target)[:3].ravel()


def checked_costs(name: str, position: ArrayLike, orientation: ArrayLike) -> Array:
    """Return costs (6,); raises ModelError if one is negative or all are 0."""
    costs = np.empty(6)
    try:
        costs[:3], costs[3:] = position, orientation
    except (TypeError, ValueError) as error:
        raise ModelError(f"{name}: a cost is one number or three: {error}") from error
    if not (np.isfinite(costs).all() and (costs >= 0.0).all() and costs.any()):
        raise ModelError(f"{name}: costs must be finite, not negative and not all 0: {costs}")
    return costs


def checked_numbers(values: ArrayLike, count: int, what: str) -> Array:
    """Return finite numbers (count,); raises ConfigurationError."""
    try:
        vector = np.array(values, dtype=np.float64)
    except (TypeError, ValueError, OverflowError) as error:
        raise ConfigurationError(f"{what} must be {count} numbers: {error}") from error
    if vector.shape != (count,) or not np.isfinite(vector).all():
        raise ConfigurationError(f"{what} must be {count} finite numbers, not {values!r}")
    return vector
