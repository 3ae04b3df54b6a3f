"""Execution of trajectories and tasks by the driver of the robot, monitored by the planner."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np
from action_msgs.msg import GoalStatus
from control_msgs.action import FollowJointTrajectory
from moveit_msgs.msg import MoveItErrorCodes as Codes
from moveit_msgs.msg import PlanningScene, RobotState, RobotTrajectory
from trajectory_msgs.msg import JointTrajectory

from rigid_tree_kinematics.errors import RigidTreeError
from rigid_tree_kinematics.kinematics.topology import difference
from rigid_tree_kinematics.nodes.common.process import Cancellation, wait_until
from rigid_tree_kinematics.nodes.common.requests import BLOCKED, read_trajectory, seconds_of
from rigid_tree_kinematics.nodes.moveit.interface.server import MoveItServer
from rigid_tree_kinematics.nodes.moveit.messages import (
    MoveItError,
    MoveItRobot,
    apply_scene,
    error_code,
    errors_at,
)
from rigid_tree_kinematics.nodes.planning import MotionEnd, WatchedDriver, WatchedMotion
from rigid_tree_kinematics.trajectories import Waypoints

START_TOLERANCE = 0.01  # rad, m; MoveIt's allowed_start_tolerance
DISCOVERED_WITHIN = 3.0  # s, that the discovery of a driver may take
# s after which the position of a joint is unknown without a joint state; s to wait for one.
STALE, STATE_WITHIN = 1.0, 1.0
INVALID_PLAN = Codes.INVALID_MOTION_PLAN


async def execute(
    server: MoveItServer,
    driver: WatchedDriver,
    trajectory: RobotTrajectory,
    cancellation: Cancellation,
) -> None:
    """Execute a trajectory to its end; raises MoveItError with the reason if it stops earlier."""
    _refuse_multi_dof(trajectory)
    if not trajectory.joint_trajectory.points:
        return
    goal = FollowJointTrajectory.Goal(trajectory=trajectory.joint_trajectory)
    # Plans have stamps of the past; for a driver this would be the start of the motion.
    goal.trajectory.header.stamp.sec = goal.trajectory.header.stamp.nanosec = 0
    motion = WatchedMotion(_longest(server, goal.trajectory))
    cancellation.on_set(lambda: motion.end("stopped"))
    await _wait_for_driver(server, driver, goal.trajectory, motion)
    end = await driver.follow(goal, motion, lambda _: None)
    stopped = cancellation.is_set()
    if end.code != FollowJointTrajectory.Result.SUCCESSFUL or stopped:
        code = Codes.TIMED_OUT if motion.timed_out else _code(end, stopped)
        raise MoveItError(code, end.words or "stopped")


async def execute_task(
    server: MoveItServer,
    driver: WatchedDriver,
    parts: list[Any],
    cancellation: Cancellation,
    finished: Callable[[int], None],
) -> None:
    """Execute SubTrajectory messages of MoveIt Task Constructor; each changes the scene after it.

    ``finished`` is called with the index of each that was executed. Raises MoveItError, which
    names the first one that fails. Nothing moves if one is invalid.
    """
    robot = await server.first_robot()
    places = [f"sub-trajectory {k + 1} of {len(parts)}: " for k in range(len(parts))]
    for part, place in zip(parts, places, strict=True):
        with errors_at(place), error_code(INVALID_PLAN):
            _refuse_multi_dof(part.trajectory)
            if part.trajectory.joint_trajectory.points:
                read_trajectory(part.trajectory.joint_trajectory, robot.tree.compiled())
    for index, (part, place) in enumerate(zip(parts, places, strict=True)):
        with errors_at(place):
            if cancellation.is_set():
                raise MoveItError(Codes.PREEMPTED, "stopped")
            await execute(server, driver, part.trajectory, cancellation)
        finished(index)
        try:
            await _change_scene(server, robot, part.scene_diff)
        except RigidTreeError as error:
            raise MoveItError(INVALID_PLAN, f"{place}change of the scene: {error}") from error


async def _change_scene(server: MoveItServer, robot: MoveItRobot, diff: PlanningScene) -> None:
    """Apply a change of the scene without its joint positions, which only motions change."""
    attached = diff.robot_state.attached_collision_objects
    diff.robot_state = RobotState(is_diff=True, attached_collision_objects=attached)
    empty = PlanningScene(is_diff=diff.is_diff, robot_model_name=diff.robot_model_name)
    empty.robot_state.is_diff = True
    if diff != empty:  # an empty scene without is_diff would clear the scene
        await apply_scene(server.keeper, diff, robot, server.base_frames(robot))
        server.scene_changed()


def _refuse_multi_dof(trajectory: RobotTrajectory) -> None:
    """Raise MoveItError if the fields for planar and floating joints are filled."""
    several = trajectory.multi_dof_joint_trajectory
    if several.joint_names or several.points:
        words = "multi_dof_joint_trajectory is not supported: use joint_trajectory for all joints"
        raise MoveItError(INVALID_PLAN, words)


def _longest(server: MoveItServer, trajectory: JointTrajectory) -> float:
    """Return how long the driver may take, s."""
    settings, duration = server.settings, seconds_of(trajectory.points[-1].time_from_start)
    if not settings.execution_duration_monitoring:
        return math.inf
    margin = settings.allowed_goal_duration_margin
    return settings.allowed_execution_duration_scaling * duration + margin


async def _wait_for_driver(
    server: MoveItServer, driver: WatchedDriver, trajectory: JointTrajectory, motion: WatchedMotion
) -> None:
    """Wait for the driver and for joint states; MoveItError if the motion cannot start.

    Errors in the trajectory itself are left to the driver.
    """
    robot = server.present_robot
    try:
        points = read_trajectory(trajectory, robot.tree.compiled())
    except RigidTreeError:
        return

    def has_driver() -> bool:
        return not driver.driver.missing(points.names)

    def has_state() -> bool:
        return not robot.state.stale(points.slots, STALE)

    with error_code(Codes.CONTROL_FAILED):
        has_driver()  # an error for joints without a controller
        await wait_until(server, lambda: has_driver() or motion.is_ended, DISCOVERED_WITHIN)
    if not motion.is_ended and has_driver():
        await wait_until(server, lambda: has_state() or motion.is_ended, STATE_WITHIN)
        _check_start(server, robot, points)


def _check_start(server: MoveItServer, robot: MoveItRobot, points: Waypoints) -> None:
    """Raise MoveItError if the robot is not known to be at the trajectory's start."""
    compiled, state = robot.tree.compiled(), robot.state
    stale = state.stale(points.slots, STALE)
    if stale:
        where = f"on {server.resolve_topic_name('joint_states')} for {STALE:g} s"
        raise MoveItError(Codes.ROBOT_STATE_STALE, f"no positions of {', '.join(stale)} {where}")
    if points.times[0] > 0.0:
        return  # the driver moves to the first point
    now = state.configuration
    first = now.copy()
    first[points.slots] = points.positions[0]
    error = difference(compiled.position_kinds, now, first)
    k = int(np.argmax(np.abs(error)))
    if abs(error[k]) > START_TOLERANCE:
        raise MoveItError(
            Codes.CONTROL_FAILED,
            f"the trajectory starts at {compiled.position_names[k]} = {first[k]:.4g}, but the "
            f"robot is at {now[k]:.4g}; a first time_from_start above 0 makes it move there first",
        )


def _code(end: MotionEnd, stopped: bool) -> int:
    if stopped or end.status == GoalStatus.STATUS_CANCELED:
        return int(Codes.PREEMPTED)
    if end.code == BLOCKED:
        return int(Codes.MOTION_PLAN_INVALIDATED_BY_ENVIRONMENT_CHANGE)
    if end.code == FollowJointTrajectory.Result.INVALID_JOINTS:
        return int(INVALID_PLAN)
    return int(Codes.CONTROL_FAILED)
