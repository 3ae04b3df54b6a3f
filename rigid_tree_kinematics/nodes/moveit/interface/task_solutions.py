"""Execution of tasks that MoveIt Task Constructor planned."""

from __future__ import annotations

from collections.abc import Callable

from moveit_msgs.msg import MoveItErrorCodes, PlanningScene, RobotState
from moveit_task_constructor_msgs.msg import Solution
from trajectory_msgs.msg import JointTrajectory

from rigid_tree_kinematics.errors import RigidTreeError
from rigid_tree_kinematics.nodes.common.process import Cancellation
from rigid_tree_kinematics.nodes.common.requests import read_trajectory
from rigid_tree_kinematics.nodes.moveit.interface.execution import execute, refuse_multi_dof
from rigid_tree_kinematics.nodes.moveit.interface.server import MoveItServer
from rigid_tree_kinematics.nodes.moveit.messages import (
    MoveItError,
    MoveItRobot,
    apply_scene,
    error_code,
)
from rigid_tree_kinematics.nodes.planning import WatchedDriver

INVALID_PLAN = MoveItErrorCodes.INVALID_MOTION_PLAN


async def execute_task(
    server: MoveItServer,
    driver: WatchedDriver,
    solution: Solution,
    cancellation: Cancellation,
    finished: Callable[[int], None],
) -> None:
    """Execute the sub-trajectories of a task, and change the scene after each.

    ``finished`` is called with the index of each that was executed. Raises MoveItError, which
    names the first one that fails. Nothing moves if one is invalid.
    """
    robot = await server.first_robot()
    parts = solution.sub_trajectory
    places = [f"sub-trajectory {k + 1} of {len(parts)}: " for k in range(len(parts))]
    for part, place in zip(parts, places, strict=True):
        refuse_multi_dof(part.trajectory, place)
        _check(part.trajectory.joint_trajectory, robot, place)
    for index, (part, place) in enumerate(zip(parts, places, strict=True)):
        if cancellation.is_set():
            raise MoveItError(MoveItErrorCodes.PREEMPTED, f"{place}stopped")
        try:
            await execute(server, driver, part.trajectory, cancellation)
        except MoveItError as error:
            raise MoveItError(error.code, f"{place}{error}") from error
        finished(index)
        try:
            await _change_scene(server, robot, part.scene_diff)
        except RigidTreeError as error:
            raise MoveItError(INVALID_PLAN, f"{place}change of the scene: {error}") from error


def _check(trajectory: JointTrajectory, robot: MoveItRobot, place: str) -> None:
    if trajectory.points:
        with error_code(INVALID_PLAN, place):
            read_trajectory(trajectory, robot.tree.compiled())


async def _change_scene(server: MoveItServer, robot: MoveItRobot, diff: PlanningScene) -> None:
    """Apply a change of the scene without its joint positions: only motions change those."""
    attached = diff.robot_state.attached_collision_objects
    diff.robot_state = RobotState(is_diff=True, attached_collision_objects=attached)
    empty = PlanningScene(
        is_diff=diff.is_diff,
        robot_model_name=diff.robot_model_name,
        robot_state=RobotState(is_diff=True),
    )
    if diff != empty:  # an empty scene without is_diff would clear the scene
        await apply_scene(server.keeper, diff, robot, server.base_frames(robot))
        server.scene_changed()
