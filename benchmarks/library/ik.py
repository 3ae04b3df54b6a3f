"""Inverse kinematics beside other libraries: same robot, same targets, one run.

    python -m benchmarks.library.ik --json ik.json [--robots panda ur5] [--poses 2000]

Every target is the pose, by Pinocchio's forward kinematics, of a random configuration within the
limits; every solver starts at mid-range, is set to tight tolerances, and is timed call by call
from Python. An answer counts as a success if Pinocchio finds it within 1e-4 m and 1e-3 rad and
inside the limits. Peers that are not installed are listed with the name to install them by.
"""

from __future__ import annotations

import argparse
import importlib.metadata
import json
import platform
import sys
import time
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks.library import ik_peers
from benchmarks.library.ik_problem import Problem, load_problem
from rigid_tree_kinematics import InverseKinematics

POSITION = 1e-4  # m
ORIENTATION = 1e-3  # rad
LIMITS = 1e-9  # rad
SEED = 20_000
PACKAGES = (
    "pin",
    "numba",
    "numpy",
    "roboticstoolbox-python",
    "optik-py",
    "pin-pink",
    "EAIK",
    "example-robot-data",
)

Solver = Callable[[np.ndarray, np.ndarray], Any]  # (target, start) -> joint positions or None


def ours(problem: Problem, method: str = "lm") -> Solver:
    solver = InverseKinematics(problem.tree, problem.tip, problem.base, solver=method)
    full = solver.compiled.home.copy()
    entries = list(solver.involved)

    def solve(target: np.ndarray, start: np.ndarray) -> Any:
        full[entries] = start
        return solver.solve(target, full).configuration[entries]

    return solve


SOLVERS: dict[str, tuple[str, Callable[[Problem], Solver]]] = {
    "ours": ("rigid_tree_kinematics", ours),
    "ours_bfgs": ("rigid_tree_kinematics", lambda problem: ours(problem, "bfgs")),
    "roboticstoolbox": ("roboticstoolbox-python", ik_peers.roboticstoolbox),
    "optik": ("optik-py", ik_peers.optik),
    "pink": ("pin-pink", ik_peers.pink),
    "eaik": ("EAIK", ik_peers.eaik),
}
# Peers that take milliseconds are measured on the first targets only.
FEWER = {"pink": 300}


def measure(problem: Problem, solve: Solver, targets: np.ndarray) -> dict[str, float]:
    """Return success (fraction), median, mean and p99 (ms) and how many targets it was."""
    for target in targets[:3]:
        solve(target, problem.middle)  # first calls load and cache
    times, good = [], 0
    for target in targets:
        started = time.perf_counter()
        q = solve(target, problem.middle)
        times.append(1e3 * (time.perf_counter() - started))
        good += q is not None and problem.reaches(q, target, POSITION, ORIENTATION, LIMITS)
    return {
        "success": good / len(targets),
        "median_ms": float(np.median(times)),
        "mean_ms": float(np.mean(times)),
        "p99_ms": float(np.percentile(times, 99)),
        "poses": len(targets),
    }


def run(names: list[str], poses: int) -> dict[str, Any]:
    """Measure all solvers on all robots; return what the JSON file holds."""
    results: dict[str, Any] = {}
    for name in names:
        problem = load_problem(name)
        targets = problem.random_targets(poses, SEED)
        results[name] = {}
        print(f"\n{name}: {problem.tip} in {problem.base}, {poses} poses", flush=True)
        print(f"{'':17}{'success':>9}{'median':>10}{'mean':>10}{'p99 ms':>10}")
        for key, (package, make) in SOLVERS.items():
            try:
                solver = make(problem)
            except ImportError:
                print(f"{key:17} not installed: pip install {package}")
                continue
            except ik_peers.NotForThisRobotError as reason:
                print(f"{key:17} {reason}")
                continue
            row = measure(problem, solver, targets[: FEWER.get(key, poses)])
            results[name][key] = row
            note = f"   ({row['poses']} poses)" if row["poses"] < poses else ""
            print(
                f"{key:17}{row['success']:9.2%}{row['median_ms']:10.4f}{row['mean_ms']:10.4f}"
                f"{row['p99_ms']:10.4f}{note}",
                flush=True,
            )
    results["about"] = about(poses)
    return results


def about(poses: int) -> dict[str, Any]:
    """Return versions, hardware and seeds."""
    versions = {}
    for package in PACKAGES:
        try:
            versions[package] = importlib.metadata.version(package)
        except importlib.metadata.PackageNotFoundError:
            versions[package] = "not installed"
    return {
        "poses": poses,
        "seed": SEED,
        "success_means": f"{POSITION} m, {ORIENTATION} rad, inside the limits, by pin",
        "python": platform.python_version(),
        "machine": platform.machine(),
        "processor": processor(),
        "versions": versions,
    }


def processor() -> str:
    """Return the processor's name."""
    try:
        for line in Path("/proc/cpuinfo").read_text().splitlines():
            if line.startswith("model name"):
                return line.split(":", 1)[1].strip()
    except OSError:
        pass
    return platform.processor()


def main() -> int:
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n")[0])
    parser.add_argument("--json", type=Path, help="file to write the figures to")
    parser.add_argument("--robots", nargs="+", default=["panda", "ur5"])
    parser.add_argument("--poses", type=int, default=2000)
    arguments = parser.parse_args()
    warnings.simplefilter("ignore")
    results = run(arguments.robots, arguments.poses)
    facts = results["about"]
    print(f"\n{facts['processor']}, Python {facts['python']}, seed {facts['seed']}")
    print(", ".join(f"{name} {version}" for name, version in facts["versions"].items()))
    if arguments.json:
        arguments.json.write_text(json.dumps(results, indent=2) + "\n")
    return 0


if __name__ == "__main__":
    sys.exit(main())
