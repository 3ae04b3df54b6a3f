"""Planning in a configuration space: paths without timing."""

import itertools
import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from time import perf_counter
from typing import Any

import numpy as np

from rigid_tree_kinematics.arrays import Array
from rigid_tree_kinematics.deadline import Deadline
from rigid_tree_kinematics.errors import RigidTreeError
from rigid_tree_kinematics.ik import ConstraintSet
from rigid_tree_kinematics.planning.path import MOST_POINTS, resample, shorten
from rigid_tree_kinematics.planning.problem import (
    OPTIMIZE,
    NoPathError,
    PlanResult,
    PlanSeconds,
    PlanSettings,
    PlanStatus,
    Progress,
    Space,
    Validity,
    listed,
    no_path,
)
from rigid_tree_kinematics.planning.search import Found, Motions, TreeSearch, free_goals

ProgressCall = Callable[[Progress], None]

SLACK = 1.05  # times the shortest length: the bound of a search, as shortcuts follow
WINDING = 2.0  # times the straight line: longer paths are improved faster without a bound
SHORTEST = 1.0 + 1e-6  # times the straight line: shorter paths are not improved


def plan_in_space(
    space: Space,
    validity: Validity,
    start: Array,
    goals: Sequence[Array],
    settings: PlanSettings | None = None,
    *,
    progress: ProgressCall | None = None,
    deadline: Deadline | None = None,
    constraints: ConstraintSet | None = None,
) -> PlanResult:
    """Return the shortest path of ``settings.runs`` searches, without timing.

    ``start`` and each goal are configurations (nq,); positions that do not move are the start's.
    The whole path satisfies the ``constraints``. A ``deadline`` overrides the settings' time
    limit. Failures are reported by the result's status and message. As spaces have no distances,
    planner "optimize" is "rrt_connect".

    Example:
        >>> from rigid_tree_kinematics.collision import CollisionChecker
        >>> validity = RobotValidity(CollisionChecker(load_robot("planar_two_link")))
        >>> space = Space.of_kinds([0, 0], [-2, -2], [2, 2])
        >>> result = plan_in_space(space, validity, np.array([0.0, 0.5]), [np.array([1.0, -0.5])])
        >>> print(result.status.name, round(result.length, 3))
        SOLVED 1.414
    """
    settings = PlanSettings() if settings is None else settings
    deadline = Deadline(settings.time_limit) if deadline is None else deadline
    begin = perf_counter()
    width = len(space.kinds)
    try:
        start, motions, clear = _prepared(space, validity, start, goals, settings, constraints)
    except NoPathError as error:
        return no_path(error.status, str(error), width)
    free = free_goals(motions, validity, start, goals, deadline)
    if not free.configurations:
        message = listed(free.untried, free.dropped)
        return no_path(free.status, message, width, dropped_goals=tuple(free.dropped))
    prepared = perf_counter()
    exact_ends = not (clear and free.clear)
    problem = start, free.configurations, settings
    runs = _search(motions, problem, exact_ends, deadline, progress)
    searched = perf_counter()
    more: dict[str, Any] = {
        "nodes": runs.last.nodes,
        "dropped_goals": (*free.dropped, *([free.untried] if free.untried else [])),
        "trees": runs.last.trees,
        "runs_solved": runs.solved,
        "lengths": tuple(runs.lengths),
        "seconds": PlanSeconds(prepare=prepared - begin, search=searched - prepared),
    }
    if runs.best is None or runs.best.path is None:
        status, message = _why_no_path(deadline, runs.last, motions, settings)
        message += f"; {free.untried}" if free.untried else ""
        return no_path(status, message, width, checks=motions.checked, **more)
    path, length, message = _finished(motions, runs.best.path, settings, deadline)
    more["seconds"] = PlanSeconds(prepared - begin, searched - prepared, perf_counter() - searched)
    more["goal_index"] = free.numbers[runs.best.goal_index]
    return PlanResult(PlanStatus.SOLVED, message, path, length, checks=motions.checked, **more)


def _prepared(
    space: Space,
    validity: Validity,
    start: Array,
    goals: Sequence[Array],
    settings: PlanSettings,
    constraints: ConstraintSet | None,
) -> tuple[Array, Motions, bool]:
    """Return the start within its limits, the motion checks, and whether the start is clear.

    Raises NoPathError.
    """
    try:
        start = space.inside(np.array(start, dtype=np.float64))
    except RigidTreeError as error:
        raise NoPathError(PlanStatus.INVALID_INPUT, f"start: {error}") from error
    if constraints is not None:
        if settings.planner in ("rrt", OPTIMIZE):
            other = "use 'rrt_connect' or 'aorrtc'"
            message = f"planner '{settings.planner}' does not support constraints; {other}"
            raise NoPathError(PlanStatus.INVALID_INPUT, message)
        trouble = constraints.why(start)
        if trouble:
            message = f"the start violates the constraints: {trouble}"
            raise NoPathError(PlanStatus.START_VIOLATES, message)
        space = space.narrowed(constraints.arrays.lower, constraints.arrays.upper)
        start = space.inside(start)
    space = space.around([start, *goals])
    model = validity.conservative_model(start, space.moving)
    motions = Motions(space, validity, model, constraints)
    clear = motions.clear(start)
    # The motions' model lacks pairs that do not move: they are checked once, here.
    whole = clear and len(space.moving) == len(start)
    if not whole and (trouble := validity.why(start)):
        raise NoPathError(PlanStatus.START_BLOCKED, f"the start is blocked: {trouble}")
    return start, motions, clear


@dataclass(eq=False)
class _Runs:
    """The shortest path (or None), the number of successful runs, and the last run."""

    best: Found | None = None
    solved: int = 0
    last: Found = field(default_factory=lambda: Found(None, -1, 0, (), False))
    lengths: list[tuple[float, float]] = field(default_factory=list)

    @property
    def best_length(self) -> float:
        """The length of the shortest path."""
        return self.lengths[-1][1] if self.lengths else math.inf


def _search(
    motions: Motions,
    problem: tuple[Array, list[Array], PlanSettings],
    exact_ends: bool,
    deadline: Deadline,
    progress: ProgressCall | None,
) -> _Runs:
    """Search for a path from a start to goals in ``settings.runs`` runs.

    "aorrtc" keeps shortening the path until the time limit.
    """
    start, goals, settings = problem
    anytime = settings.planner == "aorrtc"
    straight = min(motions.space.distance(start, goal) for goal in goals)
    runs = _Runs()
    for run in itertools.count():
        bounded = anytime and runs.best_length < WINDING * straight
        bound = SLACK * runs.best_length if bounded else math.inf
        report = None if progress is None else partial(_report, progress, deadline, run, runs)
        search = TreeSearch(motions, *problem, settings.seed + run, exact_ends, bound)
        runs.last = found = search.run(deadline, report)
        if found.path is not None:
            runs.solved += 1
            path = found.path
            if anytime and settings.shorten:
                path = shorten(motions, path, settings.seed + run, deadline)
            length = motions.space.path_length(path)
            if length < runs.best_length:
                runs.best = found if path is found.path else replace(found, path=path)
                runs.lengths.append((deadline.seconds, length))
        done = runs.best_length <= SHORTEST * straight if anytime else run + 1 == settings.runs
        if done or deadline.over or (anytime and runs.best is None):
            break
    return runs


def _report(
    progress: ProgressCall, deadline: Deadline, run: int, runs: _Runs, search: TreeSearch
) -> None:
    length = runs.best_length
    progress(Progress(deadline.seconds, run, search.node_count, length, search.trees))


def _finished(
    motions: Motions, path: Array, settings: PlanSettings, deadline: Deadline
) -> tuple[Array, float, str]:
    """Return the shortened and resampled path, its length, and a message."""
    if settings.shorten and settings.planner != "aorrtc":
        path = shorten(motions, path, settings.seed, deadline)
    length = motions.space.path_length(path)
    coarser = ""
    if settings.resample_step is not None:
        step = max(settings.resample_step, length / MOST_POINTS)
        path = resample(motions.space, path, step)
        if step > settings.resample_step:
            coarser = (
                f" {step:.3g} apart, as resample_step {settings.resample_step:g} is too small"
            )
    points = "1 point" if len(path) == 1 else f"{len(path)} points{coarser}"
    return path, length, f"path of {points}, length {length:.3f}"


def _why_no_path(
    deadline: Deadline, last: Found, motions: Motions, settings: PlanSettings
) -> tuple[PlanStatus, str]:
    work = f"{last.nodes} nodes, {motions.checked} checks"
    if deadline.cancelled:
        return PlanStatus.CANCELLED, f"canceled after {deadline.seconds:.3f} s, {work}"
    if last.exhausted:
        limits = f"{settings.maximum_attempts} attempts in a row or {settings.maximum_nodes} nodes"
        return PlanStatus.LIMIT_REACHED, f"no path within {limits} ({work})"
    return PlanStatus.OUT_OF_TIME, f"no path within {deadline.limit:.3g} s ({work})"
