"""Planning requests: how they are read, and how the library plans for them."""

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from rigid_tree_interfaces.msg import PlanRequest

from rigid_tree_kinematics.arrays import Array
from rigid_tree_kinematics.deadline import Deadline
from rigid_tree_kinematics.errors import ConfigurationError
from rigid_tree_kinematics.nodes.common.requests import seconds_of
from rigid_tree_kinematics.nodes.planning import parameters
from rigid_tree_kinematics.nodes.planning.planning_robot import PlanningRobot
from rigid_tree_kinematics.nodes.tf import Target, read_target
from rigid_tree_kinematics.planning import (
    MotionPlanner,
    PlanResult,
    PlanSettings,
    PlanStatus,
    PoseGoal,
    PoseRegion,
    Progress,
    exact_solver,
    follow_straight_line,
)
from rigid_tree_kinematics.text import told_apart

MOST_GOALS = 100_000  # of each kind: reading them takes seconds
STEP = 0.01  # m, maximum distance between two configurations on a straight line
FOR_TIMING = 0.5  # fraction of the time that is reserved for timing


@dataclass(frozen=True, eq=False)
class PlanQuery:
    """The checked parts of a request; the poses are in their TF frames."""

    start: Array
    goal_states: list[Array]
    goal_poses: list[Target]
    body: str  # of the goal poses
    straight_line: bool  # through the goal poses
    slack: Array  # (2, 3) of the positions, m, and of the orientations, rad
    settings: PlanSettings

    def plan(
        self,
        planner: MotionPlanner,
        poses: Sequence[Array],
        deadline: Deadline,
        progress: Callable[[Progress], None],
    ) -> PlanResult:
        """Return a plan, given the goal poses (4x4) in the robot's root.

        Raises PlanningError, and OutOfTimeError for a straight line.
        """
        if self.straight_line:
            return self._plan_straight_line(planner, poses, deadline)
        goals: list[Array | PoseGoal | PoseRegion] = [*self.goal_states]
        if self.slack.any():
            bounds = np.stack([-self.slack, self.slack], axis=2)
            goals += [PoseRegion(self.body, pose, *bounds) for pose in poses]
        else:
            goals += [PoseGoal(self.body, pose) for pose in poses]
        return planner.plan(self.start, goals, self.settings, progress=progress, deadline=deadline)

    def _plan_straight_line(
        self, planner: MotionPlanner, poses: Sequence[Array], deadline: Deadline
    ) -> PlanResult:
        no_path = self.start[np.newaxis][:0]
        start = planner.checker.check(self.start)
        if not start.free:
            return PlanResult(PlanStatus.START_BLOCKED, f"start: {start.message}", no_path)
        line = follow_straight_line(
            exact_solver(planner.compiled, self.body, planner.locked),
            self.start,
            poses,
            STEP,
            checker=planner.checker,
            deadline=deadline.earlier(FOR_TIMING),
        )
        if line.trouble:
            status = PlanStatus.OUT_OF_TIME if line.late else PlanStatus.GOAL_UNREACHABLE
            return PlanResult(status, f"straight line: {line.trouble}", no_path)
        length = float(np.linalg.norm(np.diff(line.path, axis=0), axis=1).sum())
        result = planner.timed(line.path, self.settings, deadline=deadline)
        return replace(result, length=length, goal_index=len(poses) - 1)


def read_plan(
    request: PlanRequest,
    robot: PlanningRobot,
    settings: parameters.PlannerSettings,
    deadline: Deadline,
) -> PlanQuery:
    """Return the checked parts of a request; RigidTreeError if it is invalid."""
    if not request.goal_states and not request.goal_poses:
        raise ConfigurationError("no goal: fill goal_states or goal_poses")
    for field in ("goal_states", "goal_poses"):
        count = len(getattr(request, field))
        if count > MOST_GOALS:
            raise ConfigurationError(f"{field} has {count:,} goals, more than {MOST_GOALS:,}")
    if request.straight_line and (request.goal_states or not request.goal_poses):
        raise ConfigurationError("straight_line needs goal_poses, and no goal_states")
    if request.goal_poses:
        robot.tree.get_body(request.body)
    start = robot.configuration("start", request.start.name, request.start.position)
    goals = []
    for number, state in enumerate(request.goal_states):
        deadline.check(number, len(request.goal_states), "goal states read")
        try:
            goals.append(robot.named.merge(start, state.name, state.position, strict=True))
        except ConfigurationError as error:
            raise ConfigurationError(f"goal_states[{number}]: {error}") from error
    targets = []
    for number, pose in enumerate(request.goal_poses):
        deadline.check(number, len(request.goal_poses), "goal poses read")
        targets.append(read_target(pose, f"goal_poses[{number}]"))
    slack = np.array([_slack(request, "position_slack"), _slack(request, "orientation_slack")])
    return PlanQuery(
        start=start,
        goal_states=goals,
        goal_poses=targets,
        body=request.body,
        straight_line=request.straight_line,
        slack=slack,
        settings=replace(settings.plan_settings(), **_chosen(request)),
    )


def chosen_time_limit(request: PlanRequest, settings: parameters.PlannerSettings) -> float:
    """Return the time limit of a request, s; ConfigurationError if it is invalid."""
    limit = seconds_of(request.time_limit)
    if limit < 0.0:
        raise ConfigurationError(f"time_limit must be at least 0 s, not {limit:g} s")
    if limit > parameters.LONGEST_PLAN:
        given, most = told_apart(limit, parameters.LONGEST_PLAN)
        raise ConfigurationError(f"time_limit must be at most {most} s, not {given} s")
    return limit or settings.time_limit


def _chosen(request: PlanRequest) -> dict[str, Any]:
    """Return the settings that the request has."""
    if request.runs > parameters.MOST_RUNS:
        raise ConfigurationError(
            f"runs must be at most {parameters.MOST_RUNS}, not {request.runs}"
        )
    names = ["planner", "runs", "seed", "velocity_scale", "acceleration_scale", "jerk_limit"]
    return {name: value for name in names if (value := getattr(request, name))}


def _slack(request: PlanRequest, field: str) -> list[float]:
    values = [float(getattr(getattr(request, field), axis)) for axis in "xyz"]
    if not all(math.isfinite(value) and value >= 0.0 for value in values):
        raise ConfigurationError(f"{field} must be zero or positive, not {values}")
    return values
