"""Settings, status and result of a plan."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from enum import Enum
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rigid_tree_kinematics.arrays import Array
from rigid_tree_kinematics.deadline import Deadline
from rigid_tree_kinematics.errors import PlanningError

# The nodes (k, nq) of each tree, and their parents (k,), -1 for roots.
Trees = tuple[tuple[Array, NDArray[np.int64]], ...]

STRAIGHT = 1e-6  # rad; smaller changes of direction are ignored
MOST_REASONS = 10  # for dropped goals, in a message
SMALLEST_SCALE = 1e-3  # of the limits; a slower robot practically does not move

OPTIMIZE = "optimize"
PLANNERS = ("rrt_connect", "aorrtc", "rrt", OPTIMIZE)
FORMER_NAMES = {"rrt_star": "aorrtc"}


class PlanStatus(Enum):
    """Outcome of a plan; the value is for logs and messages."""

    SOLVED = "solved"
    START_BLOCKED = "start blocked"
    GOAL_BLOCKED = "goal blocked"
    GOAL_UNREACHABLE = "goal unreachable"
    START_VIOLATES = "start violates constraints"
    GOAL_VIOLATES = "goal violates constraints"
    WAY_BLOCKED = "way blocked"  # of a prescribed path
    OUT_OF_TIME = "out of time"
    LIMIT_REACHED = "limit reached"  # attempts or nodes used up
    CANCELLED = "cancelled"
    INVALID_INPUT = "invalid input"


class NoPathError(PlanningError):
    """The reason why there is no path, with its status."""

    def __init__(self, status: PlanStatus, message: str) -> None:
        super().__init__(message)
        self.status = status


DEFAULT_STEP = 1.25  # rad, m


@dataclass(frozen=True)
class PlanSettings:
    """Planner settings. Distances are Euclidean over the moving positions (rad, m).

    Args:
        planner: "rrt_connect"; "aorrtc", which keeps shortening the path until the time
            limit is reached ("rrt_star" is the same); "optimize", which improves the path of
            "rrt_connect"; "rrt", one tree with a goal bias.
        seed: equal seeds give equal plans, unless the time limit is reached.
        time_limit: s, on a steady clock, in total.
        runs: number of searches; their shortest path is used.
        step: longest motion that is added to a tree at once; after blocked motions it is reduced
            to at most half. None: 1.25; 2.5 if that grows the trees faster; half after restarts.
        goal_bias: share of samples that are a goal ("rrt").
        goal_threshold: distance at which a tree is connected to a goal ("rrt"); None: half a step.
        spacing: nodes nearer to another than this are rejected ("rrt").
        maximum_attempts: failed samples in a row before a search ends.
        maximum_nodes: nodes of a search, both trees together.
        shorten: whether to take shortcuts.
        resample_step: maximum distance of neighboring points of the path, which has at most
            10,000 points; None: its corners only.
        velocity_scale, acceleration_scale: fractions of the limits used by the timing, 0.001 to 1.
        acceleration_limit: rad/s^2 or m/s^2, of joints whose description has none (URDF 1.2).
        jerk_limit: rad/s^3 or m/s^3, likewise; None: none. Not scaled.
        max_corner_deviation: distance (rad, m) at which a trajectory may pass a corner of its
            path; 0: it stops at all corners. None: no bound.

        clearance: distance (m) that the path keeps where it can ("optimize").
        posture: positions by joint name that the path prefers ("optimize").

    Example:
        >>> settings = PlanSettings(seed=3, runs=5, time_limit=10.0, velocity_scale=0.5)
        >>> planner = MotionPlanner(load_robot("ur5"))
        >>> start = planner.compiled.home
        >>> planner.plan(start, start + 0.3, settings).runs_solved
        5
    """

    planner: str = "rrt_connect"
    seed: int = 0
    time_limit: float = 5.0
    runs: int = 1
    step: float | None = None
    goal_bias: float = 0.05
    goal_threshold: float | None = None
    spacing: float = 0.0
    maximum_attempts: int = 100_000
    maximum_nodes: int = 100_000
    shorten: bool = True
    resample_step: float | None = None
    velocity_scale: float = 1.0
    acceleration_scale: float = 1.0
    acceleration_limit: float = 5.0
    jerk_limit: float | None = None
    max_corner_deviation: float | None = None
    clearance: float = 0.05
    posture: Mapping[str, float] | None = None

    def __post_init__(self) -> None:
        object.__setattr__(self, "planner", FORMER_NAMES.get(self.planner, self.planner))
        if self.planner not in PLANNERS:
            known = ", ".join(PLANNERS)
            raise PlanningError(f"unknown planner '{self.planner}'; known: {known}")
        for name in ("velocity_scale", "acceleration_scale"):
            if not SMALLEST_SCALE <= getattr(self, name) <= 1.0:
                raise PlanningError(
                    f"{name} must be in {SMALLEST_SCALE:g} to 1, not {getattr(self, name)}"
                )
        self._check_bounds()
        required = ("time_limit", "acceleration_limit")
        for name in (*required, "step", "goal_threshold", "resample_step", "jerk_limit"):
            if getattr(self, name) is not None:
                self._require(name)
        for name in ("runs", "maximum_attempts", "maximum_nodes"):
            if getattr(self, name) < 1:
                raise PlanningError(f"{name} must be at least 1, not {getattr(self, name)}")

    def _check_bounds(self) -> None:
        if not 0.0 <= self.goal_bias <= 1.0:
            raise PlanningError(f"goal_bias must be in 0 to 1, not {self.goal_bias}")
        for name in ("spacing", "max_corner_deviation", "clearance"):
            value = getattr(self, name) or 0.0
            if not (math.isfinite(value) and value >= 0.0):
                raise PlanningError(f"{name} must be finite and not negative, not {value}")
        if not 0 <= self.seed < 2**63:
            raise PlanningError(f"seed must be in 0 to 2^63 - 1, not {self.seed}")

    @property
    def longest_step(self) -> float:
        """The step, or its default."""
        return self.step or DEFAULT_STEP

    def _require(self, name: str) -> None:
        value = getattr(self, name)
        if not (value > 0.0 and math.isfinite(value)):
            raise PlanningError(f"{name} must be finite and above 0, not {value}")


@dataclass(frozen=True, eq=False)
class Trajectory:
    """A path with times: (k,) s, and (k, nq) positions, velocities, accelerations.

    Interpolated by quintics, it follows the path within the limits.
    """

    times: Array
    positions: Array
    velocities: Array
    accelerations: Array

    def after(self, seconds: float) -> Trajectory:
        """Return the trajectory with its first point at a time (s)."""
        return replace(self, times=self.times - self.times[0] + seconds)

    def corners(self) -> Array:
        """Return the ends and the positions at which the direction changes, (m, nq)."""
        steps = np.diff(self.positions, axis=0)
        moves = steps.any(axis=1)
        ends, steps = self.positions[1:][moves], steps[moves]
        directions = steps / np.linalg.norm(steps, axis=1)[:, np.newaxis]
        bends = np.abs(np.diff(directions, axis=0)).max(axis=1, initial=0.0) > STRAIGHT
        return np.vstack((self.positions[:1], ends[:-1][bends], ends[-1:]))


@dataclass(frozen=True)
class PlanSeconds:
    """Computation times, s."""

    prepare: float = 0.0
    search: float = 0.0
    shorten: float = 0.0
    timing: float = 0.0

    @property
    def total(self) -> float:
        """The total time, s."""
        return self.prepare + self.search + self.shorten + self.timing


@dataclass(frozen=True, eq=False)
class Progress:
    """Progress of a search: time, tree sizes, length of the shortest path (or inf).

    ``trees`` are views that are valid during the call only.
    """

    seconds: float
    run: int
    nodes: int
    best_length: float
    trees: Trees


@dataclass(frozen=True, eq=False)
class PlanResult:
    """A plan, or the reason for a failure.

    ``path`` (k, nq) leads from the start to goal number ``goal_index``; neighbors are joined by
    straight motions. ``length`` is its length in the joints' Euclidean metric. ``lengths`` are
    those of the shortest path so far, each with the seconds when it was found.
    """

    status: PlanStatus
    message: str
    path: Array
    length: float = math.inf
    trajectory: Trajectory | None = None
    goal_index: int = -1
    nodes: int = 0
    checks: int = 0
    runs_solved: int = 0
    lengths: tuple[tuple[float, float], ...] = ()
    dropped_goals: tuple[str, ...] = ()
    seconds: PlanSeconds = field(default_factory=PlanSeconds)
    trees: Trees = ()

    @property
    def success(self) -> bool:
        """Whether there is a path."""
        return self.status is PlanStatus.SOLVED


def no_path(status: PlanStatus, message: str, width: int, **more: Any) -> PlanResult:
    """Return a result without a path."""
    return PlanResult(status, message, np.zeros((0, width)), **more)


def not_tried(deadline: Deadline, tried: int, goals: int) -> str:
    """Return the message that time ran out after ``tried`` goals."""
    place = f"after {tried:,} of {goals:,} goals"
    if deadline.over:
        return deadline.why(place)
    return f"the share of the {deadline.limit:g} s time limit for goals was used up {place}"


def late_status(deadline: Deadline) -> PlanStatus:
    """Return the status of a plan stopped by its deadline."""
    return PlanStatus.CANCELLED if deadline.cancelled else PlanStatus.OUT_OF_TIME


def listed(untried: str, reasons: Sequence[str]) -> str:
    """Return the first reasons why no goal is left, and their number."""
    more = len(reasons) - MOST_REASONS
    words = [*([untried] if untried else []), *reasons[:MOST_REASONS]]
    words += [f"and {more:,} more"] if more > 0 else []
    return "; ".join(words) or "there is no goal"
