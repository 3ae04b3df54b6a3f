"""compute_cartesian_path: straight lines of a link through waypoints."""

import itertools
import math

import numpy as np
from moveit_msgs.msg import MoveItErrorCodes as Codes

from rigid_tree_kinematics import planning
from rigid_tree_kinematics.arrays import Array
from rigid_tree_kinematics.errors import OutOfTimeError
from rigid_tree_kinematics.model.transforms import inverse
from rigid_tree_kinematics.nodes.scene import placed_pose
from rigid_tree_moveit.move_group import messages, requests

FOR_TIMING = 0.5  # fraction of the time that is reserved for timing
JUMPS = {  # Humble's type has only the first of these fields
    "relative": "jump_threshold",
    "revolute": "revolute_jump_threshold",
    "prismatic": "prismatic_jump_threshold",
}


async def follow_line(job: messages.Job) -> planning.StraightLine:
    """Fill in a response; return the completed fraction, and what stopped it.

    Raises MoveItError, UnknownFrameError, and OutOfTimeError if there is nothing to answer.
    """
    request, response = job.request, job.response
    settings = requests.scaled_settings(request, job.settings)
    if not request.waypoints:
        raise messages.MoveItError(Codes.FAILURE, "there are no waypoints")
    if not (math.isfinite(request.max_step) and request.max_step > 0.0):
        reason = f"max_step must be greater than zero, not {request.max_step:g}"
        raise messages.MoveItError(Codes.FAILURE, reason)
    link, T_link_tool = job.tool(request.link_name)
    response.start_state = messages.start_state(job)
    poses = [pose @ inverse(T_link_tool) for pose in await _waypoints(job)]
    with messages.error_code(Codes.FAILURE):
        constraints = job.planner.path_constraints(await requests.path_constraints(job))
    if constraints is not None and not constraints.met(job.start):
        reason = f"the start violates the constraints: {constraints.why(job.start)}"
        raise messages.MoveItError(Codes.START_STATE_VIOLATES_PATH_CONSTRAINTS, reason)
    # The position of a frame on the link depends on the link's orientation.
    weights = job.weights if np.array_equal(T_link_tool, np.eye(4)) else (1.0,) * 6
    jumps = {name: float(getattr(request, field, 0.0)) for name, field in JUMPS.items()}
    line = planning.follow_straight_line(
        planning.exact_solver(job.planner.compiled, link, job.locked, weights),
        job.start,
        poses,
        request.max_step,
        checker=job.checker if request.avoid_collisions else None,
        jumps=planning.JumpLimits(**{k: v for k, v in jumps.items() if 0.0 < v < math.inf}),
        constraints=constraints,
        deadline=job.deadline.earlier(FOR_TIMING),
    )
    if len(line.path) < 2:
        if line.late:
            raise OutOfTimeError(line.trouble)
        return line
    result = job.planner.timed(
        line.path,
        settings,
        checked=request.avoid_collisions,
        constraints=constraints,
        deadline=job.deadline,
    )
    result = requests.within_speed(job, result, settings)
    response.solution = requests.planned_trajectory(job, result, settings)
    response.fraction = line.fraction
    return line


async def _waypoints(job: messages.Job) -> list[Array]:
    """Return the waypoints of the frame that follows the line in the robot's base."""
    frame, waypoints = job.request.header.frame_id, job.request.waypoints
    poses: list[Array] = []
    with messages.error_code(Codes.INVALID_GOAL_CONSTRAINTS):
        T_base_frame = await job.frames.base_from(frame, job.start)
        for pose in waypoints:
            job.deadline.check(len(poses), len(waypoints), "waypoints read")
            poses.append(T_base_frame @ placed_pose(pose))
    own = job.request.link_name or job.group.tip
    if messages.plain_frame(frame) not in (own, job.settings.frame_prefix + own):
        return poses
    # In the moving frame, each waypoint is relative to the previous one.
    T_frame_base = inverse(T_base_frame)
    return list(itertools.accumulate(poses, lambda last, pose: last @ T_frame_base @ pose))
