"""The planner's interface to collision checks."""

from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from rigid_tree_kinematics.arrays import Array
from rigid_tree_kinematics.collision import CollisionChecker
from rigid_tree_kinematics.collision.world import ConservativeModel
from rigid_tree_kinematics.deadline import Deadline
from rigid_tree_kinematics.ik import ConstraintSet


class Validity(Protocol):
    """Checks configurations and whole straight motions."""

    def motion_free(self, start: Array, end: Array) -> bool:
        """Return whether the whole straight motion from ``start`` to ``end``, (nq,), is free."""

    def why(self, q: Array) -> str:
        """Return why a configuration (nq,) is not free; empty if it is free."""

    def conservative_model(self, q: Array, moving: NDArray[np.int64]) -> ConservativeModel | None:
        """Return a model that proves most motions free quickly, or None.

        Only the positions whose indices are in ``moving`` change; the others are those of ``q``.
        """


class RobotValidity:
    """Validity by a collision checker.

    Example:
        >>> from rigid_tree_kinematics.collision import CollisionChecker, load_scene
        >>> checker = CollisionChecker(load_robot("panda"), load_scene("panda_pillars"))
        >>> print(RobotValidity(checker).why(np.array([0.55, 0.2, 0.0, -1.8, 0.0, 2.1, 0.785])))
        'panda_link4' touches 'left_pillar', 'panda_link6' touches 'left_pillar'
    """

    def __init__(self, checker: CollisionChecker) -> None:
        self.checker = checker

    def motion_free(self, start: Array, end: Array) -> bool:
        """Return whether a motion is free; the exact level decides undecided cases."""
        return self.checker.motion_free(start, end)

    def why(self, q: Array) -> str:
        """Return the bodies in collision at ``q`` (nq,); empty if there are none."""
        return "" if self.checker.is_free(q) else self.checker.check(q).message

    def conservative_model(self, q: Array, moving: NDArray[np.int64]) -> ConservativeModel | None:
        """Return the checker's conservative level with the fixed positions of ``q``."""
        return self.checker.conservative_model(q, moving)


class JudgedValidity(RobotValidity):
    """Validity by a collision checker and constraints that projections cannot satisfy.

    Every motion is checked exactly, which is much slower; checks end at the deadline.
    """

    def __init__(
        self, checker: CollisionChecker, constraints: ConstraintSet, deadline: Deadline
    ) -> None:
        super().__init__(checker)
        self._constraints = constraints
        self._deadline = deadline

    def motion_free(self, start: Array, end: Array) -> bool:
        """Return whether a motion is free and not obstructed; raise OutOfTimeError."""
        path = np.array([start, end])
        return super().motion_free(start, end) and self._constraints.unobstructed_along(
            path, self._deadline
        )

    def conservative_model(self, q: Array, moving: NDArray[np.int64]) -> ConservativeModel | None:
        """Return None: models do not include obstructions."""
        return None
