"""Inverse kinematics compared with other libraries: same robots, same targets, one run.

Targets are the poses of random configurations within the joint limits, computed by Pinocchio.
Every solver starts at mid-range with tight tolerances, and each call from Python is timed. A
solution is a success if Pinocchio finds it within 1e-4 m and 1e-3 rad of the target and within
the limits. pink, which takes milliseconds, solves only the first 300 targets.
"""

import time
import warnings
from collections.abc import Callable
from typing import Any

import numpy as np

from benchmarks.frame import Report, main, percent, spread
from benchmarks.ik import peers
from benchmarks.ik.problem import Problem, load_problem
from rigid_tree_kinematics import InverseKinematics

POSITION = 1e-4  # m
ORIENTATION = 1e-3  # rad
LIMITS = 1e-9  # rad
SEED = 20_000
FEWER = {"pink with restarts": 300}

Solver = Callable[[np.ndarray, np.ndarray], Any]  # (target, start) -> joint positions or None


def ours(problem: Problem, method: str = "lm") -> Solver:
    """Return this package's solver."""
    solver = InverseKinematics(problem.tree, problem.tip, problem.base, solver=method)
    full = solver.compiled.home.copy()
    entries = list(solver.involved)

    def solve(target: np.ndarray, start: np.ndarray) -> Any:
        full[entries] = start
        return solver.solve(target, full).configuration[entries]

    return solve


# The package to install, and a function that creates the solver.
SOLVERS: dict[str, tuple[str, Callable[[Problem], Solver]]] = {
    "ours": ("", ours),
    "ours, BFGS": ("", lambda problem: ours(problem, "bfgs")),
    "roboticstoolbox ik_LM": ("roboticstoolbox-python", peers.roboticstoolbox),
    "optik": ("optik-py", peers.optik),
    "pink with restarts": ("pin-pink", peers.pink),
    "EAIK": ("EAIK", peers.eaik),
}


def measure(problem: Problem, solve: Solver, targets: np.ndarray) -> dict[str, Any]:
    """Return the row of a solver."""
    for target in targets[:3]:
        solve(target, problem.middle)  # warm-up
    times, good = [], 0
    for target in targets:
        started = time.perf_counter()
        q = solve(target, problem.middle)
        times.append(1e3 * (time.perf_counter() - started))
        good += q is not None and problem.reaches(q, target, POSITION, ORIENTATION, LIMITS)
    median, late = spread(times, (50, 99)).items()
    figures = dict([median, ("mean ms", float(np.mean(times))), late])
    return {"success": percent(good, len(targets))} | figures


def run(options: Any, report: Report) -> None:
    """Measure all solvers on all robots."""
    warnings.simplefilter("ignore")
    for robot in options.robots:
        problem = load_problem(robot)
        targets = problem.random_targets(options.poses, SEED)
        for name, (package, make) in SOLVERS.items():
            try:
                solver = make(problem)
            except ImportError:
                print(f"{name} is not installed: pip install {package}")
            except peers.NotForThisRobotError as reason:
                print(f"{name}: {reason}")
            else:
                few = targets[: FEWER.get(name)]
                report.row(robot, name, measure(problem, solver, few))


if __name__ == "__main__":
    main(run, poses=2000, robots=["panda", "ur5"])
