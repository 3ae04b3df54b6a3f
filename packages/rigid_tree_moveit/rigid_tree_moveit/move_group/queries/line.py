"""compute_cartesian_path: straight lines of a link through waypoints."""

import itertools
import math
from dataclasses import dataclass

import numpy as np
from moveit_msgs.msg import MoveItErrorCodes as Codes
from moveit_msgs.srv import GetCartesianPath

from rigid_tree_kinematics import planning
from rigid_tree_kinematics.arrays import Array
from rigid_tree_kinematics.errors import OutOfTimeError
from rigid_tree_kinematics.ik import ConstraintSet
from rigid_tree_kinematics.model.transforms import inverse
from rigid_tree_kinematics.nodes.scene import placed_pose
from rigid_tree_moveit.move_group import messages
from rigid_tree_moveit.move_group.codes import MoveItError, error_code
from rigid_tree_moveit.move_group.queries import trajectories
from rigid_tree_moveit.move_group.robot import PlanningContext, plain_frame

FOR_TIMING = 0.5  # fraction of the time that is reserved for timing
JUMPS = {  # Humble's type has only the first of these fields
    "relative": "jump_threshold",
    "revolute": "revolute_jump_threshold",
    "prismatic": "prismatic_jump_threshold",
}


@dataclass(frozen=True, eq=False)
class LineQuery:
    """A request for straight lines of a link through poses (4x4) in the robot's base."""

    context: PlanningContext
    settings: planning.PlanSettings
    speed_limit: trajectories.SpeedLimit | None
    link: str
    poses: list[Array]
    weights: tuple[float, ...]
    max_step: float  # m
    jumps: planning.JumpLimits
    constraints: ConstraintSet | None
    avoid_collisions: bool

    def search(self) -> planning.StraightLine:
        """Return the configurations on the lines, as far as they go; OutOfTimeError if nowhere."""
        context = self.context
        if self.constraints is not None and not self.constraints.met(context.start):
            reason = f"the start violates the constraints: {self.constraints.why(context.start)}"
            raise MoveItError(Codes.START_STATE_VIOLATES_PATH_CONSTRAINTS, reason)
        compiled = context.planner.compiled
        line = planning.follow_straight_line(
            planning.exact_solver(compiled, self.link, context.locked, self.weights),
            context.start,
            self.poses,
            self.max_step,
            checker=context.checker if self.avoid_collisions else None,
            jumps=self.jumps,
            constraints=self.constraints,
            deadline=context.deadline.earlier(FOR_TIMING),
        )
        if line.late and len(line.path) < 2:
            raise OutOfTimeError(line.trouble)
        return line

    def trajectory(self, line: planning.StraightLine) -> planning.Trajectory:
        """Return the trajectory of a line with two points or more; MoveItError without one."""
        context = self.context
        result = context.planner.timed(
            line.path,
            self.settings,
            checked=self.avoid_collisions,
            constraints=self.constraints,
            deadline=context.deadline,
        )
        return trajectories.within_limits(result, context, self.settings, self.speed_limit)


async def read_line(request: GetCartesianPath.Request, context: PlanningContext) -> LineQuery:
    """Return a request for straight lines; raises MoveItError, UnknownFrameError."""
    settings = trajectories.read_settings(request, context.settings)
    if not request.waypoints:
        raise MoveItError(Codes.FAILURE, "there are no waypoints")
    if not (math.isfinite(request.max_step) and request.max_step > 0.0):
        reason = f"max_step must be greater than zero, not {request.max_step:g}"
        raise MoveItError(Codes.FAILURE, reason)
    link, T_link_tool = context.tool(request.link_name)
    T_tool_link = inverse(T_link_tool)
    poses = [pose @ T_tool_link for pose in await _waypoints(request, context)]
    constraints = await messages.read_path_constraints(request.path_constraints, context)
    with error_code(Codes.FAILURE):
        compiled_constraints = context.planner.path_constraints(constraints)
    jumps = {name: float(getattr(request, field, 0.0)) for name, field in JUMPS.items()}
    return LineQuery(
        context,
        settings,
        trajectories.read_speed_limit(request, context),
        link,
        poses,
        # The position of a frame on the link depends on the link's orientation.
        context.weights if np.array_equal(T_link_tool, np.eye(4)) else (1.0,) * 6,
        request.max_step,
        planning.JumpLimits(**{k: v for k, v in jumps.items() if 0.0 < v < math.inf}),
        compiled_constraints,
        request.avoid_collisions,
    )


async def _waypoints(request: GetCartesianPath.Request, context: PlanningContext) -> list[Array]:
    """Return the waypoints of the frame that follows the line in the robot's base."""
    frame, waypoints = request.header.frame_id, request.waypoints
    poses: list[Array] = []
    with error_code(Codes.INVALID_GOAL_CONSTRAINTS):
        T_base_frame = await context.frames.base_from(frame, context.start)
        for pose in waypoints:
            context.deadline.check(len(poses), len(waypoints), "waypoints read")
            poses.append(T_base_frame @ placed_pose(pose))
    own = request.link_name or context.group.tip
    if plain_frame(frame) not in (own, context.settings.frame_prefix + own):
        return poses
    # In the moving frame, each waypoint is relative to the previous one.
    T_frame_base = inverse(T_base_frame)
    return list(itertools.accumulate(poses, lambda last, pose: last @ T_frame_base @ pose))
