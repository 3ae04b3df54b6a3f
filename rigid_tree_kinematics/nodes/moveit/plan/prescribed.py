"""Requests for Pilz' planners: PTP, LIN and CIRC."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from moveit_msgs.msg import MotionPlanRequest, MotionPlanResponse, MoveItErrorCodes

from rigid_tree_kinematics.arrays import Array
from rigid_tree_kinematics.collision import Scene
from rigid_tree_kinematics.deadline import Deadline
from rigid_tree_kinematics.description.srdf import Group
from rigid_tree_kinematics.errors import ConfigurationError
from rigid_tree_kinematics.kinematics import body_transform
from rigid_tree_kinematics.nodes.common.process import Parameters, parameter
from rigid_tree_kinematics.nodes.moveit.messages import (
    PLANS,
    START_STATE_INVALID,
    BaseFrames,
    MoveItError,
    MoveItRobot,
    goals_of,
    refusing,
    robot_state,
)
from rigid_tree_kinematics.nodes.moveit.plan.planning import (
    constrains,
    general_settings,
    trajectory_message,
    within_speed,
)
from rigid_tree_kinematics.nodes.planning import PlannerSettings
from rigid_tree_kinematics.nodes.scene import placed_pose
from rigid_tree_kinematics.planning import (
    MotionPlanner,
    PlanResult,
    PlanStatus,
    PoseGoal,
    ToolArc,
    ToolLimits,
    ToolLine,
    arc_about,
    arc_through,
    move_joints,
    move_tool,
)

SLOWEST = 1e-4  # m/s, m/s^2, rad/s
PILZ_PIPELINE = "pilz_industrial_motion_planner"
PILZ_PLANNER_IDS = ("PTP", "LIN", "CIRC")
CENTER, INTERIM = "center", "interim"
INVALID_GOAL = MoveItErrorCodes.INVALID_GOAL_CONSTRAINTS
INVALID_PLAN = MoveItErrorCodes.INVALID_MOTION_PLAN


@dataclass(frozen=True)
class ToolSettings(Parameters):
    """How fast LIN and CIRC move the tool: parameters with Pilz' names and defaults."""

    max_trans_vel: float = parameter(
        1.0, "Velocity of the tool in LIN and CIRC.", low=SLOWEST, high=100.0, unit="m/s"
    )
    max_trans_acc: float = parameter(
        2.25, "Its acceleration.", low=SLOWEST, high=1000.0, unit="m/s^2"
    )
    max_trans_dec: float = parameter(
        -5.0,
        "Its deceleration; the sign does not count.",
        low=-1000.0,
        high=1000.0,
        unit="m/s^2",
    )
    max_rot_vel: float = parameter(
        1.57, "How fast it turns in LIN and CIRC.", low=SLOWEST, high=100.0, unit="rad/s"
    )

    def check(self) -> None:
        """Raise ConfigurationError for a deceleration that takes forever."""
        if abs(self.max_trans_dec) < SLOWEST:
            raise ConfigurationError(
                f"parameter 'max_trans_dec' is at least {SLOWEST:g} m/s^2, its sign left aside, "
                f"not {self.max_trans_dec:g}"
            )

    def limits(self) -> ToolLimits:
        """Return the limits for the library."""
        return ToolLimits(
            velocity=self.max_trans_vel,
            acceleration=self.max_trans_acc,
            deceleration=abs(self.max_trans_dec),
            rotation_velocity=self.max_rot_vel,
        )


def prescribes(request: MotionPlanRequest) -> bool:
    """Return whether a request is for one of these planners."""
    return request.pipeline_id == PILZ_PIPELINE or (
        not request.pipeline_id and request.planner_id in PILZ_PLANNER_IDS
    )


async def plan_prescribed(
    request: MotionPlanRequest,
    robot: MoveItRobot,
    scene: Scene,
    frames: BaseFrames,
    settings: PlannerSettings,
    tool: ToolSettings,
    deadline: Deadline,
    response: MotionPlanResponse,
) -> PlanResult:
    """Plan and fill in a response, but for its code; MoveItError, UnknownFrameError."""
    response.group_name = request.group_name
    group = robot.group(request.group_name)
    if request.planner_id not in PILZ_PLANNER_IDS:
        raise MoveItError(
            MoveItErrorCodes.PLANNING_FAILED,
            f"pipeline '{PILZ_PIPELINE}' has no planner_id '{request.planner_id}'; it has "
            f"{', '.join(PILZ_PLANNER_IDS)}",
        )
    circular = request.planner_id == "CIRC"
    if not circular and constrains(request.path_constraints):
        raise MoveItError(
            MoveItErrorCodes.PLANNING_FAILED,
            f"path constraints are not for {request.planner_id}, whose way is prescribed",
        )
    start = robot.start(request.start_state)
    response.trajectory_start = robot_state(robot, start)
    chosen = general_settings(request, settings)
    goal = await _goal(request, robot, group, start, frames)
    checker = robot.checkers.checker(scene)
    planner = MotionPlanner(robot.tree, checker, moving_joints=list(group.joints))
    if request.planner_id == "PTP":
        result = move_joints(planner, start, goal, chosen, deadline)
    else:
        link, first, last = _ends(request, robot, group, start, goal)
        way: ToolLine | ToolArc = ToolLine(first, last)
        if circular:
            way = await _arc(request, first, last, start, frames)
        with refusing(INVALID_GOAL):
            result = move_tool(planner, link, start, way, tool.limits(), chosen, deadline)
    response.planning_time = deadline.seconds
    if result.status is PlanStatus.INVALID_INPUT:
        raise MoveItError(START_STATE_INVALID, result.message)
    if not result.success:
        raise MoveItError(PLANS[result.status], result.message)
    result = within_speed(result, request, robot, group, planner, chosen, deadline)
    response.trajectory = trajectory_message(result, planner, settings.frame_prefix)
    return result


async def _goal(
    request: MotionPlanRequest,
    robot: MoveItRobot,
    group: Group,
    start: Array,
    frames: BaseFrames,
) -> Array | PoseGoal:
    """Return the one goal: a configuration or a pose."""
    if len(request.goal_constraints) != 1:
        raise MoveItError(
            INVALID_GOAL,
            f"{request.planner_id} goes to one goal, not {len(request.goal_constraints)}",
        )
    goals = await goals_of(request.goal_constraints[0], robot, group, start, frames)
    goal = goals[0]
    if isinstance(goal, np.ndarray | PoseGoal):
        return goal
    raise MoveItError(
        INVALID_GOAL,
        f"{request.planner_id} goes to joint positions or to a position with an orientation",
    )


def _ends(
    request: MotionPlanRequest,
    robot: MoveItRobot,
    group: Group,
    start: Array,
    goal: Array | PoseGoal,
) -> tuple[str, Array, Array]:
    """Return the link that is led, and where it is at the start and at the goal."""
    if isinstance(goal, PoseGoal):
        return goal.body, body_transform(robot.tree, start, goal.body), goal.pose
    named = request.path_constraints.position_constraints
    link = robot.link(named[0].link_name if named else "", group)
    return link, body_transform(robot.tree, start, link), body_transform(robot.tree, goal, link)


async def _arc(
    request: MotionPlanRequest, first: Array, last: Array, start: Array, frames: BaseFrames
) -> ToolArc:
    """Return the way that a path constraint named 'center' or 'interim' stands for."""
    constraints = request.path_constraints
    if constraints.name not in (CENTER, INTERIM):
        raise MoveItError(
            INVALID_PLAN,
            f"CIRC needs a path constraint named '{CENTER}' or '{INTERIM}', not "
            f"'{constraints.name}'",
        )
    places = constraints.position_constraints
    if len(places) != 1 or len(places[0].constraint_region.primitive_poses) != 1:
        raise MoveItError(
            INVALID_PLAN,
            f"path constraint '{constraints.name}' has one position constraint, whose region's "
            "one primitive_pose is the point",
        )
    with refusing(INVALID_PLAN):
        T_frame_point = placed_pose(places[0].constraint_region.primitive_poses[0])
    point = (await frames.base_from(places[0].header.frame_id, start) @ T_frame_point)[:3, 3]
    goal = request.goal_constraints[0].position_constraints
    if goal:
        offset = goal[0].target_point_offset
        point = point - last[:3, :3] @ np.array([offset.x, offset.y, offset.z])
    with refusing(INVALID_PLAN):
        arc = arc_about if constraints.name == CENTER else arc_through
        return arc(first, last, point)
