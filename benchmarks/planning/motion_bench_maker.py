"""Our planner on MotionBenchMaker's problems, compared with VAMP if it is installed.

``--problems`` are VAMP's archives ``resources/*/problems.tar.bz2`` (Panda, Fetch, UR5, Baxter),
unpacked next to the robot's URDF, meshes and SRDF. ``--most`` limits the number of
problems per family. All planners solve each problem in turn with one thread and their default
settings; VAMP does it again with ``max_samples=100000``. Times and time limits are processor
times. Pinocchio and coal check every path on the meshes every 0.01 rad, unless ``--quick`` is
given. Problems whose start or goal is in collision by that check are counted as "blocked": they
have no solution. "Free ms" is the time to a raw path that is free by that check: further seeds
are tried, up to TRIES in total, and the checks themselves are not counted. Columns with two times
are medians and 95th percentiles; lengths and free paths are of raw and shortened paths. "Phases"
are the shares of our whole plan, for plans near the median and the 95th percentile. ``--json``
includes each problem's figures.
"""

import math
import time
import warnings
from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks.frame import Report, main, timed
from benchmarks.planning.motion_bench_problems import (
    Meshes,
    Plan,
    Problem,
    load_problems,
    use_processor_time,
)
from benchmarks.planning.motion_bench_vamp import Vamp
from benchmarks.planning.pillars_scene import Judge, path_length
from rigid_tree_kinematics.collision import CollisionChecker
from rigid_tree_kinematics.description import read_urdf_file
from rigid_tree_kinematics.planning import MotionPlanner, PlanSettings, PlanStatus

PROBLEMS = [Path("vamp/resources/panda/problems")]
TRIES = 10  # seeds, until a path is free on the meshes
FEWER_SAMPLES = 100_000


class Ours:
    """MotionPlanner with its default settings."""

    name = "ours"

    def __init__(self, urdf: Path, srdf: Path, joints: Sequence[str], seed: int) -> None:
        self._robot = read_urdf_file(urdf)
        begin = time.process_time()
        self._checker = CollisionChecker(self._robot, srdf=srdf)
        self._checker.is_free(self._checker.compiled.home)
        self.first_check = time.process_time() - begin
        self.reseed(seed)
        self._order = [joints.index(name) for name in self._checker.compiled.joint_names]

    def reseed(self, seed: int) -> None:
        """Set the seed of the next plans."""
        self._seed = seed

    def enter(self, problem: Problem) -> float:
        """Prepare a problem's scene; return the seconds."""
        scene = problem.scene()
        begin = time.thread_time()
        checker = self._checker.with_scene(scene)
        checker.prepare()
        self._planner = MotionPlanner(self._robot, checker)
        seconds = time.thread_time() - begin
        compiled = checker.compiled
        # The archive rounds to six digits, which puts some ends outside the limits.
        self._start, self._goal = (
            np.clip(q[self._order], compiled.lower, compiled.upper)
            for q in (problem.start, problem.goal)
        )
        return seconds

    def plan(self) -> Plan:
        """Plan without and with shortening, and time the second path."""
        raw, raw_seconds = self._plan(shorten=False, timing=False)
        if not raw.success:
            refused = raw.status in (PlanStatus.START_BLOCKED, PlanStatus.GOAL_BLOCKED)
            return Plan(message=raw.message, refused=refused, raw_seconds=raw_seconds)
        short, seconds = self._plan(shorten=True, timing=False)
        timed_plan, whole = self._plan(shorten=True, timing=True)
        inside = raw.seconds.search
        back = np.argsort(self._order)
        paths = raw.path[:, back], short.path[:, back]
        times = raw_seconds, inside, seconds, whole - seconds
        return Plan(*paths, "", False, *times, timed_plan.seconds)

    def _plan(self, shorten: bool, timing: bool) -> tuple[Any, float]:
        settings = PlanSettings(seed=self._seed, shorten=shorten)
        request = self._start, self._goal, settings
        return timed(time.thread_time, self._planner.plan, *request, timing=timing)


def seconds_to_free(planner: Any, first: Plan, judge: Judge, seed: int) -> float:
    """Return the time to a raw path that is free on the meshes, inf if no seed gives one."""
    plan, seconds = first, first.raw_seconds
    for other in range(seed + 1, seed + TRIES):
        if plan.raw is not None and not judge.path_touches(plan.raw):
            return seconds
        planner.reseed(other)
        plan = planner.plan()
        seconds += plan.raw_seconds
    return math.inf


def measure(planner: Any, problem: Problem, judge: Judge | None, seed: int) -> dict[str, Any]:
    """Plan and check the paths; return the figures of a planner on a problem."""
    planner.reseed(seed)
    scene_seconds = planner.enter(problem)
    plan = planner.plan()
    ends = (problem.start, problem.goal)
    row = {
        "family": problem.family,
        "number": problem.number,
        "ends_touch": judge is not None and any(judge.touches(q) for q in ends),
        "solved": plan.raw is not None,
        "refused": plan.refused,
        "message": plan.message,
        "scene_ms": 1e3 * scene_seconds,
        "raw_ms": 1e3 * plan.raw_seconds,
        "search_ms": 1e3 * plan.search_seconds,
        "shortened_ms": 1e3 * plan.shortened_seconds,
        "timing_ms": 1e3 * plan.timing_seconds,
        "phases": asdict(plan.phases),
    }
    for name, path in (("raw", plan.raw), ("shortened", plan.shortened)):
        row[f"{name}_length"] = np.nan if path is None else path_length(path)
        row[f"{name}_touches"] = bool(judge and path is not None and judge.path_touches(path))
    row["free_ms"] = math.inf
    if judge is not None and not row["ends_touch"]:
        row["free_ms"] = 1e3 * seconds_to_free(planner, plan, judge, seed)
    return row


def figures(rows: list[dict[str, Any]]) -> dict[str, Any]:
    """Return the row of a planner for one family or all problems."""
    # Raw times include failed plans.
    asked = [row for row in rows if not row["ends_touch"]]
    solved = [row for row in asked if row["solved"]]

    def median(name: str) -> float:
        return float(np.median([row[name] for row in solved])) if solved else np.nan

    return {
        "solved": f"{len(solved)} of {len(asked)}",
        "blocked": len(rows) - len(asked),
        "raw ms": both([row["raw_ms"] for row in asked]),
        "free ms": both([row["free_ms"] for row in asked]),
        "search ms": median("search_ms"),
        "shortened ms": both([row["shortened_ms"] for row in solved]),
        "timed ms": both([row["shortened_ms"] + row["timing_ms"] for row in solved]),
        "scene ms": median("scene_ms"),
        "length": f"{median('raw_length'):.1f} / {median('shortened_length'):.1f}",
        "free": " / ".join(
            f"{sum(not row[name] for row in solved)}"
            for name in ("raw_touches", "shortened_touches")
        ),
    }


def both(values: list[float]) -> str:
    """Return the median and the 95th percentile; "none" for those that are infinite."""
    shares = np.percentile(values, (50, 95), method="higher") if values else (np.nan, np.nan)
    cells = (f"{v:.2g}" if v < 100.0 else f"{v:.0f}" for v in shares)
    return " / ".join("none" if cell == "inf" else cell for cell in cells)


def phases(rows: list[dict[str, Any]], share: float) -> dict[str, str]:
    """Return the phases' shares of the time of plans near a percentile, a tenth of them."""
    solved = sorted(
        (row["phases"] for row in rows if row["solved"]), key=lambda p: sum(p.values())
    )
    middle, reach = round(share * len(solved)), len(solved) // 20
    near = solved[max(0, middle - reach) : middle + reach + 1]
    whole = sum(sum(phase.values()) for phase in near)
    return {name: f"{100.0 * sum(p[name] for p in near) / whole:.0f} %" for name in near[0]}


def run(options: Any, report: Report) -> None:
    """Measure all planners on all robots' problems."""
    warnings.simplefilter("ignore")
    use_processor_time()
    for folder in options.problems:
        run_robot(folder.resolve(), options, report)


def run_robot(folder: Path, options: Any, report: Report) -> None:
    """Measure all planners on the problems of one robot."""
    robot = folder.parent
    urdf, srdf = (robot / f"{robot.name}.{kind}" for kind in ("urdf", "srdf"))
    meshes = Meshes(urdf, srdf)
    ours = Ours(urdf, srdf, meshes.joints, options.seed)
    planners: list[Any] = [ours]
    try:
        planners.append(Vamp(robot.name, options.seed))
        planners.append(Vamp(robot.name, options.seed, max_samples=FEWER_SAMPLES))
    except ImportError:
        print("VAMP is not installed: pip install vamp-planner")
    problems = load_problems(folder, options.which, options.most, meshes.joints)
    for planner in planners:  # warm-up
        planner.enter(problems[0])
        planner.plan()
    rows: dict[str, list[dict[str, Any]]] = {planner.name: [] for planner in planners}
    for problem in problems:
        judge = None if options.quick else meshes.judge(problem)
        for planner in planners:
            rows[planner.name].append(measure(planner, problem, judge, options.seed))
    for name, own in rows.items():
        table = f"{robot.name}, {name}"
        for family in [*sorted({row["family"] for row in own}), "all"]:
            report.row(table, family, figures([r for r in own if family in (r["family"], "all")]))
        for row in own:
            if not row["solved"] and not (row["refused"] and row["ends_touch"]):
                print(f"{name}: {row['family']} {row['number']}: {row['message']}")
        report.details[table] = own
    for name, share in (("median", 0.5), ("95 %", 0.95)):
        report.row("phases of our plans", f"{robot.name}, {name}", phases(rows[ours.name], share))
    # Uses cached fits, unless XDG_CACHE_HOME is a new folder.
    report.row("first checker", robot.name, {"processor ms": 1e3 * ours.first_check})


if __name__ == "__main__":
    main(run, problems=PROBLEMS, which=("all", "odd", "even"), most=100, seed=0, quick=False)
