"""The goal configurations of a search that are free and satisfy the constraints."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from rigid_tree_kinematics.arrays import Array
from rigid_tree_kinematics.deadline import Deadline
from rigid_tree_kinematics.errors import RigidTreeError
from rigid_tree_kinematics.planning.problem import PlanStatus, Validity, late_status, not_tried
from rigid_tree_kinematics.planning.search.motions import Motions

FOR_SEARCH = 0.5  # of the time that is left, for more than checks of goals
MOST_GOALS = 1_000  # free configurations, that a search starts from; others are not tried


@dataclass(eq=False)
class FreeGoals:
    """Free goal configurations, their indices, and reasons for rejected ones.

    ``clear``: the conservative level frees at least one. ``untried`` is why some were not tried,
    empty if all were. ``status`` is the plan's if none is free.
    """

    configurations: list[Array] = field(default_factory=list)
    numbers: list[int] = field(default_factory=list)
    dropped: list[str] = field(default_factory=list)
    clear: bool = False
    untried: str = ""
    status: PlanStatus = PlanStatus.GOAL_BLOCKED


def free_goals(
    motions: Motions,
    validity: Validity,
    start: Array,
    goals: Sequence[Array],
    deadline: Deadline,
) -> FreeGoals:
    """Return the goals, (nq,) each, that are free and satisfy the constraints.

    Joints that do not move are where the start has them.
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
        at = start.copy()
        at[space.moving] = goal[space.moving]
        trouble = "" if constraints is None else constraints.why(at)
        if trouble:
            found.dropped.append(f"goal {number + 1} violates the constraints: {trouble}")
            violating += 1
            continue
        try:
            at = space.inside(at)
        except RigidTreeError as error:
            found.dropped.append(f"goal {number + 1}: {error}")
            invalid += 1
            continue
        clear = motions.clear(at)
        trouble = "" if clear else validity.why(at)
        if trouble:
            found.dropped.append(f"goal {number + 1} is blocked: {trouble}")
            continue
        found.clear |= clear
        found.configurations.append(at)
        found.numbers.append(number)
    if found.untried:
        found.status = late_status(deadline)
    elif invalid + violating == len(goals):
        found.status = PlanStatus.GOAL_VIOLATES if violating else PlanStatus.INVALID_INPUT
    return found
