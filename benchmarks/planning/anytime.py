"""Path lengths over time on MotionBenchMaker's problems, compared with VAMP's and OMPL's planners.

``--problems`` is the same folder as for ``benchmarks.planning.motion_bench_maker``. The problems
are the first two with odd numbers from each of the seven families. Times are processor times since
the call, and our planner's time limit is one too. VAMP's planners have no time limit: each point
of their curves is a call with another limit of iterations and samples, simplified as usual. VAMP
checks spheres, not meshes. OMPL's planners check convex hulls with Pinocchio and coal from Python,
which takes most of their time. Pinocchio and coal check the last paths on the meshes every
0.01 rad. ``--figure`` plots the curves in a PNG file; ``--quick`` skips VAMP and OMPL.
"""

import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
from matplotlib.figure import Figure

from benchmarks.frame import Report, main
from benchmarks.planning.motion_bench_maker import Ours
from benchmarks.planning.motion_bench_problems import (
    Meshes,
    Problem,
    load_problems,
    use_processor_time,
)
from benchmarks.planning.motion_bench_vamp import Vamp
from benchmarks.planning.pillars_ompl import Ompl
from benchmarks.planning.pillars_scene import path_length
from rigid_tree_kinematics.planning import PlanSettings

OF_EACH = 2  # problems per family
SEEDS = 5
LIMITS = {"ours": 0.5, "VAMP": 0.5, "OMPL": 1.0}  # s
AT = (0.005, 0.035, 0.1, 0.5, 1.0)  # s, the columns
OMPL_PLANNERS = ("BITstar", "InformedRRTstar")
# VAMP 0.6.4 has no grrtstar.
VAMP_PLANNERS = {"AORRTC": "aorrtc", "GRRT*": "grrtstar", "FCIT*": "fcit"}
BUDGETS = np.geomspace(50, 200_000, 26).astype(int)  # of VAMP's iterations and samples

Curve = list[tuple[float, float]]  # (processor seconds, length of the new best path)
Planner = Callable[[Problem, int], tuple[Curve, np.ndarray | None]]  # curve and last path


class Anytime(Ours):
    """This package's anytime planner, with a deadline in processor time."""

    def curve(self, problem: Problem, seed: int) -> tuple[Curve, np.ndarray | None]:
        """Return the lengths over time and the last path."""
        self.enter(problem)
        settings = PlanSettings(planner="aorrtc", seed=seed, time_limit=LIMITS["ours"])
        result = self._planner.plan(self._start, self._goal, settings, timing=False)
        path = result.path[:, np.argsort(self._order)] if result.success else None
        return list(result.lengths), path


def vamp_curve(name: str) -> Planner:
    """Return a function for the lengths over time of a VAMP planner."""
    planner = Vamp("panda", 0, name)

    def curve(problem: Problem, seed: int) -> tuple[Curve, np.ndarray | None]:
        planner.enter(problem)
        planner.reseed(seed)
        found, path, least = list[tuple[float, float]](), None, np.inf
        for budget in BUDGETS:
            planner.limit(int(budget))
            plan = planner.plan()
            if max(plan.raw_seconds, plan.shortened_seconds) > LIMITS["VAMP"]:
                break
            if plan.shortened is not None and path_length(plan.shortened) < least:
                path, least = plan.shortened, path_length(plan.shortened)
                found.append((plan.shortened_seconds, least))
        return found, path

    return curve


def vamp_curves() -> dict[str, Planner]:
    """Return the functions of the VAMP planners that are installed."""
    try:
        import vamp
    except ImportError:
        print("VAMP is not installed: pip install vamp-planner")
        return {}
    offered = {name: own for name, own in VAMP_PLANNERS.items() if hasattr(vamp.panda, own)}
    return {f"VAMP {name}": vamp_curve(own) for name, own in offered.items()}


def ompl_curve(meshes: Meshes, name: str) -> Planner:
    """Return a function for the lengths over time of an OMPL planner."""

    def curve(problem: Problem, seed: int) -> tuple[Curve, np.ndarray | None]:
        planner = Ompl(seed, meshes.judge(problem, convex=True), (problem.start, problem.goal))
        setup = planner.setup(name)
        begin, found = time.thread_time(), list[tuple[float, float]]()
        while time.thread_time() - begin < LIMITS["OMPL"]:
            setup.solve(0.02)
            if setup.haveExactSolutionPath():
                length = setup.getSolutionPath().length()
                if not found or length < found[-1][1]:
                    found.append((time.thread_time() - begin, length))
        return found, planner.points(setup) if found else None

    return curve


def cell(curves: list[Curve], seconds: float) -> str:
    """Return the mean best length at a time, and the percentage of solved problems."""
    best = [[length for at, length in curve if at <= seconds] for curve in curves]
    lengths = [min(own) for own in best if own]
    solved = f"{100 * len(lengths) / len(curves):.0f} %"
    return f"{np.mean(lengths):.2f} ({solved})" if lengths else "none"


def limit_of(name: str) -> float:
    """Return the time limit of a planner."""
    return LIMITS[name.split()[0]]


def draw(curves: dict[str, list[Curve]], file: str) -> None:
    """Plot medians and solved problems over time; an unsolved problem's length is infinite."""
    figure = Figure(figsize=(7.0, 5.4), layout="constrained")
    upper, lower = figure.subplots(2, sharex=True, height_ratios=(2, 1))
    for name, own in curves.items():
        times = np.geomspace(1e-4, limit_of(name), 300)
        best = np.array(
            [
                [min((length for at, length in curve if at <= t), default=np.inf) for curve in own]
                for t in times
            ]
        )
        width = 3.0 if name == "ours" else 1.5  # others stay visible on top of it
        upper.plot(1e3 * times, np.median(best, axis=1), label=name, linewidth=width)
        lower.plot(1e3 * times, 100.0 * np.isfinite(best).mean(axis=1), linewidth=width)
    upper.set(ylabel="median path length (rad)")
    lower.set(xscale="log", xlabel="processor time (ms)", ylabel="solved (%)", ylim=(-3, 103))
    lower.xaxis.set_major_formatter("{x:g}")
    for axes in (upper, lower):
        axes.grid(alpha=0.3)
    figure.legend(loc="outside upper center", ncols=3)
    figure.savefig(file, dpi=110)


def run(options: Any, report: Report) -> None:
    """Measure all planners and plot the curves."""
    use_processor_time()
    urdf, srdf = (options.problems.resolve().parent / f"panda.{kind}" for kind in ("urdf", "srdf"))
    meshes = Meshes(urdf, srdf)
    planners: dict[str, Planner] = {"ours": Anytime(urdf, srdf, meshes.joints, 0).curve}
    if not options.quick:
        planners |= vamp_curves()
        planners |= {f"OMPL {name}": ompl_curve(meshes, name) for name in OMPL_PLANNERS}
    problems = load_problems(options.problems.resolve(), "odd", OF_EACH, meshes.joints)
    judges = [meshes.judge(problem) for problem in problems]
    curves: dict[str, list[Curve]] = {}
    for name, planner in planners.items():
        planner(problems[0], 0)  # warm-up
        seeds = range(1 if name.startswith("OMPL") else options.seeds)
        curves[name], touching = [], 0
        for problem, judge in zip(problems, judges, strict=True):
            for seed in seeds:
                curve, path = planner(problem, seed)
                curves[name].append(curve)
                touching += path is not None and judge.path_touches(path)
        own = curves[name]
        columns = {f"{1e3 * at:g} ms": cell(own, at) if at <= limit_of(name) else "" for at in AT}
        collisions = {"in collision": f"{touching} of {sum(map(bool, own))}"}
        report.row("mean length (solved) after", name, columns | collisions)
    report.details["curves"] = curves
    if options.figure:
        draw(curves, options.figure)


if __name__ == "__main__":
    main(run, problems=Path, figure="", seeds=SEEDS, quick=False)
