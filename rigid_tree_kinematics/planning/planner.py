"""Planning: from a start and goals to a path that touches nothing, and its timing."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from rigid_tree_kinematics.arrays import Array
from rigid_tree_kinematics.collision import CollisionChecker
from rigid_tree_kinematics.deadline import Deadline
from rigid_tree_kinematics.errors import OutOfTimeError, PlanningError, RigidTreeError
from rigid_tree_kinematics.ik import Constraint, ConstraintSet
from rigid_tree_kinematics.model import RigidBodyTree
from rigid_tree_kinematics.model.configuration import configuration_vector
from rigid_tree_kinematics.planning.constrained import HeldSearch, motion_holds, shorten_held
from rigid_tree_kinematics.planning.path import (
    MOST_POINTS,
    Corners,
    corner_radii,
    gentle_radii,
    resample,
    shorten,
)
from rigid_tree_kinematics.planning.problem import (
    Goal,
    JudgedValidity,
    PlanResult,
    PlanSeconds,
    PlanSettings,
    PlanStatus,
    Progress,
    RobotValidity,
    Space,
    Validity,
    goal_configurations,
    goal_list,
    late_status,
    listed,
    no_path,
)
from rigid_tree_kinematics.planning.search import Found, Motions, RrtStar, TreeSearch, free_goals
from rigid_tree_kinematics.planning.timing import time_path

ProgressCall = Callable[[Progress], None]

# What of the time limit is kept for the timing: so much (s), and such a share of it, at most.
TIMING_TIME = 0.02
TIMING_SHARE = 0.02
LEAST_TIMING = 0.1  # s
FOR_TIMING = 0.3  # of the time that is left, when the corners of a path are looked at
FOR_SHORTENING = 0.05  # of the time, when "rrt_star" has searched


def plan_in_space(
    space: Space,
    validity: Validity,
    start: Array,
    goals: Sequence[Array],
    settings: PlanSettings | None = None,
    *,
    progress: ProgressCall | None = None,
    deadline: Deadline | None = None,
    held: ConstraintSet | None = None,
) -> PlanResult:
    """Return the shortest path of ``settings.runs`` searches, without timing.

    ``start`` and each goal are configurations (nq,); of positions that do not move the start's
    count. What is ``held`` is so along the whole path. A ``deadline`` stands in for the settings'
    time limit. Raises nothing: what is wrong is in the result.
    """
    settings = PlanSettings() if settings is None else settings
    deadline = Deadline(settings.time_limit) if deadline is None else deadline
    begin = time.perf_counter()
    width = len(space.kinds)
    try:
        start = space.inside(np.array(start, dtype=np.float64))
    except RigidTreeError as error:
        return no_path(PlanStatus.INVALID_INPUT, f"start: {error}", width)
    if held is not None:
        if settings.planner != "rrt_connect":
            message = f"planner '{settings.planner}' holds no constraints; 'rrt_connect' does"
            return no_path(PlanStatus.INVALID_INPUT, message, width)
        trouble = held.why(start)
        if trouble:
            message = f"the start violates the constraints: {trouble}"
            return no_path(PlanStatus.START_VIOLATES, message, width)
        space = space.narrowed(held.arrays.lower, held.arrays.upper)
        start = space.inside(start)
    space = space.around([start, *(np.array(goal, dtype=np.float64) for goal in goals)])
    motions = Motions(space, validity, validity.conservative_model(start, space.moving))
    start_clear = motions.clear(start)
    if not start_clear:
        trouble = validity.why(start)
        if trouble:
            return no_path(PlanStatus.START_BLOCKED, f"the start is blocked: {trouble}", width)
    free = free_goals(motions, validity, start, goals, held, deadline)
    if not free.configurations:
        message = listed(free.untried, free.dropped)
        return no_path(free.status, message, width, dropped_goals=tuple(free.dropped))
    prepared = time.perf_counter()
    found, solved, last = _search(
        motions,
        start,
        free.configurations,
        settings,
        deadline,
        progress,
        exact_ends=not (start_clear and free.clear),
        held=held,
    )
    searched = time.perf_counter()
    seconds = PlanSeconds(prepare=prepared - begin, search=searched - prepared)
    more: dict[str, Any] = {
        "nodes": last.nodes,
        "dropped_goals": (*free.dropped, *([free.untried] if free.untried else [])),
        "trees": last.trees,
        "runs_solved": solved,
    }
    if found is None or found.path is None:
        status, message = _why_no_path(deadline, last, motions, settings)
        message += f"; {free.untried}" if free.untried else ""
        return no_path(status, message, width, checks=motions.checks, seconds=seconds, **more)
    path = found.path
    if settings.shorten and held is not None:
        path = shorten_held(motions, held, path, settings.seed, deadline)
    elif settings.shorten:
        path = shorten(motions, path, settings.seed, deadline)
    length = space.path_length(path)
    coarser = ""
    if settings.resample_step is not None:
        step = max(settings.resample_step, length / MOST_POINTS)
        path = resample(motions, path, step)
        if step > settings.resample_step:
            coarser = (
                f" {step:.3g} apart, for resample_step {settings.resample_step:g} is too fine"
            )
    seconds = replace(seconds, shorten=time.perf_counter() - searched)
    points = "1 point" if len(path) == 1 else f"{len(path)} points{coarser}"
    message = f"path of {points}, length {length:.3f}"
    return PlanResult(
        PlanStatus.SOLVED,
        message,
        path,
        length,
        goal_index=free.numbers[found.goal_index],
        checks=motions.checks,
        seconds=seconds,
        **more,
    )


def _search(
    motions: Motions,
    start: Array,
    goals: list[Array],
    settings: PlanSettings,
    deadline: Deadline,
    progress: ProgressCall | None,
    exact_ends: bool,
    held: ConstraintSet | None,
) -> tuple[Found | None, int, Found]:
    """Return the best run (None if none has a path), how many have one, and the last run."""
    best: Found | None = None
    best_length = np.inf
    solved = 0
    for run in range(settings.runs):
        report = None if progress is None else _reporter(progress, deadline, run, best_length)
        seed = settings.seed + run
        search: TreeSearch | RrtStar
        until = deadline
        if held is not None:
            search = HeldSearch(motions, held, start, goals, settings, seed, exact_ends)
        elif settings.planner == "rrt_star":
            search = RrtStar(motions, start, goals, settings, seed, exact_ends)
            if settings.shorten:  # it takes all the time that it is given
                until = deadline.earlier(FOR_SHORTENING)
        else:
            search = TreeSearch(motions, start, goals, settings, seed, exact_ends)
        last = search.run(until, report)
        if last.path is not None:
            solved += 1
            length = motions.space.path_length(last.path)
            if length < best_length:
                best, best_length = last, length
        if deadline.over:
            break
    return best, solved, last


def _reporter(
    progress: ProgressCall, deadline: Deadline, run: int, best_length: float
) -> Callable[[Any], None]:
    """Return what a search calls with itself now and then."""

    def report(search: Any) -> None:
        length = min(best_length, getattr(search, "best_length", np.inf))
        progress(Progress(deadline.seconds, run, search.node_count, length, search.trees))

    return report


def _why_no_path(
    deadline: Deadline, last: Found, motions: Motions, settings: PlanSettings
) -> tuple[PlanStatus, str]:
    work = f"{last.nodes} nodes, {motions.checks} checks"
    if deadline.cancelled:
        return PlanStatus.CANCELLED, f"cancelled after {deadline.seconds:.3f} s, {work}"
    if last.exhausted:
        limits = f"{settings.maximum_attempts} attempts in a row or {settings.maximum_nodes} nodes"
        return PlanStatus.LIMIT_REACHED, f"no path within {limits} ({work})"
    return PlanStatus.OUT_OF_TIME, f"no path within {deadline.limit:.3g} s ({work})"


class MotionPlanner:
    """Plans for a robot, or a chain of it while the rest stands still.

    Args:
        robot: the tree.
        checker: what to keep clear of; None: of the robot itself only.
        moving_joints: the independent joints that may move; None: all.

    One planner may be used by several threads at once, as long as the scene does not change.
    Raises ConfigurationError for an unknown joint.
    """

    def __init__(
        self,
        robot: RigidBodyTree,
        checker: CollisionChecker | None = None,
        *,
        moving_joints: Sequence[str] | None = None,
    ) -> None:
        self.checker = CollisionChecker(robot) if checker is None else checker
        self.compiled = self.checker.compiled
        self.space = Space.of_robot(self.compiled, moving_joints)
        named = self.compiled.joint_names if moving_joints is None else moving_joints
        self.locked = tuple(name for name in self.compiled.joint_names if name not in named)
        self._validity = RobotValidity(self.checker)

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

        A goal is a configuration (its standing joints do not count), a PoseGoal, a PoseRegion or a
        ConstrainedGoal; ``goal_index`` tells which was reached. ``progress`` is called now and
        then by this thread. A ``deadline`` stands in for the settings' time limit, and can be
        cancelled, which ends the plan within a millisecond or so, or one exact check.

        Every motion of the path is free by the checker along its whole length. It keeps the
        ``constraints`` (see ``ik.ConstraintSet``) at every 0.01 rad of it, and so does the
        trajectory. Raises nothing for a bad start, goal or constraint: status and message tell.
        """
        settings = PlanSettings() if settings is None else settings
        whole = Deadline(settings.time_limit) if deadline is None else deadline
        kept = min(TIMING_TIME, TIMING_SHARE * whole.left) if timing else 0.0
        deadline = whole.within(whole.left - kept)
        width = self.compiled.position_count
        try:
            begin = configuration_vector(self.compiled, start)
            held = self.held(constraints)
            found = goal_configurations(
                self.compiled,
                goal_list(goals),
                begin,
                self.locked,
                settings.seed,
                deadline,
                held,
            )
        except RigidTreeError as error:
            return no_path(PlanStatus.INVALID_INPUT, str(error), width)
        prepare = deadline.seconds
        if not found.configurations:
            without = (*found.violating, *found.unreachable)
            status = PlanStatus.GOAL_UNREACHABLE if without else PlanStatus.INVALID_INPUT
            if found.untried:
                status = late_status(whole)
            elif found.violating:
                status = PlanStatus.GOAL_VIOLATES
            message = listed(found.untried, without)
            return no_path(status, message, width, dropped_goals=without)
        try:
            for validity in self._validities(held, deadline):
                result = plan_in_space(
                    self.space,
                    validity,
                    begin,
                    found.configurations,
                    settings,
                    progress=progress,
                    deadline=deadline,
                    held=held,
                )
                if held is None or not result.success:
                    break
                if held.unobstructed_along(result.path, deadline):
                    break
            if result.success and timing:
                result = self._timed(result, settings, whole, held)
        except OutOfTimeError as error:
            return no_path(late_status(whole), str(error), width)
        seconds = replace(result.seconds, prepare=result.seconds.prepare + prepare)
        return replace(
            result,
            goal_index=found.owners[result.goal_index] if result.success else -1,
            dropped_goals=(
                *found.unreachable,
                *found.violating,
                *([found.untried] if found.untried else []),
                *result.dropped_goals,
            ),
            seconds=seconds,
        )

    def _validities(self, held: ConstraintSet | None, deadline: Deadline) -> list[RobotValidity]:
        """Return what to plan by, in turn, until nothing obstructs the path.

        A path that is found without looking at obstructions often has none.
        """
        if held is None or not held.judged:
            return [self._validity]
        return [self._validity, JudgedValidity(self.checker, held, deadline)]

    def limits(self, settings: PlanSettings) -> tuple[Array, Array]:
        """Return the velocities and accelerations, (nq,) each, that a trajectory keeps to."""
        # A rotation vector's limits stand where its entries do.
        velocity = self.compiled.by_position(self.compiled.velocity_limit, missing=np.inf)
        acceleration = settings.acceleration_scale * settings.acceleration_limit
        return settings.velocity_scale * velocity, np.full(len(velocity), acceleration)

    def held(self, constraints: Sequence[Constraint]) -> ConstraintSet | None:
        """Return constraints that what moves can be held to; None for none.

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
        held: ConstraintSet | None = None,
        deadline: Deadline | None = None,
    ) -> PlanResult:
        """Return a path (k, nq), which is taken as it is, as a plan with its trajectory.

        Corners are rounded where that touches nothing, or anyway if ``checked`` is false, and
        what is ``held`` is so. Without a trajectory the message says why. Raises OutOfTimeError
        if the ``deadline``, or else the settings' time limit, is over before all points are timed.
        """
        settings = PlanSettings() if settings is None else settings
        result = PlanResult(PlanStatus.SOLVED, f"path of {len(path)} points", path)
        corners = Corners.of_path(self.space, path)
        deadline = Deadline(settings.time_limit) if deadline is None else deadline

        def free(first: Array, last: Array) -> bool:
            if held is not None and not motion_holds(held, first, last, deadline):
                return False
            return not checked or self._validity.motion_free(first, last)

        radii = gentle_radii(corners, free, deadline.earlier(FOR_TIMING))
        if checked:
            until = deadline.earlier(FOR_TIMING)
            radii = np.maximum(radii, self._radii(path, corners, until, held))
        return self._with_trajectory(result, corners, radii, settings, deadline)

    def _timed(
        self,
        result: PlanResult,
        settings: PlanSettings,
        deadline: Deadline,
        held: ConstraintSet | None,
    ) -> PlanResult:
        begin = time.perf_counter()
        corners = Corners.of_path(self.space, result.path)
        # What was found is timed, even if that takes a little more than the whole time.
        limit, deadline = deadline.limit, Deadline(max(deadline.left, LEAST_TIMING))
        deadline.limit = limit
        radii = self._radii(result.path, corners, deadline.earlier(FOR_TIMING), held)
        result = self._with_trajectory(result, corners, radii, settings, deadline)
        driven = result.trajectory
        if held and driven and not held.unobstructed_along(driven.positions, deadline):
            # It cuts the corners of a path along which nothing is in the way.
            radii = np.zeros_like(radii)
            result = self._with_trajectory(result, corners, radii, settings, deadline)
        seconds = replace(result.seconds, timing=time.perf_counter() - begin)
        return replace(result, seconds=seconds)

    def _radii(
        self, path: Array, corners: Corners, deadline: Deadline, held: ConstraintSet | None
    ) -> Array:
        model = self.checker.conservative_model(path[0], self.space.moving)
        motions = Motions(self.space, self._validity, model)
        return corner_radii(motions, corners, deadline, held)

    def _with_trajectory(
        self,
        result: PlanResult,
        corners: Corners,
        radii: Array,
        settings: PlanSettings,
        deadline: Deadline,
    ) -> PlanResult:
        try:
            trajectory = time_path(self.space, corners, radii, *self.limits(settings), deadline)
        except PlanningError as error:
            return replace(result, message=f"{result.message}; no timing: {error}")
        return replace(result, trajectory=trajectory)
