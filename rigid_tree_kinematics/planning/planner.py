"""Motion planning for a robot: collision-free paths to goals, with timing."""

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from itertools import pairwise, starmap
from time import perf_counter
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from rigid_tree_kinematics.arrays import Array
from rigid_tree_kinematics.collision import CollisionChecker
from rigid_tree_kinematics.deadline import Deadline
from rigid_tree_kinematics.errors import (
    ConfigurationError,
    OutOfTimeError,
    PlanningError,
    RigidTreeError,
)
from rigid_tree_kinematics.ik import Constraint, ConstraintSet
from rigid_tree_kinematics.model import RigidBodyTree
from rigid_tree_kinematics.model.configuration import configuration_vector
from rigid_tree_kinematics.planning.optimize import optimized
from rigid_tree_kinematics.planning.path import Corners, corner_radii, gentle_radii
from rigid_tree_kinematics.planning.problem import (
    OPTIMIZE,
    Goal,
    GoalConfigurations,
    GoalSearch,
    JudgedValidity,
    PlanResult,
    PlanSettings,
    PlanStatus,
    RobotValidity,
    Space,
    Trajectory,
    goal_configurations,
    goal_list,
    late_status,
    listed,
    no_path,
)
from rigid_tree_kinematics.planning.search import Motions, satisfies_constraints
from rigid_tree_kinematics.planning.space_planning import ProgressCall, plan_in_space
from rigid_tree_kinematics.planning.timing import (
    SMOOTHING_TIME,
    JerkLimit,
    slowed,
    time_path,
)

TIMING_TIME = 0.02  # s, the maximum that is reserved for the timing
TIMING_SHARE = 0.02  # of the time limit, likewise
LEAST_TIMING = 0.1  # s
# Shares of a jerk limit's window to try; with shorter ones the motion stays closer to its path.
JERK_SHARES = (1.0, 0.5, 0.25, 0.125, 0.03, 0.0)
FOR_TIMING = 0.3  # of the remaining time, reserved when the corners of a path are rounded

Free = Callable[[Array, Array], bool]  # whether a straight motion between two (nq,) is free


class MotionPlanner:
    """Plans for all joints of a robot, or for some while the others do not move.

    Args:
        robot: the tree.
        checker: the collision checker; None: self-collision only.
        moving_joints: the independent joints that may move, such as those of a planning group
            (``description.read_semantics``); None: all.
        velocity_limits, acceleration_limits, jerk_limits: of joints by name (rad, m and s); they
            override those of the robot and of the settings. The robot's override the settings'.

    A planner is thread-safe while the scene does not change. Raises ConfigurationError for an
    unknown joint or a limit that is not above 0.

    Example:
        >>> from rigid_tree_kinematics.collision import CollisionChecker, load_scene
        >>> robot = load_robot("panda")
        >>> planner = MotionPlanner(robot, CollisionChecker(robot, load_scene("panda_pillars")))
        >>> start = np.array([1.0, 0.3, 0.0, -1.8, 0.0, 2.1, 0.785])
        >>> result = planner.plan(start, start - [2, 0, 0, 0, 0, 0, 0])
        >>> print(result.status.name, result.path[-1].round(3))
        SOLVED [-1.     0.3    0.    -1.8    0.     2.1    0.785]
    """

    def __init__(
        self,
        robot: RigidBodyTree,
        checker: CollisionChecker | None = None,
        *,
        moving_joints: Sequence[str] | None = None,
        velocity_limits: Mapping[str, float] | None = None,
        acceleration_limits: Mapping[str, float] | None = None,
        jerk_limits: Mapping[str, float] | None = None,
    ) -> None:
        self.checker = CollisionChecker(robot) if checker is None else checker
        self.compiled = self.checker.compiled
        self.space = Space.of_robot(self.compiled, moving_joints)
        named = self.compiled.joint_names if moving_joints is None else moving_joints
        self.locked = tuple(name for name in self.compiled.joint_names if name not in named)
        self._validity = RobotValidity(self.checker)
        self._velocity_limit = self._limit(self.compiled.velocity_limit, velocity_limits)
        self._acceleration_limit = self._limit(
            self.compiled.acceleration_limit, acceleration_limits
        )
        self._jerk_limit = self._limit(self.compiled.jerk_limit, jerk_limits)

    def plan(
        self,
        start: ArrayLike | Mapping[str, Any],
        goals: Goal | Sequence[Goal],
        settings: PlanSettings | None = None,
        *,
        constraints: Sequence[Constraint] = (),
        timing: bool = True,
        progress: ProgressCall | None = None,
        deadline: Deadline | None = None,
    ) -> PlanResult:
        """Return a path from ``start`` to one of ``goals``, and its trajectory.

        A goal is a configuration (joints that do not move are ignored; joints missing in a
        dictionary keep their start positions), a PoseGoal, a PoseRegion or a ConstrainedGoal;
        ``goal_index`` is the one that was reached. ``progress`` is called repeatedly in this
        thread. A ``deadline`` overrides the settings' time limit, and can be canceled, which ends
        the plan within about a millisecond, or one exact check.

        All motions of the path are collision-free along their whole length. Path and trajectory
        satisfy the ``constraints`` (see ``ik.ConstraintSet``) at steps of 0.01 rad. Nothing is
        raised for an invalid start, goal or constraint: see status and message.

        Example:
            >>> planner = MotionPlanner(load_robot("ur5"))
            >>> start = planner.compiled.home
            >>> result = planner.plan(start, start + 0.5, PlanSettings(velocity_scale=0.5))
            >>> print(result.success, result.path.shape, result.trajectory.times[-1].round(2))  # s
            True (2, 6) 0.64
        """
        settings = PlanSettings() if settings is None else settings
        whole = Deadline(settings.time_limit) if deadline is None else deadline
        kept = min(TIMING_TIME, TIMING_SHARE * whole.left) if timing else 0.0
        deadline = whole.within(whole.left - kept)
        width = self.compiled.position_count
        try:
            begin = configuration_vector(self.compiled, start)
            along = self.path_constraints(constraints)
            search = GoalSearch(self.compiled, begin, self.locked, settings.seed, deadline, along)
            found = goal_configurations(search, goal_list(goals))
        except RigidTreeError as error:
            return no_path(PlanStatus.INVALID_INPUT, str(error), width)
        prepare = deadline.seconds
        if not found.configurations:
            return _no_goal(found, whole, width)
        try:
            result = self._path(begin, found.configurations, settings, progress, deadline, along)
            if result.success and timing:
                result = self._timed(result, settings, whole, along)
        except OutOfTimeError as error:
            return no_path(late_status(whole), str(error), width)
        return replace(
            result,
            goal_index=found.owners[result.goal_index] if result.success else -1,
            dropped_goals=(*found.dropped, *result.dropped_goals),
            seconds=replace(result.seconds, prepare=result.seconds.prepare + prepare),
        )

    def _path(
        self,
        start: Array,
        goals: Sequence[Array],
        settings: PlanSettings,
        progress: ProgressCall | None,
        deadline: Deadline,
        constraints: ConstraintSet | None,
    ) -> PlanResult:
        """Plan a path; plan again with checks for obstructions if the first path is obstructed.

        A path planned without these checks is often unobstructed.
        """
        validities = [self._validity]
        if constraints is not None and constraints.obstructable:
            validities.append(JudgedValidity(self.checker, constraints, deadline))
        for validity in validities:
            result = plan_in_space(
                self.space,
                validity,
                start,
                goals,
                settings,
                progress=progress,
                deadline=deadline,
                constraints=constraints,
            )
            if constraints is None or not result.success:
                break
            if constraints.unobstructed_along(result.path, deadline):
                break
        if result.success and settings.planner == OPTIMIZE:
            result = optimized(self.checker, self.space, result, settings, deadline)
        return result

    def _limit(self, of_robot: Array, own: Mapping[str, float] | None) -> Array:
        """Return limits (nq,): those in ``own``, or the robot's; infinite without either."""
        # The limits of a rotation vector are those of the quaternion's entries.
        limits = self.compiled.by_position(of_robot, missing=np.inf)
        for name, limit in (own or {}).items():
            if name not in self.compiled.position_names:
                raise ConfigurationError(f"a limit of '{name}', which is not a single joint")
            if not limit > 0.0:
                raise ConfigurationError(f"the limits of '{name}' must be above 0, not {limit}")
            limits[self.compiled.position_names.index(name)] = limit
        return limits

    def limits(self, settings: PlanSettings) -> tuple[Array, Array]:
        """Return the velocity and acceleration limits, (nq,) each, of a trajectory."""
        acceleration = self._acceleration_limit
        limit = np.where(np.isinf(acceleration), settings.acceleration_limit, acceleration)
        return settings.velocity_scale * self._velocity_limit, settings.acceleration_scale * limit

    def jerk_limits(self, settings: PlanSettings) -> Array | None:
        """Return the jerk limits (nq,) of a trajectory, None if there are none."""
        jerk = self._jerk_limit
        limits = np.where(np.isinf(jerk), settings.jerk_limit or np.inf, jerk)
        return limits if np.isfinite(limits).any() else None

    def within_jerk(self, trajectory: Trajectory, settings: PlanSettings) -> Trajectory:
        """Return a trajectory, uniformly slowed down if it exceeds the jerk limits."""
        jerk = self.jerk_limits(settings)
        if jerk is None:
            return trajectory
        stretch = JerkLimit(jerk).stretch(trajectory.times, trajectory.accelerations)
        return slowed(trajectory, stretch)

    def path_constraints(self, constraints: Sequence[Constraint]) -> ConstraintSet | None:
        """Return compiled constraints for the moving joints; None for none.

        Raises ModelError and UnknownNameError for those that do not fit the robot.
        """
        if not constraints:
            return None
        return ConstraintSet(self.compiled, constraints, self.locked)

    def timed(
        self,
        path: Array,
        settings: PlanSettings | None = None,
        *,
        checked: bool = True,
        constraints: ConstraintSet | None = None,
        deadline: Deadline | None = None,
    ) -> PlanResult:
        """Return a path (k, nq) as a plan with its trajectory.

        The path is unchanged, but has no jumps: see ``Space.continuous``. Corners are rounded
        where that satisfies the ``constraints`` and is free (ignored if ``checked`` is false).
        Without a trajectory the message has the reason. Raises OutOfTimeError if the ``deadline``,
        or else the settings' time limit, is reached before all points are timed, and
        ConfigurationError for a path that is not finite or has another width.

        Example:
            >>> planner = MotionPlanner(load_robot("ur5"))
            >>> path = planner.compiled.home + np.array([[0.0], [0.2], [0.5]])
            >>> print(planner.timed(path).trajectory.times[-1].round(2))  # s
            0.64
        """
        settings = PlanSettings() if settings is None else settings
        path, width = np.array(path, dtype=np.float64), self.compiled.position_count
        if path.ndim != 2 or not len(path) or path.shape[1] != width:
            raise ConfigurationError(f"a path must be (k, {width}), not of shape {path.shape}")
        if not np.isfinite(path).all():
            raise ConfigurationError("the path is not finite")
        path = self.space.continuous(path)
        result = PlanResult(
            PlanStatus.SOLVED, f"path of {len(path)} points", path, self.space.path_length(path)
        )
        corners = Corners.of_path(self.space, path)
        deadline = Deadline(settings.time_limit) if deadline is None else deadline
        free = self._free(constraints, deadline, checked)
        deviation = self._corner_deviation(corners, settings)
        radii = gentle_radii(corners, deviation, free, deadline.earlier(FOR_TIMING))
        if checked:
            motions = self._motions(path, constraints)
            until = deadline.earlier(FOR_TIMING)
            radii = np.maximum(radii, corner_radii(motions, corners, deviation, until))
        return self._with_trajectory(result, corners, radii, settings, free, deadline)

    def _free(
        self, constraints: ConstraintSet | None, deadline: Deadline, checked: bool = True
    ) -> Free:
        """Return a function that checks straight motions for collisions and constraints."""

        def free(first: Array, last: Array) -> bool:
            if constraints is not None and not satisfies_constraints(
                constraints, first, last, deadline
            ):
                return False
            return not checked or self._validity.motion_free(first, last)

        return free

    def _timed(
        self,
        result: PlanResult,
        settings: PlanSettings,
        deadline: Deadline,
        constraints: ConstraintSet | None,
    ) -> PlanResult:
        begin = perf_counter()
        corners = Corners.of_path(self.space, result.path)
        # A path that was found is timed even if that slightly exceeds the time limit.
        deadline = deadline.at_least(LEAST_TIMING)
        deviation = self._corner_deviation(corners, settings)
        motions, until = self._motions(result.path, constraints), deadline.earlier(FOR_TIMING)
        radii = corner_radii(motions, corners, deviation, until)
        free = self._free(constraints, deadline)
        result = self._with_trajectory(result, corners, radii, settings, free, deadline)
        driven = result.trajectory
        if (
            constraints
            and driven
            and not constraints.unobstructed_along(driven.positions, deadline)
        ):
            # The path is unobstructed, but its rounded corners are not.
            radii = np.zeros_like(radii)
            result = self._with_trajectory(result, corners, radii, settings, free, deadline)
        seconds = replace(result.seconds, timing=perf_counter() - begin)
        return replace(result, seconds=seconds)

    def _motions(self, path: Array, constraints: ConstraintSet | None) -> Motions:
        model = self.checker.conservative_model(path[0], self.space.moving)
        return Motions(self.space, self._validity, model, constraints)

    def _corner_deviation(self, corners: Corners, settings: PlanSettings) -> float:
        """Return the bound of roundings, so that their smoothed motion satisfies the setting.

        An average over a window w deviates by at most a w^2 / 24 at an acceleration a.
        """
        if settings.max_corner_deviation is None:
            return math.inf
        moved = corners.segments.any(axis=0)
        fastest = float(np.linalg.norm(self.limits(settings)[1][moved]))
        return max(0.0, settings.max_corner_deviation - fastest * SMOOTHING_TIME**2 / 24.0)

    def _with_trajectory(
        self,
        result: PlanResult,
        corners: Corners,
        radii: Array,
        settings: PlanSettings,
        free: Free,
        deadline: Deadline,
    ) -> PlanResult:
        """Add the trajectory, checked for collisions where a jerk limit moves it off the path.

        With a bound of the deviation, it does not leave the rounded path, or stops at all corners.
        """
        limits, jerk = self.limits(settings), self.jerk_limits(settings)
        shares = (1.0,) if jerk is None else JERK_SHARES
        if jerk is not None and settings.max_corner_deviation is not None:
            shares = (0.0,)
        try:
            timed: list[Trajectory] = []
            for share in shares:
                own = None if jerk is None else JerkLimit(jerk, share)
                timed.append(time_path(self.space, corners, radii, *limits, own, deadline))
                if own is None or all(starmap(free, pairwise(timed[-1].corners()))):
                    trajectory = timed[-1]
                    break
            else:
                trajectory = timed[0]  # the path itself is not free
            if jerk is not None and shares == (0.0,):
                own, stops = JerkLimit(jerk), np.zeros_like(radii)
                stopping = time_path(self.space, corners, stops, *limits, own, deadline)
                trajectory = min(trajectory, stopping, key=lambda each: each.times[-1])
        except PlanningError as error:
            return replace(result, message=f"{result.message}; no timing: {error}")
        return replace(result, trajectory=trajectory)


def _no_goal(found: GoalConfigurations, deadline: Deadline, width: int) -> PlanResult:
    """Return the result when no goal has a configuration."""
    without = (*found.violating, *found.unreachable)
    if found.untried:
        status = late_status(deadline)
    elif found.violating:
        status = PlanStatus.GOAL_VIOLATES
    else:
        status = PlanStatus.GOAL_UNREACHABLE if without else PlanStatus.INVALID_INPUT
    return no_path(status, listed(found.untried, without), width, dropped_goals=without)
