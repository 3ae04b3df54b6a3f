"""Our planner on MotionBenchMaker's 700 Panda problems, beside VAMP if that is installed.

    python -m benchmarks.planning.motion_bench_maker --problems vamp/resources/panda/problems
        [--which odd|even|all] [--seed 0] [--json figures.json] [--quick]

The folder is VAMP's archive ``resources/panda/problems.tar.bz2``, unpacked; beside it stand VAMP's
``panda.urdf`` (with its meshes) and ``panda.srdf``. Both planners run with their default settings,
one after the other on each problem, one thread each; times are processor milliseconds. Every path
is looked at again on the real meshes by Pinocchio and coal every 0.01 rad. Problems whose start or
goal touches by that judge are counted apart: they have no answer but a refusal.
"""

from __future__ import annotations

import argparse
import importlib.metadata
import json
import platform
import time
import warnings
from collections.abc import Iterable
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks.planning.motion_bench_problems import Judge, Plan, Problem, load_problems
from benchmarks.planning.motion_bench_vamp import Vamp
from benchmarks.planning.pillars_scene import path_length
from rigid_tree_kinematics.collision import CollisionChecker
from rigid_tree_kinematics.description import read_urdf_file
from rigid_tree_kinematics.planning import MotionPlanner, PlanSettings, PlanStatus

PACKAGES = ("vamp-planner", "pin", "coal", "numba", "numpy")


class Ours:
    """MotionPlanner with its default settings."""

    name = "ours"

    def __init__(self, urdf: Path, srdf: Path, seed: int) -> None:
        self._robot = read_urdf_file(urdf)
        self._checker = CollisionChecker(self._robot, srdf=srdf)
        self._seed = seed

    def enter(self, problem: Problem) -> float:
        """Prepare its scene; return the seconds."""
        scene = problem.scene()
        begin = time.thread_time()
        checker = self._checker.with_scene(scene)
        checker.prepare()
        self._planner = MotionPlanner(self._robot, checker)
        seconds = time.thread_time() - begin
        compiled = checker.compiled
        # Some ends of the archive lie past the limits by their rounding to six digits.
        ends = (np.clip(q, compiled.lower, compiled.upper) for q in (problem.start, problem.goal))
        self._start, self._goal = ends
        return seconds

    def plan(self) -> Plan:
        """Plan twice, without and with shortcuts, and time the second path."""
        raw, raw_seconds = self._plan(shorten=False, timing=False)
        if not raw.success:
            refused = raw.status in (PlanStatus.START_BLOCKED, PlanStatus.GOAL_BLOCKED)
            return Plan(message=raw.message, refused=refused, raw_seconds=raw_seconds)
        short, seconds = self._plan(shorten=True, timing=False)
        _, timed = self._plan(shorten=True, timing=True)
        inside = raw.seconds.search
        return Plan(raw.path, short.path, "", False, raw_seconds, inside, seconds, timed - seconds)

    def _plan(self, shorten: bool, timing: bool) -> tuple[Any, float]:
        settings = PlanSettings(seed=self._seed, shorten=shorten)
        begin = time.thread_time()
        result = self._planner.plan(self._start, self._goal, settings, timing=timing)
        return result, time.thread_time() - begin


@dataclass
class Row:
    """One planner on one problem."""

    family: str
    number: int
    ends_touch: bool
    solved: bool
    refused: bool
    message: str
    scene_ms: float
    raw_ms: float
    search_ms: float
    shortened_ms: float
    timing_ms: float
    raw_length: float
    shortened_length: float
    raw_touches: bool
    shortened_touches: bool


def measure(planner: Any, problem: Problem, judge: Judge | None) -> Row:
    """Plan, and look at what came out."""
    scene_seconds = planner.enter(problem)
    plan = planner.plan()
    raw, short = plan.raw, plan.shortened
    ends = (problem.start, problem.goal)
    return Row(
        problem.family,
        problem.number,
        judge is not None and any(judge.touches(q) for q in ends),
        raw is not None,
        plan.refused,
        plan.message,
        1e3 * scene_seconds,
        1e3 * plan.raw_seconds,
        1e3 * plan.search_seconds,
        1e3 * plan.shortened_seconds,
        1e3 * plan.timing_seconds,
        path_length(raw) if raw is not None else np.nan,
        path_length(short) if short is not None else np.nan,
        judge is not None and raw is not None and judge.path_touches(raw),
        judge is not None and short is not None and judge.path_touches(short),
    )


def table(rows: dict[str, list[Row]]) -> Iterable[str]:
    """Yield the lines: each family, then all, each planner."""
    yield (
        f"{'':17}{'':6}{'solved':>9}{'ends':>6}{'raw ms':>9}{'95 %':>9}{'search':>8}"
        f"{'short ms':>10}{'95 %':>9}{'scene':>8}{'timing':>8}{'length':>8}"
        f"{'short':>7}{'touching':>11}"
    )
    families = [*sorted({row.family for own in rows.values() for row in own}), "all"]
    for family in families:
        for name, own in rows.items():
            yield _line(family, name, [r for r in own if family in (r.family, "all")])


def _line(family: str, name: str, rows: list[Row]) -> str:
    # Times count for all that can be solved; of one that was not, the time until it gave up.
    asked = [row for row in rows if not row.ends_touch]
    solved = [row for row in asked if row.solved]

    def middle(values: Iterable[float], share: float = 50) -> float:
        found = list(values)
        return float(np.percentile(found, share)) if found else np.nan

    raw = [row.raw_ms for row in asked]
    short = [row.shortened_ms for row in solved]
    touching = f"{sum(r.raw_touches for r in rows)} / {sum(r.shortened_touches for r in rows)}"
    return (
        f"{family:17}{name:6}{f'{len(solved)}/{len(asked)}':>9}{len(rows) - len(asked):6}"
        f"{middle(raw):9.2f}{middle(raw, 95):9.2f}"
        f"{middle(r.search_ms for r in solved):8.2f}{middle(short):10.2f}{middle(short, 95):9.2f}"
        f"{middle(r.scene_ms for r in rows):8.2f}{middle(r.timing_ms for r in solved):8.2f}"
        f"{middle(r.raw_length for r in solved):8.2f}"
        f"{middle(r.shortened_length for r in solved):7.2f}{touching:>11}"
    )


def main() -> None:
    """Measure, print the table, and write the JSON file if asked to."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--problems", type=Path, required=True, help="the archive, unpacked")
    parser.add_argument("--which", choices=("odd", "even", "all"), default="all")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--json", type=Path, help="file to write the figures of each problem to")
    parser.add_argument("--quick", action="store_true", help="do not judge the paths")
    arguments = parser.parse_args()
    warnings.simplefilter("ignore")
    urdf, srdf = (arguments.problems.parent / f"panda.{kind}" for kind in ("urdf", "srdf"))
    planners: list[Any] = [Ours(urdf, srdf, arguments.seed)]
    try:
        planners.append(Vamp(arguments.seed))
    except ImportError:
        print("VAMP is not installed: pip install vamp-planner")
    judge = None if arguments.quick else Judge(urdf, srdf)
    problems = load_problems(arguments.problems, arguments.which)
    for planner in planners:  # what a first call alone does
        planner.enter(problems[0])
        planner.plan()
    rows: dict[str, list[Row]] = {planner.name: [] for planner in planners}
    for problem in problems:
        if judge is not None:
            judge.enter(problem)
        for planner in planners:
            rows[planner.name].append(measure(planner, problem, judge))
    print(f"seed {arguments.seed}, {len(problems)} problems, Python {platform.python_version()}")
    print(", ".join(_versions()))
    print("\n".join(table(rows)))
    for name, own in rows.items():
        for row in own:
            if not row.solved and (not row.refused or not row.ends_touch):
                print(f"{name}: {row.family} {row.number}: {row.message}")
    if arguments.json:
        figures = {name: [asdict(row) for row in own] for name, own in rows.items()}
        arguments.json.write_text(json.dumps(figures, indent=2) + "\n")


def _versions() -> Iterable[str]:
    for name in PACKAGES:
        try:
            yield f"{name} {importlib.metadata.version(name)}"
        except importlib.metadata.PackageNotFoundError:
            continue


if __name__ == "__main__":
    main()
