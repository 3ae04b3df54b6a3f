"""Planning requests as arguments of the library, straight lines, and results as replies."""

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from rigid_tree_interfaces.msg import PlanReply, PlanRequest
from trajectory_msgs.msg import JointTrajectory, JointTrajectoryPoint

from rigid_tree_kinematics.arrays import Array
from rigid_tree_kinematics.deadline import Deadline
from rigid_tree_kinematics.errors import ConfigurationError
from rigid_tree_kinematics.nodes.common.requests import START_ADVICE, duration_of, seconds_of
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
    Space,
    Trajectory,
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
    slack: Array  # (2, 3) of the positions, m, and of the orientations, rad
    settings: PlanSettings

    def goals(self, body: str, poses: Sequence[Array]) -> list[Array | PoseGoal | PoseRegion]:
        """Return all goals, given the goal poses of a body in the robot's root."""
        if not self.slack.any():
            return [*self.goal_states, *(PoseGoal(body, pose) for pose in poses)]
        bounds = np.stack([-self.slack, self.slack], axis=2)
        return [*self.goal_states, *(PoseRegion(body, pose, *bounds) for pose in poses)]


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
    chosen = replace(settings.plan_settings(), **_chosen(request))
    return PlanQuery(start, goals, targets, slack, chosen)


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


def plan_straight_line(
    planner: MotionPlanner,
    query: PlanQuery,
    body: str,
    poses: Sequence[Array],
    deadline: Deadline,
) -> PlanResult:
    """Return a plan along straight lines of a body through ``poses`` (base frame).

    Raises PlanningError and OutOfTimeError like ``follow_straight_line``.
    """
    no_path = query.start[np.newaxis][:0]
    start = planner.checker.check(query.start)
    if not start.free:
        return PlanResult(PlanStatus.START_BLOCKED, f"start: {start.message}", no_path)
    line = follow_straight_line(
        exact_solver(planner.compiled, body, planner.locked),
        query.start,
        poses,
        STEP,
        checker=planner.checker,
        deadline=deadline.earlier(FOR_TIMING),
    )
    if line.trouble:
        status = PlanStatus.OUT_OF_TIME if line.late else PlanStatus.GOAL_UNREACHABLE
        return PlanResult(status, f"straight line: {line.trouble}", no_path)
    length = float(np.linalg.norm(np.diff(line.path, axis=0), axis=1).sum())
    result = planner.timed(line.path, query.settings, deadline=deadline)
    return replace(result, length=length, goal_index=len(poses) - 1)


def fill_reply(reply: PlanReply, result: PlanResult, space: Space, root: str) -> None:
    """Write a result into a reply; ``root`` is the frame of its trajectories."""
    for field in ("success", "message", "goal_index", "nodes", "checks", "length"):
        setattr(reply, field, getattr(result, field))
    reply.code = getattr(PlanReply, result.status.name, PlanReply.INVALID_REQUEST)
    reply.status = result.status.value
    if result.status is PlanStatus.START_BLOCKED:
        reply.message += START_ADVICE
    reply.dropped_goals = list(result.dropped_goals)
    for part in ("prepare", "search", "shorten", "timing"):
        setattr(reply, f"{part}_seconds", getattr(result.seconds, part))
    if not result.success:
        return
    reply.path = _trajectory_message(space, root)
    reply.path.points = [
        JointTrajectoryPoint(positions=point) for point in result.path[:, space.moving].tolist()
    ]
    if result.trajectory is not None:
        reply.trajectory = timed_message(result.trajectory, space, root)


def timed_message(timed: Trajectory, space: Space, root: str) -> JointTrajectory:
    """Return the moving positions of a trajectory as a message in frame ``root``."""
    rows = (timed.positions, timed.velocities, timed.accelerations)
    message = _trajectory_message(space, root)
    message.points = [
        JointTrajectoryPoint(
            positions=q, velocities=v, accelerations=a, time_from_start=duration_of(time)
        )
        for time, q, v, a in zip(
            timed.times.tolist(), *(row[:, space.moving].tolist() for row in rows), strict=True
        )
    ]
    return message


def _trajectory_message(space: Space, root: str) -> JointTrajectory:
    message = JointTrajectory(joint_names=[space.names[k] for k in space.moving])
    message.header.frame_id = root
    return message
