"""Motion plan requests, and straight lines, by the planner of rrt_planner."""

from __future__ import annotations

import itertools
import math
from dataclasses import replace
from typing import Any

from moveit_msgs.msg import (
    Constraints,
    MotionPlanRequest,
    MotionPlanResponse,
    MoveItErrorCodes,
    RobotTrajectory,
)
from moveit_msgs.srv import GetCartesianPath

from rigid_tree_kinematics.arrays import Array
from rigid_tree_kinematics.collision import Scene
from rigid_tree_kinematics.deadline import Deadline
from rigid_tree_kinematics.description.srdf import Group
from rigid_tree_kinematics.errors import OutOfTimeError
from rigid_tree_kinematics.ik import Constraint
from rigid_tree_kinematics.kinematics import body_transform
from rigid_tree_kinematics.model.transforms import inverse
from rigid_tree_kinematics.nodes.moveit.messages import (
    PLANS,
    START_STATE_INVALID,
    BaseFrames,
    ConstraintReader,
    Goals,
    MoveItError,
    MoveItRobot,
    goals_of,
    merged_joints,
    plain_frame,
    refusing,
    robot_state,
    violates_start,
)
from rigid_tree_kinematics.nodes.planning import LONGEST_PLAN, PlannerSettings, timed_message
from rigid_tree_kinematics.nodes.scene import placed_pose
from rigid_tree_kinematics.planning import (
    SMALLEST_SCALE,
    JumpLimits,
    MotionPlanner,
    PlanResult,
    PlanSettings,
    PlanStatus,
    StraightLine,
    Trajectory,
    eased,
    exact_solver,
    follow_straight_line,
    joint_excess,
    speed_excess,
)

PIPELINE = "ompl"
# Names that MoveIt's clients know, in lower case and without "kConfigDefault".
PLANNERS = {"rrtconnect": "rrt_connect", "rrt": "rrt", "rrtstar": "rrt_star"}
PLANNER_IDS = ("RRTConnectkConfigDefault", "RRTkConfigDefault", "RRTstarkConfigDefault")
MOST_ATTEMPTS = 100
SCALING_FACTORS = ("max_velocity_scaling_factor", "max_acceleration_scaling_factor")
FOR_TIMING = 0.5  # of the time for a line, when its joint positions are looked for
SLOWEST = 1e-4  # m/s: who asks for less gets this


def constrains(constraints: Constraints) -> bool:
    """Return whether constraints say anything."""
    return bool(
        constraints.joint_constraints
        or constraints.position_constraints
        or constraints.orientation_constraints
        or constraints.visibility_constraints
    )


async def path_constraints(
    message: Constraints, robot: MoveItRobot, group: Group, start: Array, frames: BaseFrames
) -> list[Constraint]:
    """Return what is to be held along a way; MoveItError, UnknownFrameError."""
    code = MoveItErrorCodes.PLANNING_FAILED
    merged_joints(message.joint_constraints, robot, code)
    reader = ConstraintReader(robot, group, start, frames, moving_frames=True, code=code)
    return await reader.read(message)


async def plan(
    request: MotionPlanRequest,
    robot: MoveItRobot,
    scene: Scene,
    frames: BaseFrames,
    settings: PlannerSettings,
    deadline: Deadline,
    response: MotionPlanResponse,
) -> PlanResult:
    """Plan and fill in a response, but for its code; MoveItError, UnknownFrameError."""
    response.group_name = request.group_name
    group = robot.group(request.group_name)
    chosen = plan_settings(request, settings)
    start = robot.start(request.start_state)
    response.trajectory_start = robot_state(robot, start)
    constraints = await path_constraints(request.path_constraints, robot, group, start, frames)
    if constraints and chosen.planner != "rrt_connect":
        raise MoveItError(
            MoveItErrorCodes.PLANNING_FAILED,
            f"planner_id '{request.planner_id}' holds no path constraints; {PLANNER_IDS[0]} does",
        )
    if not request.goal_constraints:
        raise MoveItError(MoveItErrorCodes.INVALID_GOAL_CONSTRAINTS, "there is no goal")
    goals: Goals = []
    for number, alternative in enumerate(request.goal_constraints):
        deadline.check(number, len(request.goal_constraints), "goals read")
        goals += await goals_of(alternative, robot, group, start, frames)
    planner = MotionPlanner(
        robot.tree, robot.checkers.checker(scene), moving_joints=list(group.joints)
    )
    with refusing(MoveItErrorCodes.PLANNING_FAILED):
        planner.path_constraints(constraints)
    result = planner.plan(start, goals, chosen, constraints=constraints, deadline=deadline)
    response.planning_time = deadline.seconds
    if result.status is PlanStatus.INVALID_INPUT and result.message.startswith("start"):
        raise MoveItError(START_STATE_INVALID, result.message)
    if not result.success:
        raise MoveItError(PLANS[result.status], result.message)
    result = within_speed(result, request, robot, group, planner, chosen, deadline)
    response.trajectory = trajectory_message(result, planner, settings.frame_prefix)
    return result


def plan_settings(request: MotionPlanRequest, settings: PlannerSettings) -> PlanSettings:
    """Return how to plan; MoveItError PLANNING_FAILED for a pipeline or planner not served."""
    known = ", ".join(PLANNER_IDS)
    if request.pipeline_id not in ("", PIPELINE):
        raise MoveItError(
            MoveItErrorCodes.PLANNING_FAILED,
            f"pipeline '{request.pipeline_id}' is not served; there is '{PIPELINE}' with {known}, "
            "and 'pilz_industrial_motion_planner' with PTP, LIN, CIRC",
        )
    chosen = general_settings(request, settings)
    word = request.planner_id.rpartition("[")[2].rstrip("]").removesuffix("kConfigDefault").lower()
    if word and word not in PLANNERS:
        raise MoveItError(
            MoveItErrorCodes.PLANNING_FAILED,
            f"planner_id '{request.planner_id}' is not served; known: {known}",
        )
    planner = PLANNERS.get(word, chosen.planner)
    runs = min(max(1, request.num_planning_attempts), MOST_ATTEMPTS)
    # One run of it takes all the time.
    return replace(chosen, planner=planner, runs=1 if planner == "rrt_star" else runs)


def general_settings(request: MotionPlanRequest, settings: PlannerSettings) -> PlanSettings:
    """Return what a request says of time and speed; MoveItError for what is too slow."""
    return replace(_scaled(request, settings), time_limit=planning_time(request, settings))


def planning_time(request: MotionPlanRequest, settings: PlannerSettings) -> float:
    """Return how long a request may take, s; what is not above 0 is the parameter's."""
    seconds = float(request.allowed_planning_time)
    if not seconds > 0.0:
        return settings.time_limit
    return min(seconds, LONGEST_PLAN)


def _scaled(
    request: MotionPlanRequest | GetCartesianPath.Request, settings: PlannerSettings
) -> PlanSettings:
    """Return settings with a request's scaling factors, which Humble's lines lack.

    What is not above 0 is the parameter's, and what is above 1 is 1, as in MoveIt. MoveItError
    INVALID_MOTION_PLAN, as in Pilz' planners, for less than SMALLEST_SCALE.
    """
    chosen = settings.plan_settings()
    scales: dict[str, Any] = {"velocity_scale": 0.0, "acceleration_scale": 0.0}
    for name, field in zip(scales, SCALING_FACTORS, strict=True):
        value = float(getattr(request, field, 0.0))
        if 0.0 < value < SMALLEST_SCALE:
            raise MoveItError(
                MoveItErrorCodes.INVALID_MOTION_PLAN,
                f"{field} is {SMALLEST_SCALE:g} to 1, or 0 for the default, not {value:g}",
            )
        usual = getattr(chosen, name)
        scales[name] = min(value, 1.0) if value > 0.0 and math.isfinite(value) else usual
    return replace(chosen, **scales)


def odd_scales(request: MotionPlanRequest | GetCartesianPath.Request) -> str:
    """Return what is wrong with a request's scaling factors, in words; empty if nothing is."""
    values = {name: getattr(request, name, 0.0) for name in SCALING_FACTORS}
    words = [f"{name} {value:g}" for name, value in values.items() if not 0.0 <= value <= 1.0]
    return f"{', '.join(words)}: factors lie in (0, 1]" if words else ""


def trajectory_message(result: PlanResult, planner: MotionPlanner, prefix: str) -> RobotTrajectory:
    """Return a plan's trajectory; MoveItError if it has none."""
    if result.trajectory is None:
        raise MoveItError(MoveItErrorCodes.PLANNING_FAILED, result.message)
    return timed_trajectory(result.trajectory, planner, prefix)


def timed_trajectory(
    trajectory: Trajectory, planner: MotionPlanner, prefix: str
) -> RobotTrajectory:
    """Return the joints that a planner moves as a message."""
    columns = planner.space.moving.tolist()
    names = [planner.space.names[k] for k in columns]
    root = prefix + planner.compiled.body_names[0]
    return RobotTrajectory(joint_trajectory=timed_message(trajectory, names, columns, root))


async def follow_line(
    request: GetCartesianPath.Request,
    robot: MoveItRobot,
    scene: Scene,
    frames: BaseFrames,
    settings: PlannerSettings,
    response: GetCartesianPath.Response,
) -> StraightLine:
    """Fill in a response; return how far the link comes, and what stopped it.

    Raises MoveItError, UnknownFrameError, and OutOfTimeError if there is nothing to answer.
    """
    deadline = frames.deadline
    chosen = _scaled(request, settings)
    group = robot.group(request.group_name)
    if not request.waypoints:
        raise MoveItError(MoveItErrorCodes.FAILURE, "there are no waypoints")
    if not (math.isfinite(request.max_step) and request.max_step > 0.0):
        raise MoveItError(
            MoveItErrorCodes.FAILURE, f"max_step is greater than zero, not {request.max_step:g}"
        )
    link = robot.link(request.link_name, group)
    start = robot.start(request.start_state)
    response.start_state = robot_state(robot, start)
    frame = request.header.frame_id
    with refusing(MoveItErrorCodes.INVALID_GOAL_CONSTRAINTS):
        T_base_frame = await frames.base_from(frame, start)
        poses: list[Array] = []
        for pose in request.waypoints:
            deadline.check(len(poses), len(request.waypoints), "waypoints read")
            poses.append(T_base_frame @ placed_pose(pose))
    if plain_frame(frame) == settings.frame_prefix + link:
        # In the link's own frame each waypoint is seen from the one before.
        T_link_base = inverse(body_transform(robot.tree, start, link))
        poses = list(itertools.accumulate(poses, lambda last, pose: last @ T_link_base @ pose))
    checker = robot.checkers.checker(scene)
    planner = MotionPlanner(robot.tree, checker, moving_joints=list(group.joints))
    with refusing(MoveItErrorCodes.FAILURE):
        held = planner.path_constraints(
            await path_constraints(request.path_constraints, robot, group, start, frames)
        )
    if held is not None and not held.met(start):
        raise violates_start(held.why(start))
    line = follow_straight_line(
        exact_solver(planner.compiled, link, robot.standing(group)),
        start,
        poses,
        request.max_step,
        checker=checker if request.avoid_collisions else None,
        jumps=_jumps(request),
        constraints=held,
        deadline=deadline.earlier(FOR_TIMING),
    )
    if len(line.path) < 2:
        if line.late:
            raise OutOfTimeError(line.trouble)
        return line
    result = planner.timed(
        line.path, chosen, checked=request.avoid_collisions, constraints=held, deadline=deadline
    )
    result = within_speed(result, request, robot, group, planner, chosen, deadline)
    response.solution = trajectory_message(result, planner, settings.frame_prefix)
    response.fraction = line.fraction
    return line


def _jumps(request: GetCartesianPath.Request) -> JumpLimits:
    """Return the thresholds, of which Humble's type has all; 0 or less: none."""
    values = {
        name: getattr(request, field, 0.0)
        for name, field in (
            ("relative", "jump_threshold"),
            ("revolute", "revolute_jump_threshold"),
            ("prismatic", "prismatic_jump_threshold"),
        )
    }
    return JumpLimits(
        **{
            name: value if value > 0.0 and math.isfinite(value) else 0.0
            for name, value in values.items()
        }
    )


def within_speed(
    result: PlanResult,
    request: MotionPlanRequest | GetCartesianPath.Request,
    robot: MoveItRobot,
    group: Group,
    planner: MotionPlanner,
    chosen: PlanSettings,
    deadline: Deadline,
) -> PlanResult:
    """Return a plan slowed down to the Cartesian speed that a request allows, if it does.

    MoveItError INVALID_LINK_NAME for a link that is none.
    """
    limit = speed_limit(request, robot, group)
    if limit is None or result.trajectory is None:
        return result
    joints = joint_excess(planner.limits(chosen), planner.space.moving)
    speed = speed_excess(planner.compiled, *limit)
    return replace(result, trajectory=eased(result.trajectory, joints, speed, deadline=deadline))


def speed_limit(
    request: MotionPlanRequest | GetCartesianPath.Request, robot: MoveItRobot, group: Group
) -> tuple[str, float] | None:
    """Return the link whose speed a request limits, and to what, m/s; the tip if it names none."""
    speed = getattr(request, "max_cartesian_speed", 0.0)
    if not (math.isfinite(speed) and speed > 0.0):
        return None
    # Humble has the other name.
    names = ("cartesian_speed_limited_link", "cartesian_speed_end_effector_link")
    link = next((getattr(request, name) for name in names if hasattr(request, name)), "")
    return robot.link(link, group), max(speed, SLOWEST)
