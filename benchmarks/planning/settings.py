"""What each choice of PlanSettings costs: the bundled Panda from side to side of two pillars.

    python -m benchmarks.planning.settings [--json settings.json] [--seeds 50]

Every line changes one thing of the defaults. Processor time of the whole call; the settings take
turns, so that all of them meet the same noise of the machine.
"""

from __future__ import annotations

import argparse
import json
import platform
import time
from dataclasses import replace
from pathlib import Path

import numpy as np

from benchmarks.planning.pillars_scene import path_length
from rigid_tree_kinematics import load_robot
from rigid_tree_kinematics.collision import CollisionChecker, load_scene
from rigid_tree_kinematics.planning import MotionPlanner, PlanSettings

START = np.array([1.0, 0.3, 0.0, -1.8, 0.0, 2.1, 0.785])
GOAL = np.array([-1.0, *START[1:]])
DEFAULTS = PlanSettings()
# The last one is planned with timing=False.
CHOICES = {
    "the defaults": DEFAULTS,
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
    'planner="rrt_star", time_limit=0.5': replace(DEFAULTS, planner="rrt_star", time_limit=0.5),
    "timing=False": DEFAULTS,
}


def main() -> None:
    """Measure, print a table and write the JSON file if asked to."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--json", type=Path, help="file to write the figures to")
    parser.add_argument("--seeds", type=int, default=50, help="plans by each (default 50)")
    arguments = parser.parse_args()
    robot = load_robot("panda")
    planner = MotionPlanner(robot, CollisionChecker(robot, load_scene("panda_pillars")))
    seconds: dict[str, list[float]] = {name: [] for name in CHOICES}
    lengths: dict[str, list[float]] = {name: [] for name in CHOICES}
    for seed in range(-1, arguments.seeds):
        for name, settings in CHOICES.items():
            asked = replace(settings, seed=max(seed, 0))
            begin = time.process_time()
            result = planner.plan(START, GOAL, asked, timing=name != "timing=False")
            spent = time.process_time() - begin
            if seed >= 0 and result.success:  # the first round only prepares
                seconds[name].append(spent)
                lengths[name].append(path_length(result.path))
    print(f"{arguments.seeds} plans each, Python {platform.python_version()}")
    rows = {}
    for name in CHOICES:
        row = rows[name] = {
            "solved": len(seconds[name]) / arguments.seeds,
            "median_ms": 1e3 * float(np.median(seconds[name])),
            "p95_ms": 1e3 * float(np.percentile(seconds[name], 95)),
            "length": float(np.median(lengths[name])),
        }
        print(f"{name:35}", ", ".join(f"{key} {value:.3g}" for key, value in row.items()))
    if arguments.json:
        arguments.json.write_text(json.dumps(rows, indent=2) + "\n")


if __name__ == "__main__":
    main()
