"""Goals that are constraints, and other goals while constraints are held along the way."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from rigid_tree_kinematics.arrays import Array
from rigid_tree_kinematics.deadline import Deadline
from rigid_tree_kinematics.errors import PlanningError
from rigid_tree_kinematics.ik import (
    CartesianBounds,
    Constraint,
    ConstraintSet,
    OrientationBounds,
    PoseTarget,
    projected_solutions,
)
from rigid_tree_kinematics.ik.constraints import RPY
from rigid_tree_kinematics.model import CompiledTree

EXACT = 1e-6  # m, rad; goals without a tolerance are met to within so much


@dataclass(frozen=True, eq=False)
class ConstrainedGoal:
    """Any configuration that meets all of some constraints; see ``ik.ConstraintSet``."""

    constraints: Sequence[Constraint]

    def __post_init__(self) -> None:
        if not len(self.constraints):
            raise PlanningError("a goal needs at least one constraint")
        object.__setattr__(self, "constraints", tuple(self.constraints))


@dataclass(frozen=True, eq=False)
class Solutions:
    """Configurations of a goal; or else why there are none, and whether the way's are to blame."""

    configurations: list[Array]
    reason: str = ""
    violates: bool = False


def region_constraints(
    body: str, pose: Array, position_bounds: Array, rotation_bounds: Array
) -> list[Constraint]:
    """Return what a PoseRegion asks for as constraints."""
    low, high = position_bounds.T
    return [
        CartesianBounds(body, low.tolist(), high.tolist(), box=pose),
        OrientationBounds(body, pose[:3, :3], rotation_bounds, angles=RPY),
    ]


def constrained_solutions(
    compiled: CompiledTree,
    constraints: Sequence[Constraint],
    held: ConstraintSet | None,
    start: Array,
    locked: Sequence[str],
    *,
    most: int,
    deadline: Deadline,
    seed: int,
) -> Solutions:
    """Return configurations (nq,) that meet a goal's constraints, and those of the way.

    Raises ModelError and UnknownNameError for constraints that do not fit the robot.
    """
    own = () if held is None else held.constraints
    both = ConstraintSet(compiled, [*constraints, *own], locked, EXACT)
    found = projected_solutions(both, start, most=most, timeout=deadline, random_seed=seed)
    if found:
        return Solutions(found)
    goal = ConstraintSet(compiled, constraints, locked, EXACT)
    if held is not None:
        alone = projected_solutions(goal, start, timeout=deadline, random_seed=seed)
        if alone:
            return Solutions([], held.why(alone[0]), violates=True)
    return Solutions([], f"nothing meets it; at the start, {goal.why(start)}")


def solutions_that_hold(
    solutions: list[Array],
    target: PoseTarget,
    held: ConstraintSet,
    start: Array,
    locked: Sequence[str],
    *,
    most: int,
    deadline: Deadline,
    seed: int,
) -> Solutions:
    """Return those solutions for a pose that meet the way's constraints, or else others that do.

    An arm with joints to spare reaches a pose in more ways than the ``solutions`` (nq,) show.
    """
    meeting = [q for q in solutions if held.met(q)]
    if meeting or not solutions:
        return Solutions(meeting)
    both = ConstraintSet(held.compiled, [target, *held.constraints], locked, EXACT)
    found = projected_solutions(
        both, start, most=most, timeout=deadline, random_seed=seed, others=solutions
    )
    nearest = min(solutions, key=held.miss)
    return Solutions(found, held.why(nearest), violates=True)
