"""Pilz' planners PTP, LIN and CIRC: motions on prescribed paths."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial

import numpy as np
from moveit_msgs.msg import MoveItErrorCodes as Codes

from rigid_tree_kinematics import planning
from rigid_tree_kinematics.arrays import Array
from rigid_tree_kinematics.errors import ConfigurationError
from rigid_tree_kinematics.kinematics import body_transform
from rigid_tree_kinematics.nodes.common.process import Parameters, parameter
from rigid_tree_kinematics.nodes.moveit.messages import Job, MoveItError, error_code, goals_of
from rigid_tree_kinematics.nodes.moveit.plan.requests import Search, motion_settings
from rigid_tree_kinematics.nodes.scene import placed_pose

SLOWEST = 1e-4  # m/s, m/s^2, rad/s
PILZ_PIPELINE = "pilz_industrial_motion_planner"
PILZ_PLANNER_IDS = ("PTP", "LIN", "CIRC")
CENTER, INTERIM = "center", "interim"
INVALID_GOAL = Codes.INVALID_GOAL_CONSTRAINTS
INVALID_PLAN = Codes.INVALID_MOTION_PLAN


@dataclass(frozen=True)
class ToolSettings(Parameters):
    """Limits of the tool in LIN and CIRC: parameters with Pilz' names and defaults."""

    max_trans_vel: float = parameter(
        1.0, "Velocity of the tool in LIN and CIRC.", SLOWEST, 100.0, unit="m/s"
    )
    max_trans_acc: float = parameter(
        2.25, "Acceleration of the tool in LIN and CIRC.", SLOWEST, 1000.0, unit="m/s^2"
    )
    max_trans_dec: float = parameter(
        -5.0,
        "Deceleration of the tool in LIN and CIRC; its sign is ignored.",
        low=-1000.0,
        high=1000.0,
        unit="m/s^2",
    )
    max_rot_vel: float = parameter(
        1.57, "Angular velocity of the tool in LIN and CIRC.", SLOWEST, 100.0, unit="rad/s"
    )

    def check(self) -> None:
        """Raise ConfigurationError for a deceleration near 0."""
        if abs(self.max_trans_dec) < SLOWEST:
            words = "the absolute value of parameter 'max_trans_dec' must be at least"
            raise ConfigurationError(f"{words} {SLOWEST:g} m/s^2, not {abs(self.max_trans_dec):g}")

    def limits(self) -> planning.ToolLimits:
        """Return the limits for the library."""
        return planning.ToolLimits(
            velocity=self.max_trans_vel,
            acceleration=self.max_trans_acc,
            deceleration=abs(self.max_trans_dec),
            rotation_velocity=self.max_rot_vel,
        )


async def prescribed_search(job: Job, limits: planning.ToolLimits) -> Search:
    """Return a request's search function and planner; raises MoveItError, UnknownFrameError."""
    request = job.request
    if request.planner_id not in PILZ_PLANNER_IDS:
        words = f"planner_id is one of {', '.join(PILZ_PLANNER_IDS)}, not '{request.planner_id}'"
        raise MoveItError(Codes.PLANNING_FAILED, f"pipeline '{PILZ_PIPELINE}': {words}")
    circular, path = request.planner_id == "CIRC", request.path_constraints
    if not circular and (
        path.joint_constraints
        or path.position_constraints
        or path.orientation_constraints
        or path.visibility_constraints
    ):
        words = f"{request.planner_id} does not support path constraints: its path is prescribed"
        raise MoveItError(Codes.PLANNING_FAILED, words)
    settings, planner = motion_settings(request, job.settings), job.planner
    goal = await _goal(job)
    if request.planner_id == "PTP":
        return settings, partial(
            planning.move_joints, planner, job.start, goal, settings, job.deadline
        )
    link, first, last = _ends(job, goal)
    way = await _arc(job, first, last) if circular else planning.ToolLine(first, last)

    def search() -> planning.PlanResult:
        with error_code(INVALID_GOAL):
            return planning.move_tool(
                planner, link, job.start, way, limits, settings, job.deadline
            )

    return settings, search


async def _goal(job: Job) -> Array | planning.PoseGoal:
    """Return the single goal: a configuration or a pose."""
    request = job.request
    if len(request.goal_constraints) != 1:
        words = f"{request.planner_id} has one goal, not {len(request.goal_constraints)}"
        raise MoveItError(INVALID_GOAL, words)
    goal = (await goals_of(request.goal_constraints[0], job))[0]
    if isinstance(goal, np.ndarray | planning.PoseGoal):
        return goal
    words = "is joint positions or a position with an orientation"
    raise MoveItError(INVALID_GOAL, f"the goal of {request.planner_id} {words}")


def _ends(job: Job, goal: Array | planning.PoseGoal) -> tuple[str, Array, Array]:
    """Return the link that follows the path, and its poses at the start and at the goal."""
    tree = job.robot.tree
    if isinstance(goal, planning.PoseGoal):
        return goal.body, body_transform(tree, job.start, goal.body), goal.pose
    named = job.request.path_constraints.position_constraints
    link, _ = job.tool(named[0].link_name if named else "")
    return link, body_transform(tree, job.start, link), body_transform(tree, goal, link)


async def _arc(job: Job, first: Array, last: Array) -> planning.ToolArc:
    """Return the arc of a path constraint named 'center' or 'interim'."""
    constraints = job.request.path_constraints
    if constraints.name not in (CENTER, INTERIM):
        words = f"CIRC needs a path constraint named '{CENTER}' or '{INTERIM}'"
        raise MoveItError(INVALID_PLAN, f"{words}, not '{constraints.name}'")
    places = constraints.position_constraints
    if len(places) != 1 or len(places[0].constraint_region.primitive_poses) != 1:
        words = "has one position constraint, whose region has one primitive_pose: the point"
        raise MoveItError(INVALID_PLAN, f"path constraint '{constraints.name}' {words}")
    with error_code(INVALID_PLAN):
        T_frame_point = placed_pose(places[0].constraint_region.primitive_poses[0])
        T_base_frame = await job.frames.base_from(places[0].header.frame_id, job.start)
        point = (T_base_frame @ T_frame_point)[:3, 3]
        goal = job.request.goal_constraints[0].position_constraints
        if goal:
            offset = goal[0].target_point_offset
            _, T_link_tool = job.tool(goal[0].link_name)
            shift = T_link_tool @ np.array([offset.x, offset.y, offset.z, 1.0])
            point = point - last[:3, :3] @ shift[:3]
        arc = planning.arc_about if constraints.name == CENTER else planning.arc_through
        return arc(first, last, point)
