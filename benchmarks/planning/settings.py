"""Cost of PlanSettings: the bundled Panda moves from one side of two pillars to the other.

Each row changes one field of the defaults. Times are processor times of the whole call. The
settings alternate, so that all of them have the same noise.
"""

import time
from dataclasses import replace
from typing import Any

import numpy as np

from benchmarks.frame import Report, main, percent, spread, timed
from benchmarks.planning.pillars_scene import GOAL, START, path_length
from rigid_tree_kinematics import load_robot
from rigid_tree_kinematics.collision import CollisionChecker, load_scene
from rigid_tree_kinematics.planning import MotionPlanner, PlanSettings

DEFAULTS = PlanSettings()
# The last one is planned with timing=False.
CHOICES = {
    "defaults": DEFAULTS,
    "shorten=False": replace(DEFAULTS, shorten=False),
    "runs=5": replace(DEFAULTS, runs=5),
    "step=0.3": replace(DEFAULTS, step=0.3),
    "step=3": replace(DEFAULTS, step=3.0),
    "resample_step=0.05": replace(DEFAULTS, resample_step=0.05),
    "velocity_scale=0.1": replace(DEFAULTS, velocity_scale=0.1),
    'planner="rrt"': replace(DEFAULTS, planner="rrt"),
    'planner="rrt", goal_bias=0.3': replace(DEFAULTS, planner="rrt", goal_bias=0.3),
    'planner="rrt", goal_threshold=2': replace(DEFAULTS, planner="rrt", goal_threshold=2.0),
    'planner="rrt", spacing=0.2': replace(DEFAULTS, planner="rrt", spacing=0.2),
    'planner="aorrtc", time_limit=0.5': replace(DEFAULTS, planner="aorrtc", time_limit=0.5),
    "timing=False": DEFAULTS,
}


def run(options: Any, report: Report) -> None:
    """Measure all choices."""
    robot = load_robot("panda")
    planner = MotionPlanner(robot, CollisionChecker(robot, load_scene("panda_pillars")))
    times: dict[str, list[float]] = {name: [] for name in CHOICES}
    lengths: dict[str, list[float]] = {name: [] for name in CHOICES}
    for seed in range(-1, options.seeds):
        for name, settings in CHOICES.items():
            request = START, GOAL, replace(settings, seed=max(seed, 0))
            timing = name != "timing=False"
            result, seconds = timed(time.process_time, planner.plan, *request, timing=timing)
            if seed >= 0 and result.success:  # warm-up
                times[name].append(1e3 * seconds)
                lengths[name].append(path_length(result.path))
    for name in CHOICES:
        solved = percent(len(times[name]), options.seeds)
        figures = {"length": float(np.median(lengths[name]))}
        report.row("settings", name, {"solved": solved} | spread(times[name]) | figures)


if __name__ == "__main__":
    main(run, seeds=50)
