"""Checks of motions, by collisions at two levels and by constraints, and of goals."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cache

import numpy as np

from rigid_tree_kinematics.arrays import Array
from rigid_tree_kinematics.collision.conservative import FREE, motion_verdict
from rigid_tree_kinematics.collision.world import ConservativeModel, empty_model, make_work
from rigid_tree_kinematics.collision.world.arrays import CHECKED
from rigid_tree_kinematics.deadline import Deadline
from rigid_tree_kinematics.errors import RigidTreeError
from rigid_tree_kinematics.ik import ConstraintSet
from rigid_tree_kinematics.ik.constraints import MOTION, make_constraint_work, no_constraints
from rigid_tree_kinematics.ik.constraints.arrays import ConstraintArrays, ConstraintWork
from rigid_tree_kinematics.kinematics.topology import difference
from rigid_tree_kinematics.planning.problem import (
    PlanStatus,
    Space,
    Validity,
    goal_name,
    late_status,
    not_tried,
)
from rigid_tree_kinematics.planning.search.motion_kernels import MotionChecks, motion_satisfies

FOR_SEARCH = 0.5  # of the remaining time, reserved for the search after the checks of goals
MOST_GOALS = 1_000  # free configurations from which a search starts; others are not tried


class Motions:
    """Checks motions by the conservative level, then by the validity. Not thread-safe.

    ``checks`` are the kernels' arguments, with the constraints except joint constraints, which
    narrow the space instead.
    """

    def __init__(
        self,
        space: Space,
        validity: Validity,
        model: ConservativeModel | None,
        constraints: ConstraintSet | None = None,
    ) -> None:
        self.space = space
        self.constraints = constraints
        self.has_conservative = model is not None
        if constraints is None:
            arrays, constraint_work = _unconstrained(len(space.kinds))
        else:
            arrays, constraint_work = constraints.arrays, constraints.work
        model = empty_model(len(space.kinds)) if model is None else model
        kinds, weights = np.array(space.kinds), np.array(space.weights)
        self.checks = MotionChecks(
            kinds, weights, arrays, constraint_work, model, make_work(model)
        )
        self.constrained = len(arrays.items) > 0
        self._validity = validity
        self.exact_checks = 0  # motions that the exact level checked

    @property
    def checked(self) -> int:
        """Numbers of conservative checks of configurations, and of exact checks of motions."""
        return int(self.checks.work.counts[CHECKED]) + self.exact_checks

    def surely_free(self, start: Array, end: Array) -> bool:
        """Return whether the conservative level proves the motion free, (nq,) each."""
        if not self.has_conservative:
            return False
        model, work = self.checks.model, self.checks.work
        motion = self.space.difference(start, end)
        return bool(motion_verdict(model, self.space.kinds, start, motion, work) == FREE)

    def clear(self, q: Array) -> bool:
        """Return whether the conservative level proves a start or goal free."""
        return self.surely_free(q, q)

    def free(self, start: Array, end: Array) -> bool:
        """Return whether the motion is free."""
        return self.surely_free(start, end) or self.exactly_free(start, end)

    def exactly_free(self, start: Array, end: Array) -> bool:
        """Return whether the motion is free, without the conservative level."""
        self.exact_checks += 1
        return self._validity.motion_free(start, end)


@cache
def _unconstrained(positions: int) -> tuple[ConstraintArrays, ConstraintWork]:
    nothing = no_constraints(np.zeros(positions, dtype=np.int64))
    return nothing, make_constraint_work(nothing)


def satisfies_constraints(
    constraints: ConstraintSet, start: Array, end: Array, deadline: Deadline
) -> bool:
    """Return whether the straight motion between two configurations meets the constraints.

    The bounds are slightly tightened; the ends are not checked. Raises OutOfTimeError.
    """
    motion = difference(constraints.compiled.position_kinds, start, end)
    inside = bool(motion_satisfies(constraints.arrays, MOTION, start, motion, constraints.work))
    return inside and constraints.unobstructed_along(np.array([start, end]), deadline)


@dataclass(eq=False)
class FreeGoals:
    """Free goal configurations, their indices, and reasons for rejected ones.

    ``clear``: the conservative level proves at least one free. ``untried`` is why some were not
    tried, empty if all were. ``status`` is the plan's if none is free.
    """

    configurations: list[Array] = field(default_factory=list)
    numbers: list[int] = field(default_factory=list)
    dropped: list[str] = field(default_factory=list)
    clear: bool = False
    untried: str = ""
    status: PlanStatus = PlanStatus.GOAL_BLOCKED


def free_goals(
    motions: Motions, validity: Validity, start: Array, goals: Sequence[Array], deadline: Deadline
) -> FreeGoals:
    """Return the goals, (nq,) each, that are free and satisfy the constraints.

    Joints that do not move have their start positions.
    """
    found = FreeGoals()
    space, constraints = motions.space, motions.constraints
    invalid, violating = 0, 0
    until = deadline.earlier(FOR_SEARCH)
    for number, goal in enumerate(goals):
        if deadline.over or (until.over and found.configurations):
            found.untried = not_tried(deadline, number, len(goals))
            break
        if len(found.configurations) >= MOST_GOALS:
            found.untried = f"{number:,} of {len(goals):,} goals were tried, as enough are free"
            break
        name = goal_name(number, len(goals))
        at = start.copy()
        at[space.moving] = goal[space.moving]
        trouble = "" if constraints is None else constraints.why(at)
        if trouble:
            found.dropped.append(f"{name} violates the constraints: {trouble}")
            violating += 1
            continue
        try:
            at = space.inside(at)
        except RigidTreeError as error:
            found.dropped.append(f"{name}: {error}")
            invalid += 1
            continue
        clear = motions.clear(at)
        trouble = "" if clear else validity.why(at)
        if trouble:
            found.dropped.append(f"{name} is blocked: {trouble}")
            continue
        found.clear |= clear
        found.configurations.append(at)
        found.numbers.append(number)
    if found.untried:
        found.status = late_status(deadline)
    elif invalid + violating == len(goals):
        found.status = PlanStatus.GOAL_VIOLATES if violating else PlanStatus.INVALID_INPUT
    return found
