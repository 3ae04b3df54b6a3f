"""Optimized paths on MotionBenchMaker's problems, beside the paths that they start from.

``--problems`` are unpacked folders as for ``benchmarks.planning.motion_bench_maker``; the first
``--most`` problems with even numbers of each family are planned. Times are processor times of
whole plans; durations, clearances and jerks are those of the trajectories. Clearances are the
smallest distances of bodies to obstacles and to each other, at the start and the goal too.
The mean jerk is the mean of all joints' sums, after slowing the trajectory to the duration of
"rrt_connect". "From a line" is the same optimizer without a search, as CHOMP and STOMP start.
All figures but the numbers of solved problems are medians.
"""

import time
from typing import Any

import numpy as np

from benchmarks.frame import Report, main, timed
from benchmarks.planning.motion_bench_maker import PROBLEMS, Ours
from benchmarks.planning.motion_bench_problems import Meshes, load_problems, use_processor_time
from rigid_tree_kinematics.deadline import Deadline
from rigid_tree_kinematics.planning import (
    OPTIMIZE,
    PlanResult,
    PlanSettings,
    PlanStatus,
    Trajectory,
)
from rigid_tree_kinematics.planning.optimize import optimized

TIME_LIMIT = 30.0  # s of processor time
FIGURES = ("whole ms", "clearance mm", "duration s", "jerk rad/s^3", "length rad")


class Optimizing(Ours):
    """Our planners, and the optimizer alone."""

    def plans(self) -> dict[str, tuple[PlanResult, float]]:
        """Return plans with their processor seconds."""
        found = {name: self._timed(name) for name in ("rrt_connect", OPTIMIZE)}
        found["from a line"] = timed(time.thread_time, self._from_line)
        return found

    def clearance(self, trajectory: Trajectory) -> float:
        """Return the smallest distance along a trajectory, m."""
        return min(self._planner.checker.distance(q).distance for q in trajectory.positions)

    def _timed(self, name: str) -> tuple[PlanResult, float]:
        settings = PlanSettings(planner=name, seed=self._seed, time_limit=TIME_LIMIT)
        return timed(time.thread_time, self._planner.plan, self._start, self._goal, settings)

    def _from_line(self) -> PlanResult:
        planner, settings = self._planner, PlanSettings(time_limit=TIME_LIMIT)
        line = np.array([self._start, self._goal])
        whole = PlanResult(PlanStatus.SOLVED, "", line, planner.space.path_length(line))
        found = optimized(planner.checker, planner.space, whole, settings, Deadline(TIME_LIMIT))
        if "not optimized" in found.message:
            return PlanResult(PlanStatus.WAY_BLOCKED, found.message, line[:0])
        return planner.timed(found.path, settings)


def mean_jerk(trajectory: Trajectory, duration: float) -> float:
    """Return the mean jerk of a trajectory that is slowed to a duration, rad/s^3."""
    own = float(trajectory.times[-1])
    changes = float(np.abs(np.diff(trajectory.accelerations, axis=0)).sum())
    return changes / own * (own / duration) ** 3


def run(options: Any, report: Report) -> None:
    """Plan all problems and report the medians."""
    use_processor_time()
    for folder in options.problems:
        robot = folder.resolve().parent
        urdf, srdf = (robot / f"{robot.name}.{kind}" for kind in ("urdf", "srdf"))
        joints = Meshes(urdf, srdf).joints
        planner = Optimizing(urdf, srdf, joints, options.seed)
        rows: dict[str, list[list[float]]] = {}
        problems = load_problems(folder.resolve(), "even", options.most, joints)
        for problem in problems:
            planner.enter(problem)
            plans = planner.plans()
            if not plans["rrt_connect"][0].success:
                continue
            reference = plans["rrt_connect"][0].trajectory
            assert reference is not None
            for name, (result, seconds) in plans.items():
                own = rows.setdefault(name, [])
                way = result.trajectory
                if way is not None:
                    clearance = planner.clearance(way)
                    jerk = mean_jerk(way, float(reference.times[-1]))
                    own.append(
                        [1e3 * seconds, 1e3 * clearance, way.times[-1], jerk, result.length]
                    )
        for name, own in rows.items():
            medians = np.median(own, axis=0).tolist()
            solved = f"{len(own)} of {len(rows['rrt_connect'])}"
            columns = {"solved": solved} | dict(zip(FIGURES, medians, strict=True))
            report.row(robot.name, name, columns)


if __name__ == "__main__":
    main(run, problems=PROBLEMS, most=5, seed=1)
