"""compute_ik and compute_fk."""

from __future__ import annotations

import time

from moveit_msgs.msg import MoveItErrorCodes, PositionIKRequest, RobotState
from moveit_msgs.srv import GetPositionFK

from rigid_tree_kinematics.collision import Scene
from rigid_tree_kinematics.ik import IKStatus
from rigid_tree_kinematics.kinematics import body_transform
from rigid_tree_kinematics.model.transforms import inverse
from rigid_tree_kinematics.nodes.common.message_time import seconds_of
from rigid_tree_kinematics.nodes.ik.parameters import IkSettings
from rigid_tree_kinematics.nodes.ik.requests import ALL_WEIGHTS, Query, solve
from rigid_tree_kinematics.nodes.ik.robot import Problem
from rigid_tree_kinematics.nodes.moveit.codes import MoveItError, refusing
from rigid_tree_kinematics.nodes.moveit.frames import BaseFrames
from rigid_tree_kinematics.nodes.moveit.robot import MoveItRobot, robot_state
from rigid_tree_kinematics.nodes.tf.target_frames import Target, pose_message, read_target

INVALID = MoveItErrorCodes.INVALID_GOAL_CONSTRAINTS


async def solve_ik(
    request: PositionIKRequest, robot: MoveItRobot, scene: Scene, frames: BaseFrames
) -> RobotState:
    """Return the state that brings a link to a pose; MoveItError, UnknownFrameError."""
    group = robot.group(request.group_name)
    if request.pose_stamped_vector:
        raise MoveItError(INVALID, "several poses at once are not served: ask for one")
    wanted = request.constraints
    if any(
        (
            wanted.joint_constraints,
            wanted.position_constraints,
            wanted.orientation_constraints,
            wanted.visibility_constraints,
        )
    ):
        raise MoveItError(INVALID, "constraints on top of the pose are not served")
    link = robot.link(request.ik_link_name, group)
    start = robot.start(request.robot_state)
    settings = IkSettings()
    problem = Problem(
        body=link,
        base=robot.tree.base_name,
        weights=ALL_WEIGHTS,
        locked=robot.standing(group),
        position_tolerance=settings.position_tolerance,
        orientation_tolerance=settings.orientation_tolerance,
    )
    with refusing(INVALID):
        target = read_target(request.pose_stamped, "pose_stamped")
    T_base_target = await frames.base_from(target.frame, start) @ target.pose
    checker = robot.checkers.checker(scene) if request.avoid_collisions else None
    timeout = seconds_of(request.timeout)
    query = Query(
        problem=problem,
        target=Target(T_base_target, "", target.stamp),
        start=start,
        timeout=timeout if timeout > 0.0 else settings.timeout,
        max_solutions=1,
    )
    with refusing(INVALID):
        found = solve(query, T_base_target, robot.ik, time.monotonic() + query.timeout, checker)
    if not found.results:
        raise MoveItError(
            MoveItErrorCodes.NO_IK_SOLUTION,
            f"every solution found touches something: {found.blocked}",
        )
    first = found.results[0]
    if not first.success:
        late = first.status is IKStatus.OUT_OF_TIME
        code = MoveItErrorCodes.TIMED_OUT if late else MoveItErrorCodes.NO_IK_SOLUTION
        raise MoveItError(code, first.message)
    return robot_state(robot, first.configuration)


async def answer_fk(
    request: GetPositionFK.Request,
    robot: MoveItRobot,
    frames: BaseFrames,
    prefix: str,
    response: GetPositionFK.Response,
) -> None:
    """Fill in where links are; MoveItError, UnknownFrameError."""
    if not request.fk_link_names:
        raise MoveItError(MoveItErrorCodes.INVALID_LINK_NAME, "fk_link_names is empty")
    with refusing(MoveItErrorCodes.INVALID_LINK_NAME):
        names = [robot.tree.get_body(name).name for name in request.fk_link_names]
    q = robot.start(request.robot_state)
    frame = request.header.frame_id or prefix + robot.tree.base_name
    T_frame_base = inverse(await frames.base_from(frame, q))
    poses = [
        pose_message(T_frame_base @ body_transform(robot.tree, q, name), frame) for name in names
    ]
    for pose in poses:
        pose.header.stamp = request.header.stamp
    response.pose_stamped = poses
    response.fk_link_names = names
