"""Goals (configurations, poses, pose regions, constraints) as configurations."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, cast

import numpy as np
from numpy.typing import ArrayLike

from rigid_tree_kinematics.arrays import Array
from rigid_tree_kinematics.deadline import Deadline
from rigid_tree_kinematics.errors import PlanningError
from rigid_tree_kinematics.ik import (
    CartesianBounds,
    Constraint,
    ConstraintSet,
    InverseKinematics,
    OrientationBounds,
    PoseTarget,
    RegionBounds,
    projected_solutions,
)
from rigid_tree_kinematics.ik.constraints import RPY
from rigid_tree_kinematics.model import CompiledTree
from rigid_tree_kinematics.model.configuration import configuration_mapping, configuration_vector
from rigid_tree_kinematics.model.transforms import checked_pose, transform_from_xyz_rpy
from rigid_tree_kinematics.planning.problem.result import not_tried

EXACT = 1e-6  # m, rad; tolerance of goals that give none
MOST_SOLUTIONS = 16  # of one goal
SHARE_OF_TIME = 0.5  # of the time limit, for inverse kinematics
SHORTEST_PART = 1e-3  # s, for the solutions of one pose, unless the time limit is reached first
MOST_SECONDS = 0.5  # for the solutions of one pose
REGION_POSES = 24  # poses of a region that are tried


@dataclass(frozen=True, eq=False)
class PoseGoal:
    """Target pose of a body, ``pose`` (4x4, base frame), with tolerances in m and rad.

    Example:
        >>> robot = load_robot("ur5")
        >>> start = robot.home_configuration()
        >>> goal = PoseGoal("tool0", robot.get_transform(start + 0.3, "tool0"))
        >>> result = MotionPlanner(robot).plan(start, goal)
        >>> np.allclose(robot.get_transform(result.path[-1], "tool0"), goal.pose, atol=1e-5)
        True
    """

    body: str
    pose: Array
    position_tolerance: float = 1e-6
    orientation_tolerance: float = 1e-6

    def __post_init__(self) -> None:
        object.__setattr__(self, "pose", checked_pose(self.pose, f"goal of '{self.body}'"))


@dataclass(frozen=True, eq=False)
class PoseRegion:
    """Target poses of a body around ``pose`` (4x4, base frame), within bounds (low, high).

    ``position_bounds`` (3, 2) m along, ``rotation_bounds`` (3, 2) rad about the pose's axes; the
    rotation is that of roll, pitch, yaw (URDF).

    Example:
        >>> robot = load_robot("ur5")
        >>> start = robot.home_configuration()
        >>> pose = robot.get_transform(start + 0.3, "tool0")
        >>> any_yaw = [(0, 0), (0, 0), (-np.pi, np.pi)]
        >>> goal = PoseRegion("tool0", pose, np.zeros((3, 2)), any_yaw)
        >>> MotionPlanner(robot).plan(start, goal).success
        True
    """

    body: str
    pose: Array
    position_bounds: Array
    rotation_bounds: Array

    def __post_init__(self) -> None:
        object.__setattr__(self, "pose", checked_pose(self.pose, f"goal of '{self.body}'"))
        for name in ("position_bounds", "rotation_bounds"):
            bounds = np.array(getattr(self, name), dtype=np.float64)
            if bounds.shape != (3, 2) or not np.isfinite(bounds).all():
                raise PlanningError(f"{name} must be finite, of shape (3, 2), not {bounds.shape}")
            if (bounds[:, 0] > bounds[:, 1]).any():
                raise PlanningError(f"{name}: each row must be (low, high), not {bounds.tolist()}")
            object.__setattr__(self, name, bounds)


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

    def middle_poses(self) -> list[PoseGoal]:
        """Return the poses in the middle of a body's regions and of its orientation.

        As goals they are found faster. Other constraints have none.
        """
        match self.constraints:
            case (RegionBounds() as place, OrientationBounds() as turn) if (
                place.body == turn.body and place.reference is turn.reference is None
            ):
                return [_middle_pose(place, turn, *region) for region in place.regions]
        return []


def _middle_pose(
    place: RegionBounds, turn: OrientationBounds, shape: object, T_base_region: ArrayLike
) -> PoseGoal:
    pose = np.eye(4)
    pose[:3, :3] = np.asarray(turn.target) @ np.asarray(turn.tool).T
    middle = shape.mean(axis=0) if isinstance(shape, np.ndarray) else np.zeros(3)
    at = np.asarray(T_base_region) @ np.append(middle, 1.0)
    pose[:3, 3] = at[:3] - pose[:3, :3] @ np.asarray(place.point)
    return PoseGoal(place.body, pose)


SEARCHED = PoseGoal | PoseRegion | ConstrainedGoal  # goals that need a search
Goal = ArrayLike | Mapping[str, Any] | PoseGoal | PoseRegion | ConstrainedGoal


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

    def solver(
        self, body: str, position_tolerance: float = EXACT, orientation_tolerance: float = EXACT
    ) -> InverseKinematics:
        """Return the solver for poses of a body."""
        return InverseKinematics(
            self.compiled,
            body,
            locked=self.locked,
            position_tolerance=position_tolerance,
            orientation_tolerance=orientation_tolerance,
            random_seed=self.seed % 2**31,
        )


@dataclass(frozen=True, eq=False)
class Solutions:
    """Configurations of a goal, or the reason for none and whether it is a path constraint."""

    configurations: list[Array]
    reason: str = ""
    violates: bool = False


@dataclass(frozen=True, eq=False)
class GoalConfigurations:
    """Goal configurations, the goal of each, and the reasons why goals have none.

    ``violating`` are goals that violate the path's constraints; ``untried`` is a message about
    goals that were not tried for lack of time, empty if all were.
    """

    configurations: list[Array]
    owners: list[int]
    unreachable: list[str]
    violating: list[str]
    untried: str = ""

    @property
    def dropped(self) -> tuple[str, ...]:
        """The reasons why goals have no configuration, and whether some were not tried."""
        untried = [self.untried] if self.untried else []
        return (*self.unreachable, *self.violating, *untried)


def goal_name(number: int, count: int) -> str:
    """Return the name of a goal in messages; ``number`` starts at 0."""
    return "the goal" if count == 1 else f"goal {number + 1}"


def goal_list(goals: Goal | Sequence[Goal]) -> list[Goal]:
    """Return one goal or several as a list; raises PlanningError for anything else."""
    if isinstance(goals, Mapping | PoseGoal | PoseRegion | ConstrainedGoal):
        return [goals]
    if isinstance(goals, np.ndarray):
        return list(goals) if goals.ndim == 2 else [goals]
    if not isinstance(goals, Iterable):
        raise PlanningError(f"a goal is a configuration, a pose or constraints, not {goals!r}")
    listed = list(cast("Sequence[Any]", goals))
    if listed and all(np.isscalar(value) for value in listed):
        return [np.array(listed)]
    return listed


def goal_configurations(search: GoalSearch, goals: Sequence[Goal]) -> GoalConfigurations:
    """Return configurations that satisfy the goals, nearest to the start first for each pose.

    Those of poses, regions and constraints also satisfy the path's constraints. Raises ModelError
    and UnknownNameError for a goal that does not fit the robot.
    """
    found = GoalConfigurations([], [], [], [])
    searched = sum(isinstance(goal, SEARCHED) for goal in goals)
    deadline = search.deadline
    until = deadline.earlier(1.0 - SHARE_OF_TIME)
    skipped = 0
    for number, goal in enumerate(goals):
        if deadline.over or (until.over and found.configurations):
            skipped = len(goals) - number
            break
        if not isinstance(goal, SEARCHED):
            if isinstance(goal, Mapping):
                goal = {**configuration_mapping(search.compiled, search.start), **goal}
            found.configurations.append(configuration_vector(search.compiled, goal))
            found.owners.append(number)
            continue
        # The time not used by one goal is shared by the others.
        share = (deadline if until.over else until).left / searched
        part = search.within(max(SHORTEST_PART, min(MOST_SECONDS, share)))
        searched -= 1
        solutions = _solutions(part, goal)
        if not solutions.configurations:
            name = goal_name(number, len(goals))
            if solutions.violates:
                found.violating.append(f"{name} violates the constraints: {solutions.reason}")
            else:
                found.unreachable.append(f"{name}: {solutions.reason}")
        found.configurations.extend(solutions.configurations)
        found.owners.extend([number] * len(solutions.configurations))
    if not skipped:
        return found
    return replace(found, untried=not_tried(deadline, len(goals) - skipped, len(goals)))


def _solutions(search: GoalSearch, goal: PoseGoal | PoseRegion | ConstrainedGoal) -> Solutions:
    if isinstance(goal, PoseGoal):
        return _of_pose(search, goal)
    if isinstance(goal, ConstrainedGoal):
        return _constrained(search, goal.constraints)
    if search.constraints is None:
        found = _of_region(search.within(0.5 * search.deadline.left), goal)
        if found.configurations:
            return found
    # An arm with few joints can rarely reach a given pose of the region.
    low, high = goal.position_bounds.T.tolist()
    inside = CartesianBounds(goal.body, low, high, box=goal.pose)
    turned = OrientationBounds(goal.body, goal.pose[:3, :3], goal.rotation_bounds, angles=RPY)
    return _constrained(search, [inside, turned])


def _of_pose(search: GoalSearch, goal: PoseGoal) -> Solutions:
    solver = search.solver(goal.body, goal.position_tolerance, goal.orientation_tolerance)
    first = solver.solve(goal.pose, search.start, timeout=search.deadline)
    if not first.success:
        return Solutions([], first.message)
    results = solver.solve_all(
        goal.pose, search.start, most=MOST_SOLUTIONS, timeout=search.deadline
    )
    solutions = [np.array(result.configuration) for result in results or [first]]
    return _on_path(search, solutions, PoseTarget(goal.body, goal.pose))


def _of_region(search: GoalSearch, region: PoseRegion) -> Solutions:
    poses, solver = _poses_of(region, search.seed), search.solver(region.body)
    solutions: list[Array] = []
    reason = ""
    for left, pose in zip(range(len(poses), 0, -1), poses, strict=True):
        part = search.deadline.within(search.deadline.left / left)
        first = solver.solve(pose, search.start, timeout=part)
        if first.success:
            results = solver.solve_all(pose, search.start, most=2, timeout=part) or [first]
            solutions += [np.array(result.configuration) for result in results]
        reason = reason or first.message
        if len(solutions) >= MOST_SOLUTIONS or search.deadline.over:
            break
    return Solutions(solutions, "" if solutions else reason)


def _poses_of(region: PoseRegion, seed: int) -> list[Array]:
    """Return the region's center, then random poses in it."""
    rng = np.random.default_rng(seed)
    poses = []
    for k in range(REGION_POSES):
        shares = np.full((2, 3), 0.5) if k == 0 else rng.random((2, 3))
        bounds = region.position_bounds, region.rotation_bounds
        shift, angles = (
            low + share * (high - low)
            for share, (low, high) in zip(shares, (b.T for b in bounds), strict=True)
        )
        poses.append(region.pose @ transform_from_xyz_rpy(shift.tolist(), angles.tolist()))
    return poses


def _constrained(search: GoalSearch, constraints: Sequence[Constraint]) -> Solutions:
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
    at_start = f"at the start, {goal.why(search.start)}"
    return Solutions([], f"found no configuration that satisfies it; {at_start}")


def _on_path(search: GoalSearch, solutions: list[Array], target: PoseTarget) -> Solutions:
    """Return solutions for a pose, preferably those that satisfy the path's constraints.

    A redundant arm has more solutions for a pose than ``solutions`` (nq,).
    """
    path = search.constraints
    if path is None:
        return Solutions(solutions)
    satisfying = [q for q in solutions if path.met(q)]
    if satisfying or not solutions:
        return Solutions(satisfying)
    found = search.solutions([target], others=solutions)
    return Solutions(found, path.why(min(solutions, key=path.miss)), violates=True)
