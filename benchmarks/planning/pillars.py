"""RRT-Connect for the Panda between two pillars, beside OMPL, in one run.

    python -m benchmarks.planning.pillars --json planning.json [--seeds 50]

Same robot (fingers closed), obstacles, start and goal. Times are those of the whole call from
Python: the raw path, and the raw path with shortening. The raw paths of both, and our shortened
ones, are checked again on the real collision meshes by Pinocchio and coal every 0.01 rad;
"touching" counts those that touch. OMPL checks convex hulls with Pinocchio's broad phase.
"""

from __future__ import annotations

import argparse
import importlib.metadata
import json
import platform
import time
import warnings
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks.planning.pillars_ompl import Ompl
from benchmarks.planning.pillars_scene import (
    ARM_JOINTS,
    BOXES,
    GOAL,
    SRDF,
    START,
    URDF,
    Judge,
    path_length,
)
from rigid_tree_kinematics.collision import CollisionChecker, Obstacle, Scene
from rigid_tree_kinematics.description import read_urdf_file
from rigid_tree_kinematics.model import Box
from rigid_tree_kinematics.model.transforms import transform
from rigid_tree_kinematics.planning import MotionPlanner, PlanSettings

PACKAGES = ("ompl", "pin", "coal", "numba", "numpy", "example-robot-data")

# Raw path, its seconds, shortened path, the seconds of both.
Plan = tuple[np.ndarray | None, float, np.ndarray | None, float]


class Ours:
    """MotionPlanner with its default settings."""

    def __init__(self) -> None:
        scene = Scene(
            Obstacle.of(name, Box(size), transform(centre))
            for name, (size, centre) in BOXES.items()
        )
        robot = read_urdf_file(URDF)
        checker = CollisionChecker(robot, scene, srdf=SRDF)
        self._planner = MotionPlanner(robot, checker, moving_joints=ARM_JOINTS)
        self._ends = [np.append(q, 0.0) for q in (START, GOAL)]

    def plan(self, seed: int) -> Plan:
        """Plan twice, without and with shortening: the second time is of the whole call."""
        return *self._plan(seed, shorten=False), *self._plan(seed, shorten=True)

    def _plan(self, seed: int, shorten: bool) -> tuple[np.ndarray | None, float]:
        settings = PlanSettings(seed=seed, shorten=shorten)
        start, goal = self._ends
        started = time.perf_counter()
        result = self._planner.plan(start, goal, settings, timing=False)
        seconds = time.perf_counter() - started
        return result.path[:, :7] if result.success else None, seconds


def measure(plans: list[Plan], judge: Judge) -> dict[str, float]:
    """Return what the JSON file holds of one planner."""
    raw = [path for path, *_ in plans if path is not None]
    short = [path for _, _, path, _ in plans if path is not None]
    return {
        "median_ms": 1e3 * float(np.median([seconds for _, seconds, _, _ in plans])),
        "p95_ms": 1e3 * float(np.percentile([seconds for _, seconds, _, _ in plans], 95)),
        "shortened_median_ms": 1e3 * float(np.median([plan[3] for plan in plans])),
        "success": len(raw) / len(plans),
        "touching": sum(judge.path_touches(path) for path in raw),
        "shortened_touching": sum(judge.path_touches(path) for path in short),
        "length": float(np.median([path_length(path) for path in raw])),
        "shortened_length": float(np.median([path_length(path) for path in short])),
    }


def main() -> None:
    """Measure, print a table and write the JSON file if asked to."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--json", type=Path, help="file to write the figures to")
    parser.add_argument("--seeds", type=int, default=50, help="plans of each (default 50)")
    arguments = parser.parse_args()
    warnings.simplefilter("ignore")
    judge = Judge.make(convex=False)
    ours = Ours()
    ours.plan(0)
    results: dict[str, Any] = {
        "ours": measure([ours.plan(seed) for seed in range(arguments.seeds)], judge)
    }
    try:
        ompl = Ompl(seed=1)
    except ImportError:
        print("OMPL is not installed: pip install ompl")
    else:
        ompl.plan()
        results["ompl"] = measure([ompl.plan() for _ in range(arguments.seeds)], judge)
    print(f"{arguments.seeds} plans each, Python {platform.python_version()}")
    print(", ".join(f"{name} {importlib.metadata.version(name)}" for name in PACKAGES))
    for key in results["ours"]:
        print(f"{key:20}" + "".join(f"{name:>8}{row[key]:10.3f}" for name, row in results.items()))
    if arguments.json:
        arguments.json.write_text(json.dumps(results, indent=2) + "\n")


if __name__ == "__main__":
    main()
