"""RRT-Connect for the Panda between two pillars, compared with OMPL.

Both planners have the same robot (fingers closed), obstacles, start and goal. Times are those of
the whole call from Python, without and with shortening. Pinocchio and coal check every path on the
collision meshes every 0.01 rad. OMPL checks convex hulls with Pinocchio's broad phase.
"""

import time
import warnings
from typing import Any

import numpy as np

from benchmarks.frame import Report, main, percent, spread, timed
from benchmarks.planning.pillars_ompl import Ompl
from benchmarks.planning.pillars_scene import (
    ARM_JOINTS,
    GOAL,
    SRDF,
    START,
    URDF,
    Judge,
    path_length,
    pillars_judge,
)
from rigid_tree_kinematics.collision import CollisionChecker, load_scene
from rigid_tree_kinematics.description import read_urdf_file
from rigid_tree_kinematics.planning import MotionPlanner, PlanSettings

# Raw path, its seconds, shortened path, seconds of search and shortening.
Plan = tuple[np.ndarray | None, float, np.ndarray | None, float]


class Ours:
    """MotionPlanner with its default settings."""

    def __init__(self) -> None:
        robot = read_urdf_file(URDF)
        checker = CollisionChecker(robot, load_scene("panda_pillars"), srdf=SRDF)
        self._planner = MotionPlanner(robot, checker, moving_joints=ARM_JOINTS)
        self._ends = [np.append(q, 0.0) for q in (START, GOAL)]

    def plan(self, seed: int) -> Plan:
        """Plan without and with shortening; each time is that of the whole call."""
        return *self._plan(seed, shorten=False), *self._plan(seed, shorten=True)

    def _plan(self, seed: int, shorten: bool) -> tuple[np.ndarray | None, float]:
        settings = PlanSettings(seed=seed, shorten=shorten)
        plan = self._planner.plan
        result, seconds = timed(time.perf_counter, plan, *self._ends, settings, timing=False)
        return result.path[:, :7] if result.success else None, seconds


def measure(plans: list[Plan], judge: Judge) -> dict[str, Any]:
    """Return the row of a planner."""
    raw = [path for path, *_ in plans if path is not None]
    short = [path for _, _, path, _ in plans if path is not None]
    lengths = (float(np.median([path_length(path) for path in paths])) for paths in (raw, short))
    return {
        "success": percent(len(raw), len(plans)),
        **spread([1e3 * seconds for _, seconds, _, _ in plans]),
        "shortened ms": 1e3 * float(np.median([plan[3] for plan in plans])),
        "raw in collision": sum(map(judge.path_touches, raw)),
        "shortened in collision": sum(map(judge.path_touches, short)),
        "length": " / ".join(f"{length:.1f}" for length in lengths),
    }


def run(options: Any, report: Report) -> None:
    """Measure both planners."""
    warnings.simplefilter("ignore")
    judge = pillars_judge(convex=False)
    ours = Ours()
    ours.plan(0)
    plans = [ours.plan(seed) for seed in range(options.seeds)]
    report.row("planner", "ours", measure(plans, judge))
    try:
        ompl = Ompl(seed=1)
    except ImportError:
        print("OMPL is not installed: pip install ompl")
        return
    ompl.plan()
    plans = [ompl.plan() for _ in range(options.seeds)]
    report.row("planner", "OMPL", measure(plans, judge))


if __name__ == "__main__":
    main(run, seeds=50)
