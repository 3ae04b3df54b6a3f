"""Prescribed motions: all joints together, or the tool along a path.

They correspond to the planners PTP, LIN and CIRC of Pilz' industrial motion planner
(https://moveit.picknik.ai, "Pilz Industrial Motion Planner"): the tool accelerates, cruises and
decelerates, at the pace of the slower of translation and rotation. If a joint cannot follow, the
whole motion is slowed down, so that the tool's speed stays constant.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from time import perf_counter
from typing import TYPE_CHECKING

import numpy as np

from rigid_tree_kinematics.arrays import Array
from rigid_tree_kinematics.deadline import Deadline
from rigid_tree_kinematics.errors import PlanningError, RigidTreeError
from rigid_tree_kinematics.ik import free_solutions
from rigid_tree_kinematics.kinematics import body_transform
from rigid_tree_kinematics.model.configuration import configuration_vector
from rigid_tree_kinematics.model.joints import QUATERNION, QUATERNION_REST
from rigid_tree_kinematics.planning.planner import MotionPlanner
from rigid_tree_kinematics.planning.problem import (
    MOST_SOLUTIONS,
    PlanResult,
    PlanSeconds,
    PlanSettings,
    PlanStatus,
    PoseGoal,
    Trajectory,
    no_path,
)
from rigid_tree_kinematics.planning.timing import (
    LONGEST_DURATION,
    MOST_POINTS,
    JerkLimit,
    fastest_motion,
    joint_excess,
    sampled,
    slowed,
)
from rigid_tree_kinematics.planning.tool.pose_following import exact_solver, follow_poses
from rigid_tree_kinematics.planning.tool.tool_path import ToolPath

if TYPE_CHECKING:
    from scipy.interpolate import CubicSpline

SHIFT_STEP = 0.005  # m, between poses with solved joint positions
TURN_STEP = 0.02  # rad
HALVINGS = 4  # of the steps, until the curve between two poses is on the path
WAY_TOLERANCE = 1e-5  # m and rad, the tool's deviation from its path
SAMPLE_TIME = 0.01  # s between points of a trajectory
MOST_STRETCH = 50.0  # a motion that has to be slowed down more than this passes a singularity
FEWEST_STEPS = 4  # of a path, for a cubic curve
NO_MOTION = 1e-9  # m and rad; smaller motions are ignored


@dataclass(frozen=True)
class ToolLimits:
    """Limits of a tool: speed (m/s), acceleration and deceleration (m/s^2), rotation (rad/s).

    Accelerations of rotations have the same ratio to velocity as those of translations.

    Example:
        >>> slow = ToolLimits(velocity=0.2, acceleration=0.5, deceleration=0.5)  # m/s, m/s^2
        >>> slow.rotation_velocity
        1.57
    """

    velocity: float = 1.0
    acceleration: float = 2.25
    deceleration: float = 5.0
    rotation_velocity: float = 1.57

    def __post_init__(self) -> None:
        for name, value in vars(self).items():
            if not (math.isfinite(value) and value > 0.0):
                raise PlanningError(f"{name} of a tool must be finite and above 0, not {value}")

    def of_share(self, path: ToolPath, settings: PlanSettings) -> Array:
        """Return limits (4, 1) of the share of a path for ``fastest_phases``."""
        radius = self.velocity / self.rotation_velocity
        longest = max(path.length, radius * path.angle)
        velocity = settings.velocity_scale * self.velocity / longest
        scale = settings.acceleration_scale / longest
        rows = (-velocity, velocity, -scale * self.deceleration, scale * self.acceleration)
        return np.array(rows)[:, np.newaxis]


def move_joints(
    planner: MotionPlanner,
    start: Array,
    goal: Array | PoseGoal,
    settings: PlanSettings,
    deadline: Deadline,
) -> PlanResult:
    """Return the synchronized motion of all joints to a goal (PTP), if it is free.

    All joints have completed the same share of their motion at any time; the slowest sets the
    pace. Joints that the planner does not move keep their start positions. Of a pose's solutions,
    the nearest with a free motion is used. Raises OutOfTimeError.

    Example:
        >>> from rigid_tree_kinematics.deadline import Deadline
        >>> planner = MotionPlanner(load_robot("ur5"))
        >>> q = planner.compiled.home
        >>> result = move_joints(planner, q, q + 0.5, PlanSettings(), Deadline(10.0))
        >>> print(result.path[-1].round(2), result.trajectory.times[-1].round(2))  # rad, s
        [ 0.5  -1.07  2.07 -1.07 -1.07  0.5 ] 0.64
    """
    invalid = _invalid_start(planner, start)
    if invalid is not None:
        return invalid
    width = len(start)
    if not isinstance(goal, PoseGoal):
        end = start.copy()
        try:
            end[planner.space.moving] = configuration_vector(planner.compiled, goal)[
                planner.space.moving
            ]
            ends = [planner.space.inside(end)]
        except RigidTreeError as error:
            return no_path(PlanStatus.INVALID_INPUT, f"goal: {error}", width)
    else:
        solver = exact_solver(planner.compiled, goal.body, planner.locked)
        found, touching = free_solutions(
            solver, planner.checker, goal.pose, start, most=MOST_SOLUTIONS, timeout=deadline
        )
        if not found:
            return no_path(PlanStatus.GOAL_BLOCKED, f"every posture is blocked: {touching}", width)
        if not found[0].success:
            return no_path(PlanStatus.GOAL_UNREACHABLE, found[0].message, width)
        ends = [np.array(result.configuration) for result in found]
    reason = ""
    for number, end in enumerate(ends):
        if number:
            deadline.check(number, len(ends), "postures of the goal")
        contact = planner.checker.motion_contact(start, end)
        if contact is None:
            return planner.timed(np.array([start, end]), settings, deadline=deadline)
        reason = reason or f"'{contact.first}' touches '{contact.second}' on the path"
    return no_path(PlanStatus.WAY_BLOCKED, reason, width)


def move_tool(
    planner: MotionPlanner,
    body: str,
    start: Array,
    path: ToolPath,
    limits: ToolLimits,
    settings: PlanSettings,
    deadline: Deadline,
) -> PlanResult:
    """Return the motion of a body along a path (LIN, CIRC) from its pose at ``start``.

    The status is WAY_BLOCKED if the path is in collision or joints would have to move too fast;
    GOAL_UNREACHABLE if no joint positions are found. Raises PlanningError for floating joints.

    Example:
        >>> from rigid_tree_kinematics.deadline import Deadline
        >>> robot = load_robot("ur5")
        >>> q = robot.home_configuration()
        >>> start = robot.get_transform(q, "tool0")
        >>> goal = start.copy()
        >>> goal[2, 3] -= 0.1  # m, down
        >>> line, slow = ToolLine(start, goal), ToolLimits(velocity=0.1)
        >>> planner, deadline = MotionPlanner(robot), Deadline(60.0)
        >>> result = move_tool(planner, "tool0", q, line, slow, PlanSettings(), deadline)
        >>> print(result.status.name, result.trajectory.times[-1].round(1))  # s
        SOLVED 1.7
    """
    invalid = _invalid_start(planner, start)
    if invalid is not None:
        return invalid
    kinds = planner.space.kinds[planner.space.moving]
    if np.isin(kinds, (QUATERNION, QUATERNION_REST)).any():
        raise PlanningError("tool paths do not support floating joints: lock the joint")
    if path.length < NO_MOTION and path.angle < NO_MOTION:
        return planner.timed(np.array([start, start]), settings, deadline=deadline)
    started = perf_counter()
    found = _points_along(planner, body, start, path, deadline)
    if isinstance(found, PlanResult):
        return found
    searched = perf_counter()
    trajectory = _timed(planner, _curve(found), limits.of_share(path, settings), settings)
    if isinstance(trajectory, str):
        return no_path(PlanStatus.WAY_BLOCKED, trajectory, len(start))
    seconds = PlanSeconds(search=searched - started, timing=perf_counter() - searched)
    length = planner.space.path_length(found)
    message = (
        f"path of {path.length:.3f} m and {path.angle:.3f} rad in {trajectory.times[-1]:.3f} s"
    )
    return PlanResult(PlanStatus.SOLVED, message, found, length, trajectory, seconds=seconds)


def _invalid_start(planner: MotionPlanner, start: Array) -> PlanResult | None:
    try:
        planner.space.inside(start)
    except RigidTreeError as error:
        return no_path(PlanStatus.INVALID_INPUT, f"start: {error}", len(start))
    report = planner.checker.check(start)
    if report.free:
        return None
    message = f"the start is blocked: {report.message}"
    return no_path(PlanStatus.START_BLOCKED, message, len(start))


def _points_along(
    planner: MotionPlanner, body: str, start: Array, path: ToolPath, deadline: Deadline
) -> Array | PlanResult:
    """Return evenly spaced configurations (k, nq) along a path, dense enough for a curve."""
    solver = exact_solver(planner.compiled, body, planner.locked)
    needed = max(path.length / SHIFT_STEP, path.angle / TURN_STEP)
    count = max(FEWEST_STEPS, math.ceil(needed))
    for _ in range(HALVINGS):
        shares = np.arange(1, count + 1) / count
        poses = [path.pose(float(share)) for share in shares]
        found = follow_poses(solver, start, poses, checker=planner.checker, deadline=deadline)
        if not found.success:
            place = ", ".join(f"{value:.3f}" for value in poses[found.done][:3, 3])
            part = f"at {100.0 * found.done / count:.1f} % of the path, ({place}) m"
            return no_path(found.status, f"{found.trouble} {part}", len(start))
        if _deviation(planner, body, found.path, path) < WAY_TOLERANCE:
            break
        count *= 2
    return found.path


def _curve(path: Array) -> CubicSpline:
    """Return the curve through evenly spaced points (k, nq), over a share from 0 to 1."""
    from scipy.interpolate import CubicSpline

    return CubicSpline(np.linspace(0.0, 1.0, len(path)), path)


def _deviation(planner: MotionPlanner, body: str, points: Array, path: ToolPath) -> float:
    """Return the deviation of the curve from a path between its points, m or rad."""
    shares = (np.arange(len(points) - 1) + 0.5) / (len(points) - 1)
    between = _curve(points)(shares)
    there = body_transform(planner.compiled, between, body)
    wanted = np.array([path.pose(float(share)) for share in shares])
    return float(np.abs(there - wanted).max())


def _timed(
    planner: MotionPlanner, curve: CubicSpline, share_limits: Array, settings: PlanSettings
) -> Trajectory | str:
    """Return a trajectory along a curve, or the reason if it is too fast."""
    line = np.array([[0.0], [1.0]])
    jerk, own_jerk = planner.jerk_limits(settings), None
    if jerk is not None:
        steepest = (np.abs(curve(curve.x, 1)) / jerk).max(keepdims=True)
        own_jerk = JerkLimit(1.0 / steepest[0])
    motion = fastest_motion(line, np.zeros(2), share_limits, own_jerk)
    end = motion.duration
    if not end <= LONGEST_DURATION:
        return f"the motion would take {end:.3g} s, more than a day"
    spacing = max(SAMPLE_TIME, end / MOST_POINTS)
    times, s, ds, dds = sampled(motion, share_limits, spacing, line, own_jerk)
    q, first, second = (curve(s[:, 0], order) for order in range(3))
    whole = Trajectory(times, q, first * ds, second * ds**2 + first * dds)
    limits = planner.limits(settings)
    stretch = float(joint_excess(limits, planner.space.moving)(whole).max(initial=1.0))
    if stretch > MOST_STRETCH:
        return _too_fast(planner, whole, limits, stretch)
    return planner.within_jerk(slowed(whole, stretch), settings)


def _too_fast(
    planner: MotionPlanner, trajectory: Trajectory, limits: tuple[Array, Array], stretch: float
) -> str:
    """Return the joint that cannot follow, and where."""
    with np.errstate(divide="ignore"):
        ratios = np.maximum(
            np.abs(trajectory.velocities) / limits[0],
            np.sqrt(np.abs(trajectory.accelerations) / limits[1]),
        )
    row, column = np.unravel_index(int(np.argmax(ratios)), ratios.shape)
    share = 100.0 * row / (len(ratios) - 1)
    return (
        f"'{planner.space.names[int(column)]}' would have to move {stretch:.0f} times as fast as "
        f"it can, {share:.0f} % into the motion: the path is too near to a singularity"
    )
