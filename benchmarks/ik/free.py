"""Collision-free inverse kinematics of the bundled Panda between two pillars.

Targets are the poses of random configurations that are collision-free at the exact level. The
search starts with the arm between the pillars. ``free_solutions`` is called from Python, and each
solution is checked at the exact level and by forward kinematics.
"""

import time
from typing import Any

import numpy as np

from benchmarks.frame import Report, main, percent, spread, timed
from rigid_tree_kinematics.collision import CollisionChecker, load_scene
from rigid_tree_kinematics.description.robots import load_robot
from rigid_tree_kinematics.ik import InverseKinematics, free_solutions

TIP = "panda_link8"
START = (0.0, -0.3, 0.0, -2.2, 0.0, 2.0, 0.785)
TOLERANCE = 1e-5  # of each entry of the pose matrix


def run(options: Any, report: Report) -> None:
    """Measure all poses."""
    robot = load_robot("panda")
    checker = CollisionChecker(robot, load_scene("panda_pillars"))
    solver = InverseKinematics(robot, TIP)
    start = robot.home_configuration()
    start[: len(START)] = START
    rng = np.random.default_rng(0)
    times: list[float] = []
    free, at_once = 0, 0
    while len(times) < options.poses:
        q = robot.random_configuration(rng)
        if not checker.check(q).free:
            continue
        target = robot.get_transform(q, TIP)
        arguments = solver, checker, target, start
        (results, _), seconds = timed(time.perf_counter, free_solutions, *arguments)
        times.append(1e3 * seconds)
        at_once += checker.is_free(solver.solve(target, start).configuration)
        if results:
            found = results[0].configuration
            off = np.abs(robot.get_transform(found, TIP) - target).max()
            free += off < TOLERANCE and checker.check(found).free
    figures = {
        "solved": percent(free, options.poses),
        "first solution collision-free": percent(at_once, options.poses),
    }
    report.row("poses", options.poses, figures | spread(times))


if __name__ == "__main__":
    main(run, poses=1000)
