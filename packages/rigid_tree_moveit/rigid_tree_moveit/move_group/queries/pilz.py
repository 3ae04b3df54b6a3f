"""Motion plan requests for Pilz' planners PTP, LIN and CIRC, whose paths are prescribed."""

from dataclasses import dataclass

import numpy as np
from moveit_msgs.msg import Constraints, MotionPlanRequest
from moveit_msgs.msg import MoveItErrorCodes as Codes

from rigid_tree_kinematics import planning
from rigid_tree_kinematics.arrays import Array
from rigid_tree_kinematics.ik import Constraint, ConstraintSet
from rigid_tree_kinematics.kinematics import body_transform
from rigid_tree_kinematics.nodes.scene import placed_pose
from rigid_tree_moveit.move_group import messages
from rigid_tree_moveit.move_group.codes import MoveItError, error_code
from rigid_tree_moveit.move_group.queries import trajectories
from rigid_tree_moveit.move_group.queries.motion import MotionQuery
from rigid_tree_moveit.move_group.robot import PlanningContext

PILZ_PLANNER_IDS = ("PTP", "LIN", "CIRC")
CENTER, INTERIM = "center", "interim"
INVALID_GOAL = Codes.INVALID_GOAL_CONSTRAINTS
INVALID_PLAN = Codes.INVALID_MOTION_PLAN


@dataclass(frozen=True, eq=False)
class PrescribedMotion(MotionQuery):
    """A motion of one of Pilz' planners.

    As in Pilz, ``constraints`` are ignored in planning; as in MoveIt's ValidateSolution, the path
    is checked.
    """

    planner_id: str
    constraints: ConstraintSet | None

    def check(self, result: planning.PlanResult) -> None:
        """Raise MoveItError for a plan that violates the path constraints, too."""
        super().check(result)
        if self.constraints is None or result.trajectory is None:
            return
        for q in result.trajectory.positions:
            if not self.constraints.met(q):
                reason = f"the path of {self.planner_id} violates the path constraints"
                raise MoveItError(INVALID_PLAN, f"{reason}: {self.constraints.why(q)}")


@dataclass(frozen=True, eq=False)
class JointMotion(PrescribedMotion):
    """PTP: all joints move together to a configuration or a pose."""

    goal: Array | planning.PoseGoal

    def search(self) -> planning.PlanResult:
        """Return a plan, or the reason why there is none."""
        context = self.context
        return planning.move_joints(
            context.planner, context.start, self.goal, self.settings, context.deadline
        )


@dataclass(frozen=True, eq=False)
class ToolMotion(PrescribedMotion):
    """LIN and CIRC: a link follows a path within the limits of the tool."""

    link: str
    path: planning.ToolPath
    limits: planning.ToolLimits

    def search(self) -> planning.PlanResult:
        """Return a plan, or the reason why there is none."""
        context = self.context
        with error_code(INVALID_GOAL):
            return planning.move_tool(
                context.planner,
                self.link,
                context.start,
                self.path,
                self.limits,
                self.settings,
                context.deadline,
            )


async def read_prescribed(
    request: MotionPlanRequest, context: PlanningContext, limits: planning.ToolLimits
) -> PrescribedMotion:
    """Return a request for one of Pilz' planners; raises MoveItError, UnknownFrameError."""
    name = request.planner_id
    settings = trajectories.read_settings(request, context.settings)
    speed = trajectories.read_speed_limit(request, context)
    goal = await _goal(request, context)
    if name == "PTP":
        constraints = await _constraints(request, context)
        return JointMotion(context, settings, speed, name, constraints, goal)
    link, first, last = _ends(request, context, goal)
    path: planning.ToolPath = planning.ToolLine(first, last)
    if name == "CIRC":
        path = await _arc(request, context, first, last)
    constraints = await _constraints(request, context)
    return ToolMotion(context, settings, speed, name, constraints, link, path, limits)


async def _constraints(
    request: MotionPlanRequest, context: PlanningContext
) -> ConstraintSet | None:
    """Return the path constraints by which the path is not planned; add a remark on them.

    A region without shapes, such as CIRC's point in a request for another planner, constrains
    nothing.
    """
    found: list[Constraint] = []
    fields = ["joint_constraints", "orientation_constraints", "visibility_constraints"]
    fields += ["position_constraints"] if request.planner_id != "CIRC" else []
    given = {name: getattr(request.path_constraints, name) for name in fields}
    for name, items in given.items():
        for item in items:
            volume = getattr(item, "constraint_region", None)
            if volume is not None and not (volume.primitives or volume.meshes):
                continue
            one = Constraints(**{name: [item]})
            found += await messages.read_constraints(one, context, Codes.PLANNING_FAILED)
    if any(given.values()):
        used = ", which has a path of its own; the path is checked" if found else ""
        context.remarks.append(f"path_constraints are not used by {request.planner_id}{used}")
    with error_code(Codes.PLANNING_FAILED):
        return context.planner.path_constraints(found)


async def _goal(request: MotionPlanRequest, context: PlanningContext) -> Array | planning.PoseGoal:
    """Return the single goal: a configuration or a pose."""
    if len(request.goal_constraints) != 1:
        reason = f"{request.planner_id} takes one goal, not {len(request.goal_constraints)}"
        raise MoveItError(INVALID_GOAL, reason)
    goal = (await messages.goals_of(request.goal_constraints[0], context))[0]
    if isinstance(goal, np.ndarray | planning.PoseGoal):
        return goal
    reason = "must be joint positions or a position with an orientation"
    raise MoveItError(INVALID_GOAL, f"the goal of {request.planner_id} {reason}")


def _ends(
    request: MotionPlanRequest, context: PlanningContext, goal: Array | planning.PoseGoal
) -> tuple[str, Array, Array]:
    """Return the link that follows the path, and its poses at the start and at the goal."""
    tree = context.robot.tree
    if isinstance(goal, planning.PoseGoal):
        return goal.body, body_transform(tree, context.start, goal.body), goal.pose
    named = request.path_constraints.position_constraints
    link, _ = context.tool(named[0].link_name if named else "")
    return link, body_transform(tree, context.start, link), body_transform(tree, goal, link)


async def _arc(
    request: MotionPlanRequest, context: PlanningContext, first: Array, last: Array
) -> planning.ToolArc:
    """Return the arc of a path constraint named 'center' or 'interim'."""
    constraints = request.path_constraints
    if constraints.name not in (CENTER, INTERIM):
        reason = f"CIRC needs a path constraint named '{CENTER}' or '{INTERIM}'"
        raise MoveItError(INVALID_PLAN, f"{reason}, not '{constraints.name}'")
    points = constraints.position_constraints
    if len(points) != 1 or len(points[0].constraint_region.primitive_poses) != 1:
        reason = "needs one position constraint, whose region has one primitive_pose: the point"
        raise MoveItError(INVALID_PLAN, f"path constraint '{constraints.name}' {reason}")
    with error_code(INVALID_PLAN):
        T_frame_point = placed_pose(points[0].constraint_region.primitive_poses[0])
        T_base_frame = await context.frames.base_from(points[0].header.frame_id, context.start)
        point = (T_base_frame @ T_frame_point)[:3, 3]
        goal = request.goal_constraints[0].position_constraints
        if goal:
            # The point is for the goal's target point, the path is that of the link's origin.
            offset = goal[0].target_point_offset
            _, T_link_tool = context.tool(goal[0].link_name)
            shift = T_link_tool @ np.array([offset.x, offset.y, offset.z, 1.0])
            point = point - last[:3, :3] @ shift[:3]
        arc = planning.arc_about if constraints.name == CENTER else planning.arc_through
        return arc(first, last, point)
