"""Goals given by constraints, and goals of constrained paths."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

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

EXACT = 1e-6  # m, rad; tolerance of goals that give none
MOST_SOLUTIONS = 16  # of one goal


@dataclass(frozen=True, eq=False)
class ConstrainedGoal:
    """Any configuration that satisfies all constraints; see ``ik.ConstraintSet``.

    Example:
        >>> from rigid_tree_kinematics.ik import CartesianBounds
        >>> robot = load_robot("ur5")
        >>> goal = ConstrainedGoal([CartesianBounds("tool0", (0.4, -0.1, 0.3), (0.5, 0.1, 0.3))])
        >>> result = MotionPlanner(robot).plan(robot.home_configuration(), goal)
        >>> print(robot.get_transform(result.path[-1], "tool0")[2, 3].round(3))
        0.3
    """

    constraints: Sequence[Constraint]

    def __post_init__(self) -> None:
        if not len(self.constraints):
            raise PlanningError("a goal needs at least one constraint")
        object.__setattr__(self, "constraints", tuple(self.constraints))


@dataclass(frozen=True, eq=False)
class GoalSearch:
    """Settings of the search for goal configurations; ``constraints`` are the path's."""

    compiled: CompiledTree
    start: Array
    locked: Sequence[str]
    seed: int
    deadline: Deadline
    constraints: ConstraintSet | None

    def within(self, seconds: float) -> GoalSearch:
        """Return the same search with less time."""
        return replace(self, deadline=self.deadline.within(seconds))

    def solutions(
        self,
        constraints: Sequence[Constraint],
        others: Sequence[Array] = (),
        most: int = MOST_SOLUTIONS,
    ) -> list[Array]:
        """Return configurations (nq,) that satisfy constraints and the path's constraints.

        Raises ModelError and UnknownNameError for constraints that do not fit the robot.
        """
        own = () if self.constraints is None else self.constraints.constraints
        both = ConstraintSet(self.compiled, [*constraints, *own], self.locked, EXACT)
        return projected_solutions(
            both,
            self.start,
            most=most,
            timeout=self.deadline,
            random_seed=self.seed,
            others=others,
        )


@dataclass(frozen=True, eq=False)
class Solutions:
    """Configurations of a goal, or the reason for none and whether it is a path constraint."""

    configurations: list[Array]
    reason: str = ""
    violates: bool = False


def region_constraints(
    body: str, pose: Array, position_bounds: Array, rotation_bounds: Array
) -> list[Constraint]:
    """Return a PoseRegion as constraints."""
    low, high = position_bounds.T
    return [
        CartesianBounds(body, low.tolist(), high.tolist(), box=pose),
        OrientationBounds(body, pose[:3, :3], rotation_bounds, angles=RPY),
    ]


def constrained_solutions(search: GoalSearch, constraints: Sequence[Constraint]) -> Solutions:
    """Return configurations (nq,) that satisfy a goal's and the path's constraints.

    Raises ModelError and UnknownNameError for constraints that do not fit the robot.
    """
    found = search.solutions(constraints)
    if found:
        return Solutions(found)
    if search.constraints is not None:
        alone = replace(search, constraints=None).solutions(constraints, most=1)
        if alone:
            return Solutions([], search.constraints.why(alone[0]), violates=True)
    goal = ConstraintSet(search.compiled, constraints, search.locked, EXACT)
    return Solutions([], f"nothing meets it; at the start, {goal.why(search.start)}")


def solutions_on_path(search: GoalSearch, solutions: list[Array], target: PoseTarget) -> Solutions:
    """Return solutions for a pose, preferably those that satisfy the path's constraints.

    A redundant arm has more solutions for a pose than the ``solutions`` (nq,).
    """
    path = search.constraints
    if path is None:
        return Solutions(solutions)
    satisfying = [q for q in solutions if path.met(q)]
    if satisfying or not solutions:
        return Solutions(satisfying)
    found = search.solutions([target], others=solutions)
    return Solutions(found, path.why(min(solutions, key=path.miss)), violates=True)
