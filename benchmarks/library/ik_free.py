"""Inverse kinematics that touches nothing: the bundled Panda between two pillars.

    python -m benchmarks.library.ik_free [--poses 1000] [--json ik_free.json]

Every target is the pose of a random configuration that is free by the exact shapes; the search
starts with the arm between the pillars. A call is that of ``free_solutions`` from Python; each
answer is judged by the exact shapes and by forward kinematics.
"""

from __future__ import annotations

import argparse
import json
import platform
import time
from pathlib import Path

import numpy as np

from rigid_tree_kinematics.collision import CollisionChecker, load_scene
from rigid_tree_kinematics.description.robots import load_robot
from rigid_tree_kinematics.ik import InverseKinematics, free_solutions

TIP = "panda_link8"
START = (0.0, -0.3, 0.0, -2.2, 0.0, 2.0, 0.785)
TOLERANCE = 1e-5  # of each entry of the pose


def main() -> None:
    """Measure, print the figures and write the JSON file if asked to."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--json", type=Path, help="file to write the figures to")
    parser.add_argument("--poses", type=int, default=1000, help="targets (default 1000)")
    arguments = parser.parse_args()
    robot = load_robot("panda")
    checker = CollisionChecker(robot, load_scene("panda_pillars"))
    solver = InverseKinematics(robot, TIP)
    start = robot.home_configuration()
    start[: len(START)] = START
    rng = np.random.default_rng(0)
    seconds: list[float] = []
    free, at_once = 0, 0
    while len(seconds) < arguments.poses:
        q = robot.random_configuration(rng)
        if not checker.check(q).free:
            continue
        target = robot.get_transform(q, TIP)
        begin = time.perf_counter()
        results, _ = free_solutions(solver, checker, target, start)
        seconds.append(time.perf_counter() - begin)
        at_once += checker.is_free(solver.solve(target, start).configuration)
        if results:
            found = results[0].configuration
            off = np.abs(robot.get_transform(found, TIP) - target).max()
            free += off < TOLERANCE and checker.check(found).free
    result = {
        "median_ms": 1e3 * float(np.median(seconds)),
        "p95_ms": 1e3 * float(np.percentile(seconds, 95)),
        "free": free / len(seconds),
        "first_solution_free": at_once / len(seconds),
    }
    print(f"{arguments.poses} poses, Python {platform.python_version()}")
    for name, value in result.items():
        print(f"{name:22}{value:8.3f}")
    if arguments.json:
        arguments.json.write_text(json.dumps(result, indent=2) + "\n")


if __name__ == "__main__":
    main()
