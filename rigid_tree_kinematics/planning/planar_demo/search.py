"""Paths of the planar arm, as in the demo: RRT to each goal, the best of several runs."""

import itertools
import threading
from collections.abc import Callable
from dataclasses import dataclass, replace

import numpy as np

from rigid_tree_kinematics.arrays import Array
from rigid_tree_kinematics.deadline import Deadline
from rigid_tree_kinematics.planning.configuration_map import TURN, ConfigurationMap
from rigid_tree_kinematics.planning.planar_demo.arm import PlanarArm
from rigid_tree_kinematics.planning.problem import PlanResult, PlanSettings, PlanStatus, Progress
from rigid_tree_kinematics.planning.space_planning import plan_in_space

STEP = TURN / 15.0  # of the map's side
DEMO_SETTINGS = PlanSettings(
    planner="rrt",
    step=STEP,
    goal_bias=0.5,
    goal_threshold=0.5 * STEP,
    spacing=0.25 * STEP,
    maximum_attempts=1000,
    maximum_nodes=500,
    shorten=False,
)
MOST_RUNS = 20
ENOUGH = 10  # successes of one goal


@dataclass(frozen=True, eq=False)
class GoalSearch:
    """The runs for one goal; ``best`` is the shortest path, or the last failure."""

    goal: Array
    runs: int
    successes: int
    best: PlanResult


@dataclass(frozen=True, eq=False)
class PlanarPlan:
    """The results for both goals; ``best`` is the shorter path, None if there is none."""

    arm: PlanarArm
    searches: tuple[GoalSearch, ...]

    @property
    def best(self) -> GoalSearch | None:
        """The search with the shortest path."""
        found = [search for search in self.searches if search.best.success]
        return min(found, key=lambda search: search.best.length, default=None)

    def report(self, found_map: ConfigurationMap) -> list[str]:
        """Return a summary with a line for each goal."""
        lines = []
        for number, search in enumerate(self.searches, start=1):
            q1, q2 = search.goal
            line = (
                f"goal {number} ({q1:.6f}, {q2:.6f}) rad: {search.successes} of {search.runs} "
                f"runs found a path; {search.best.message}"
            )
            if not search.best.success and not found_map.connected(self.arm.start, search.goal):
                line += "; no free cells connect it to the start"
            lines.append(line)
        return lines


def search_paths(
    arm: PlanarArm,
    settings: PlanSettings = DEMO_SETTINGS,
    *,
    most_runs: int = MOST_RUNS,
    enough: int = ENOUGH,
    progress: Callable[[Progress], None] | None = None,
    cancel: threading.Event | None = None,
) -> PlanarPlan:
    """Search for paths to both goals; run k of each has seed ``settings.seed + k``.

    A blocked start or goal ends that goal's runs with a message. Every path starts and ends
    exactly at start and goal, and has the arm's clearance along its whole length.
    """
    searches = []
    for goal in arm.goals:
        best: PlanResult | None = None
        runs = successes = 0
        while runs < most_runs and successes < enough:
            chosen = replace(settings, seed=settings.seed + runs)
            deadline = Deadline(settings.time_limit, cancel)
            result = plan_in_space(
                arm.space, arm, arm.start, [goal], chosen, progress=progress, deadline=deadline
            )
            runs += 1
            successes += result.success
            if best is None or (result.success, -result.length) > (best.success, -best.length):
                best = result
            if result.status in (
                PlanStatus.START_BLOCKED,
                PlanStatus.GOAL_BLOCKED,
                PlanStatus.CANCELLED,
            ):
                break
        assert best is not None
        searches.append(GoalSearch(goal, runs, successes, best))
    return PlanarPlan(arm, tuple(searches))


def evenly(arm: PlanarArm, path: Array, step: float) -> Array:
    """Return points (n, 2) along a path with joint steps of at most ``step`` rad.

    Both ends are exact. The angles are continuous: beyond a border of the map they exceed a turn.
    """
    points = [path[0]]
    for first, last in itertools.pairwise(path):
        parts = max(1, int(np.ceil(np.abs(last - first).max() / step)))
        points += [first + (last - first) * k / parts for k in range(1, parts)]
        points.append(last)
    return np.array(points)


def map_pieces(path: Array) -> list[tuple[Array, bool]]:
    """Return a path's motions (2, 2) on the map, and whether each crosses a border.

    A motion across a border is returned once for either side, partly outside of the map.
    """
    pieces = []
    for first, last in itertools.pairwise(path):
        shifts = {tuple(np.floor(end / TURN)) for end in (first, last)}
        motion = np.array([first, last])
        pieces += [(motion - TURN * np.array(s), len(shifts) > 1) for s in sorted(shifts)]
    return pieces


def tree_pieces(search: GoalSearch) -> list[Array]:
    """Return the best run's tree as motions (2, 2) on the map, in order of growth."""
    nodes, parents = search.best.trees[0]
    pieces: list[Array] = []
    for child in np.flatnonzero(parents >= 0):
        start, end = nodes[parents[child]], nodes[child]
        # In the shorter direction, possibly across a border.
        motion = np.mod(end - start + 0.5 * TURN, TURN) - 0.5 * TURN
        pieces += [piece for piece, _ in map_pieces(np.array([start, start + motion]))]
    return pieces
