"""Path lengths over time on MotionBenchMaker's problems, compared with OMPL's planners.

``--problems`` is the same folder as for ``benchmarks.planning.motion_bench_maker``. The problems
are the first two with odd numbers from each of the seven families. Times are processor times since
the call, and our planner's time limit is one too. OMPL's planners check convex hulls with
Pinocchio and coal from Python, which takes most of their time. ``--figure`` plots the curves in a
PNG file; ``--quick`` skips OMPL.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
from matplotlib.figure import Figure

from benchmarks.frame import Report, main
from benchmarks.planning.motion_bench_maker import Ours
from benchmarks.planning.motion_bench_problems import Meshes, Problem, load_problems
from benchmarks.planning.pillars_ompl import Ompl
from rigid_tree_kinematics import deadline
from rigid_tree_kinematics.planning import PlanSettings

OF_EACH = 2  # problems per family
SEEDS = 5
LIMITS = {"ours": 0.5, "OMPL": 1.0}  # s
AT = (0.005, 0.035, 0.1, 0.5, 1.0)  # s, the columns
OMPL_PLANNERS = ("BITstar", "InformedRRTstar")

Curve = list[tuple[float, float]]  # (processor seconds, length of the new best path)
Planner = Callable[[Problem, int], Curve]


class Anytime(Ours):
    """This package's anytime planner, with a deadline in processor time."""

    def curve(self, problem: Problem, seed: int) -> Curve:
        """Return the lengths over time."""
        self.enter(problem)
        settings = PlanSettings(planner="aorrtc", seed=seed, time_limit=LIMITS["ours"])
        result = self._planner.plan(self._start, self._goal, settings, timing=False)
        return list(result.lengths)


def ompl_curve(meshes: Meshes, name: str) -> Planner:
    """Return a function for the lengths over time of an OMPL planner."""

    def curve(problem: Problem, seed: int) -> Curve:
        planner = Ompl(seed, meshes.judge(problem, convex=True), (problem.start, problem.goal))
        setup = planner.setup(name)
        begin, found = time.thread_time(), list[tuple[float, float]]()
        while time.thread_time() - begin < LIMITS["OMPL"]:
            setup.solve(0.02)
            if setup.haveExactSolutionPath():
                length = setup.getSolutionPath().length()
                if not found or length < found[-1][1]:
                    found.append((time.thread_time() - begin, length))
        return found

    return curve


def mean_at(curves: list[Curve], seconds: float) -> tuple[float, int]:
    """Return the mean best length at a time, and the number of solved problems."""
    best = [[length for at, length in curve if at <= seconds] for curve in curves]
    lengths = [min(own) for own in best if own]
    return (float(np.mean(lengths)) if lengths else np.nan), len(lengths)


def cell(curves: list[Curve], seconds: float) -> str:
    """Return a cell with the mean length and the percentage of solved problems."""
    mean, count = mean_at(curves, seconds)
    return f"{mean:.2f} ({100 * count / len(curves):.0f} %)" if count else "none"


def limit_of(name: str) -> float:
    """Return the time limit of a planner."""
    return LIMITS["ours" if name == "ours" else "OMPL"]


def draw(curves: dict[str, list[Curve]], file: str) -> None:
    """Plot the medians over time; the length of an unsolved problem is infinite."""
    figure = Figure(figsize=(7.0, 3.8), layout="constrained")
    axes = figure.subplots()
    for name, own in curves.items():
        times = np.geomspace(1e-3, limit_of(name), 200)
        best = [
            [
                min((length for at, length in curve if at <= seconds), default=np.inf)
                for curve in own
            ]
            for seconds in times
        ]
        axes.plot(1e3 * times, np.median(best, axis=1), label=name)
    axes.set(xscale="log", xlabel="processor time (ms)", ylabel="median path length (rad)")
    axes.grid(alpha=0.3)
    axes.legend()
    figure.savefig(file, dpi=110)


def run(options: Any, report: Report) -> None:
    """Measure all planners and plot the curves."""
    vars(deadline)["perf_counter"] = time.thread_time
    urdf, srdf = (options.problems.resolve().parent / f"panda.{kind}" for kind in ("urdf", "srdf"))
    meshes = Meshes(urdf, srdf)
    planners: dict[str, Planner] = {"ours": Anytime(urdf, srdf, meshes.joints, 0).curve}
    if not options.quick:
        planners |= {f"OMPL {name}": ompl_curve(meshes, name) for name in OMPL_PLANNERS}
    problems = load_problems(options.problems.resolve(), "odd", OF_EACH, meshes.joints)
    curves: dict[str, list[Curve]] = {}
    for name, planner in planners.items():
        planner(problems[0], 0)  # warm-up
        seeds = range(options.seeds if name == "ours" else 1)
        own = curves[name] = [planner(problem, seed) for problem in problems for seed in seeds]
        columns = {f"{1e3 * at:g} ms": cell(own, at) if at <= limit_of(name) else "" for at in AT}
        report.row("mean length (solved) after", name, columns)
    report.details["curves"] = curves
    if options.figure:
        draw(curves, options.figure)


if __name__ == "__main__":
    main(run, problems=Path, figure="", seeds=SEEDS, quick=False)
