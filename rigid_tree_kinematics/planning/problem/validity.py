"""What a planner has to know of the world: which configurations and motions are free."""

from __future__ import annotations

from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from rigid_tree_kinematics.arrays import Array
from rigid_tree_kinematics.collision import CollisionChecker
from rigid_tree_kinematics.collision.world import ConservativeModel
from rigid_tree_kinematics.deadline import Deadline
from rigid_tree_kinematics.ik import ConstraintSet


class Validity(Protocol):
    """Decides about configurations and straight motions between them, along their whole length."""

    def motion_free(self, start: Array, end: Array) -> bool:
        """Return whether the straight way from ``start`` to ``end``, (nq,), is free all along."""

    def why(self, q: Array) -> str:
        """Return what is wrong with a configuration (nq,) in a few words; empty if it is free."""

    def conservative_model(self, q: Array, moving: NDArray[np.int64]) -> ConservativeModel | None:
        """Return a model that frees most motions quickly, or None if there is none.

        Only the positions whose indices are in ``moving`` change; the others stand as in ``q``.
        """


class RobotValidity:
    """A robot among obstacles, by a collision checker."""

    def __init__(self, checker: CollisionChecker) -> None:
        self.checker = checker

    def motion_free(self, start: Array, end: Array) -> bool:
        """Return whether nothing touches on the way, by the exact level where in doubt."""
        return self.checker.motion_free(start, end)

    def why(self, q: Array) -> str:
        """Return what touches what at ``q`` (nq,), in a sentence; empty if it is free."""
        report = self.checker.check(q)
        return "" if report.free else report.message

    def conservative_model(self, q: Array, moving: NDArray[np.int64]) -> ConservativeModel | None:
        """Return the checker's conservative level with the other positions standing at ``q``."""
        return self.checker.conservative_model(q, moving)


class JudgedValidity(RobotValidity):
    """A robot among obstacles, none of whose motions is obstructed by what no projection avoids.

    Every motion is looked at by itself, which takes much longer, until the deadline at most.
    """

    def __init__(self, checker: CollisionChecker, held: ConstraintSet, deadline: Deadline) -> None:
        super().__init__(checker)
        self._held = held
        self._deadline = deadline

    def motion_free(self, start: Array, end: Array) -> bool:
        """Return whether nothing touches on the way, and nothing obstructs it; OutOfTimeError."""
        path = np.array([start, end])
        return super().motion_free(start, end) and self._held.unobstructed_along(
            path, self._deadline
        )

    def conservative_model(self, q: Array, moving: NDArray[np.int64]) -> ConservativeModel | None:
        """Return None: no model knows of obstructions."""
        return None
