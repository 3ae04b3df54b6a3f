"""Speeds, times and limits of motion requests, and trajectory messages."""

import math
from dataclasses import replace
from typing import Any, TypeAlias

from moveit_msgs.msg import MotionPlanRequest, RobotTrajectory
from moveit_msgs.msg import MoveItErrorCodes as Codes
from moveit_msgs.srv import GetCartesianPath

from rigid_tree_kinematics import planning
from rigid_tree_kinematics.errors import told_apart
from rigid_tree_kinematics.ik import Constraint
from rigid_tree_kinematics.nodes.planning import LONGEST_PLAN, PlannerSettings, timed_message
from rigid_tree_moveit.move_group import messages

Request: TypeAlias = MotionPlanRequest | GetCartesianPath.Request

SCALING_FACTORS = ("max_velocity_scaling_factor", "max_acceleration_scaling_factor")
SLOWEST = 1e-4  # m/s, to which lower speed limits are raised


async def path_constraints(job: messages.Job) -> list[Constraint]:
    """Return a request's path constraints; MoveItError, UnknownFrameError."""
    code, message = Codes.PLANNING_FAILED, job.request.path_constraints
    with messages.error_code(code):
        messages.merged_joints(message.joint_constraints, job.robot.tree)
    return await messages.read_constraints(message, job, code)


def planning_time(request: MotionPlanRequest, settings: PlannerSettings) -> float:
    """Return a request's time limit, s; the parameter's if the request has none above 0."""
    seconds = float(request.allowed_planning_time)
    return min(seconds, LONGEST_PLAN) if seconds > 0.0 else settings.time_limit


def scaled_settings(request: Request, settings: PlannerSettings) -> planning.PlanSettings:
    """Return settings with a request's scaling factors (Humble's Cartesian ones lack them).

    As in MoveIt, the parameter replaces factors that are not above 0, and factors above 1 are
    clamped. As in Pilz' planners, MoveItError INVALID_MOTION_PLAN for factors below
    SMALLEST_SCALE.
    """
    chosen = settings.plan_settings()
    scales: dict[str, Any] = {"velocity_scale": 0.0, "acceleration_scale": 0.0}
    for name, field in zip(scales, SCALING_FACTORS, strict=True):
        value = float(getattr(request, field, 0.0))
        if 0.0 < value < planning.SMALLEST_SCALE:
            least, found = told_apart(planning.SMALLEST_SCALE, value)
            reason = f"{least} to 1, or 0 for the default, not {found}"
            raise messages.MoveItError(Codes.INVALID_MOTION_PLAN, f"{field} must be {reason}")
        given = value > 0.0 and math.isfinite(value)
        scales[name] = min(value, 1.0) if given else getattr(chosen, name)
    return replace(chosen, **scales)


def motion_settings(
    request: MotionPlanRequest, settings: PlannerSettings
) -> planning.PlanSettings:
    """Return settings with a request's time limit and scaling factors; MoveItError."""
    return replace(scaled_settings(request, settings), time_limit=planning_time(request, settings))


def scaling_warning(request: Request) -> str:
    """Return a warning about scaling factors outside [0, 1]; empty if there are none."""
    values = {name: getattr(request, name, 0.0) for name in SCALING_FACTORS}
    invalid = [f"{name} {value:g}" for name, value in values.items() if not 0.0 <= value <= 1.0]
    return f"{', '.join(invalid)}: factors must be in (0, 1]" if invalid else ""


def planned_trajectory(
    job: messages.Job, result: planning.PlanResult, settings: planning.PlanSettings
) -> RobotTrajectory:
    """Return a plan's trajectory as a message; MoveItError if it has none."""
    if result.trajectory is None:
        raise messages.MoveItError(Codes.PLANNING_FAILED, result.message)
    return timed_trajectory(from_outside(job, result.trajectory, settings), job)


def from_outside(
    job: messages.Job, trajectory: planning.Trajectory, settings: planning.PlanSettings
) -> planning.Trajectory:
    """Return a trajectory with time for a motion from outside the limits to its first point."""
    distances = job.start - job.configuration
    if not distances.any():
        return trajectory
    return trajectory.after(planning.rest_to_rest_time(distances, *job.planner.limits(settings)))


def timed_trajectory(trajectory: planning.Trajectory, job: messages.Job) -> RobotTrajectory:
    """Return the trajectory of the joints that a job moves as a message."""
    root = job.settings.frame_prefix + job.robot.tree.base_name
    return RobotTrajectory(joint_trajectory=timed_message(trajectory, job.planner.space, root))


def within_speed(
    job: messages.Job, result: planning.PlanResult, settings: planning.PlanSettings
) -> planning.PlanResult:
    """Return a plan slowed down to the Cartesian speed limit of a request, if it has one.

    MoveItError INVALID_LINK_NAME for an unknown link.
    """
    limit = speed_limit(job)
    if limit is None or result.trajectory is None:
        return result
    planner = job.planner
    joints = planning.joint_excess(planner.limits(settings), planner.space.moving)
    speed = planning.speed_excess(planner.compiled, *limit)
    slowed = planning.eased(result.trajectory, joints, speed, deadline=job.deadline)
    return replace(result, trajectory=planner.within_jerk(slowed, settings))


def speed_limit(job: messages.Job) -> tuple[str, float] | None:
    """Return the link whose speed a request limits, by default the tip, and the limit, m/s."""
    speed = getattr(job.request, "max_cartesian_speed", 0.0)
    if not (math.isfinite(speed) and speed > 0.0):
        return None
    # Humble has the second name.
    names = ("cartesian_speed_limited_link", "cartesian_speed_end_effector_link")
    link = next((getattr(job.request, name) for name in names if hasattr(job.request, name)), "")
    return job.robot.link(link, job.group), max(speed, SLOWEST)
