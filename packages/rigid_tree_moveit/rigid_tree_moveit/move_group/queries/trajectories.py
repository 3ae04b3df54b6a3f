"""Times and speeds of motion requests, and the trajectories planned with them."""

import math
from dataclasses import dataclass, replace
from functools import cached_property
from typing import NamedTuple, TypeAlias

from moveit_msgs.msg import MotionPlanRequest, RobotTrajectory
from moveit_msgs.msg import MoveItErrorCodes as Codes
from moveit_msgs.srv import GetCartesianPath

from rigid_tree_kinematics import planning
from rigid_tree_kinematics.nodes.planning import LONGEST_PLAN, timed_message
from rigid_tree_kinematics.text import told_apart
from rigid_tree_kinematics.trajectories import Waypoints, checked_waypoints
from rigid_tree_moveit.move_group.codes import MoveItError, error_code
from rigid_tree_moveit.move_group.robot import PlanningContext
from rigid_tree_moveit.move_group.settings import MoveGroupSettings

Request: TypeAlias = MotionPlanRequest | GetCartesianPath.Request


class SpeedLimit(NamedTuple):
    """The maximum speed (m/s) of a link."""

    link: str
    speed: float


SCALES = {
    "velocity_scale": "max_velocity_scaling_factor",
    "acceleration_scale": "max_acceleration_scaling_factor",
}
SLOWEST = 1e-4  # m/s, to which lower speed limits are raised


def planning_time(request: Request, settings: MoveGroupSettings) -> float:
    """Return a request's time limit, s; the parameter's if the request has none above 0."""
    seconds = float(getattr(request, "allowed_planning_time", 0.0))
    return min(seconds, LONGEST_PLAN) if seconds > 0.0 else settings.time_limit


def read_settings(request: Request, settings: MoveGroupSettings) -> planning.PlanSettings:
    """Return settings with a request's time limit and scaling factors.

    As in MoveIt, the parameter replaces factors that are not above 0, and factors above 1 are
    clamped. As in Pilz' planners, MoveItError INVALID_MOTION_PLAN for factors below
    SMALLEST_SCALE. Humble's Cartesian requests have no factors.
    """
    chosen = settings.plan_settings()
    scales: dict[str, float] = {}
    for name, field in SCALES.items():
        value = float(getattr(request, field, 0.0))
        if 0.0 < value < planning.SMALLEST_SCALE:
            least, found = told_apart(planning.SMALLEST_SCALE, value)
            reason = f"{least} to 1, or 0 for the default, not {found}"
            raise MoveItError(Codes.INVALID_MOTION_PLAN, f"{field} must be {reason}")
        given = value > 0.0 and math.isfinite(value)
        scales[name] = min(value, 1.0) if given else getattr(chosen, name)
    return replace(
        chosen,
        time_limit=planning_time(request, settings),
        velocity_scale=scales["velocity_scale"],
        acceleration_scale=scales["acceleration_scale"],
    )


def scaling_warning(request: Request) -> str:
    """Return a warning about scaling factors outside [0, 1]; empty if there are none."""
    values = {name: getattr(request, name, 0.0) for name in SCALES.values()}
    invalid = [f"{name} {value:g}" for name, value in values.items() if not 0.0 <= value <= 1.0]
    return f"{', '.join(invalid)}: factors must be in (0, 1]" if invalid else ""


def read_speed_limit(request: Request, context: PlanningContext) -> SpeedLimit | None:
    """Return the link whose speed a request limits, by default the tip, and the limit, m/s.

    MoveItError INVALID_LINK_NAME for an unknown link.
    """
    speed = getattr(request, "max_cartesian_speed", 0.0)
    if not (math.isfinite(speed) and speed > 0.0):
        return None
    # Humble has the second name.
    names = ("cartesian_speed_limited_link", "cartesian_speed_end_effector_link")
    link = next((getattr(request, name) for name in names if hasattr(request, name)), "")
    return SpeedLimit(context.robot.link(link, context.group), max(speed, SLOWEST))


def within_limits(
    result: planning.PlanResult,
    context: PlanningContext,
    settings: planning.PlanSettings,
    limit: SpeedLimit | None,
) -> planning.Trajectory:
    """Return a plan's trajectory, slowed down to a speed limit; MoveItError without one."""
    trajectory, planner = result.trajectory, context.planner
    if trajectory is None:
        raise MoveItError(Codes.PLANNING_FAILED, result.message)
    if limit is not None:
        joints = planning.joint_excess(planner.limits(settings), planner.space.moving)
        speed = planning.speed_excess(planner.compiled, limit.link, limit.speed)
        slowed = planning.eased(trajectory, joints, speed, deadline=context.deadline)
        trajectory = planner.within_jerk(slowed, settings)
    return from_outside(trajectory, context, settings)


def from_outside(
    trajectory: planning.Trajectory, context: PlanningContext, settings: planning.PlanSettings
) -> planning.Trajectory:
    """Return a trajectory with time for a motion from outside the limits to its first point."""
    distances = context.start - context.configuration
    if not distances.any():
        return trajectory
    limits = context.planner.limits(settings)
    return trajectory.after(planning.rest_to_rest_time(distances, *limits))


@dataclass(frozen=True, eq=False)
class PlannedTrajectory:
    """A planned trajectory of a context's group, as a message and for its execution."""

    trajectory: planning.Trajectory
    context: PlanningContext

    @cached_property
    def message(self) -> RobotTrajectory:
        """The trajectory of the group's joints."""
        context = self.context
        timed = timed_message(self.trajectory, context.planner.space, context.root)
        return RobotTrajectory(joint_trajectory=timed)

    @cached_property
    def waypoints(self) -> Waypoints:
        """The trajectory for its execution; MoveItError for joints that no controller moves."""
        planner, trajectory = self.context.planner, self.trajectory
        names = [planner.space.names[k] for k in planner.space.moving]
        rows = (trajectory.positions, trajectory.velocities, trajectory.accelerations)
        moved = (values[:, planner.space.moving].tolist() for values in rows)
        with error_code(Codes.INVALID_MOTION_PLAN):
            return checked_waypoints(planner.compiled, names, trajectory.times, *moved)
