"""Reachability maps, IK data and motions with one and two workers.

The map of a Panda has 50 orientations per voxel. "any roll" accepts any rotation about 50
directions, and self-collisions are checked. "whole poses" has 10 directions with 5 rolls each and
no collision check. "poses" is the number of poses in voxels within the reach of the stretched arm.
For comparison, a plain loop calls roboticstoolbox's ik_LM for a sample of the whole poses, with up
to 100 searches per pose; the map uses 11. Processor time is that of this process and its threads.
"""

import shutil
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from distributed import Client

from benchmarks.frame import Report, main, percent, timed
from benchmarks.ik import peers
from benchmarks.ik.problem import load_problem
from rigid_tree_batch import (
    ReachabilityJob,
    ReachMap,
    ik_data,
    motion_data,
    plan_batch,
    reachability_map,
)
from rigid_tree_batch.job import prepared
from rigid_tree_kinematics import load_robot
from rigid_tree_kinematics.collision import CollisionChecker, load_scene
from rigid_tree_kinematics.planning import MotionPlanner

WHOLE = "whole poses"
KINDS: dict[str, dict[str, Any]] = {
    "any roll": {"directions": 50},
    WHOLE: {"directions": 10, "rolls": 5, "collisions": False},
}


class Times(NamedTuple):
    """Wall and processor time of a call, s."""

    wall: float
    processor: float


def poses_within_reach(work: Any) -> np.ndarray:
    """Return the centers (n, 3) of the voxels within the reach of the stretched arm."""
    return np.concatenate([work._voxels(brick)[1] for brick in work.bricks])


def workers(options: Any) -> dict[str, dict[str, Any]]:
    """Return the arguments of ``run`` for each kind of workers."""
    return {
        "1 thread": {"workers": 1},
        "2 threads": {"workers": 2},
        "2 processes": {"client": options.client},
    }


def measured(call: Callable[..., Any], *arguments: Any, **named: Any) -> tuple[Any, Times]:
    """Return the result of a call, and its times."""
    (result, processor), wall = timed(
        time.perf_counter, timed, time.process_time, call, *arguments, **named
    )
    return result, Times(wall, processor)


def written(call: Callable[..., Any], folder: Path, *arguments: Any, **settings: Any) -> Times:
    """Return the times of a call that writes a folder, which is removed first."""
    shutil.rmtree(folder, ignore_errors=True)
    times = measured(call, "panda", folder, *arguments, progress=False, **settings)[1]
    return times._replace(processor=np.nan) if "client" in settings else times


def maps(options: Any, report: Report, folder: Path) -> None:
    """Measure reachability maps."""
    centers = np.empty((0, 3))
    for kind, chosen in KINDS.items():
        settings: dict[str, Any] = {"resolution": options.resolution} | chosen
        work: Any = prepared(ReachabilityJob(robot="panda", **settings))
        centers = poses_within_reach(work)
        poses, alone = 50 * len(centers), np.nan
        for name, own in workers(options).items():
            if kind == WHOLE and name != "2 threads":
                continue
            times = written(reachability_map, folder, **own, **settings)
            alone = times.wall if name == "1 thread" else alone
            reached = ReachMap.open(folder).reached.sum()
            add_map(report, f"{kind}, {name}", poses, reached, times, alone)
    sample = np.random.default_rng(0).permutation(centers)[: max(1, options.sample // 50)]
    loop(report, work.poses(sample), ReachMap.open(folder))


def loop(report: Report, poses: np.ndarray, found: ReachMap) -> None:
    """Measure a loop over roboticstoolbox for a sample of the map's poses."""
    nothing = Times(np.nan, np.nan)
    add_map(report, "map, sample", len(poses), found.reaches(poses).sum(), nothing, np.nan)
    try:
        problem = load_problem("panda")
        solve = peers.roboticstoolbox(problem)
    except ImportError:
        print("roboticstoolbox is not installed: pip install roboticstoolbox-python")
        return
    answers, times = measured(lambda: [solve(T, problem.middle) for T in poses])
    good = sum(
        problem.reaches(q, T, 1e-4, 1e-3, 1e-9) for q, T in zip(answers, poses, strict=True)
    )
    add_map(report, "ik_LM in a loop, same sample", len(poses), good, times, np.nan)


def add_map(
    report: Report, name: str, poses: int, reached: int, times: Times, alone: float
) -> None:
    """Add a row for a map; ``alone`` is the wall time of one thread."""
    figures = {"poses": poses, "reached": percent(reached, poses), "wall s": times.wall}
    figures |= {"processor s": times.processor, "us per pose": 1e6 * times.processor / poses}
    report.row("map", name, figures | {"speedup": alone / times.wall})


def rows(options: Any, report: Report, folder: Path) -> None:
    """Measure IK data and motion data."""
    for about, call, count in (
        ("IK data, poses", ik_data, options.poses),
        ("motion data, motions", motion_data, options.motions),
    ):
        alone = 0.0
        for name, own in workers(options).items():
            times = written(call, folder, count, **own)
            alone = alone or times.wall
            add_row(report, f"{about}, {name}", count, times, alone)


def plans(options: Any, report: Report) -> None:
    """Measure plans between two pillars."""
    tree = load_robot("panda")
    planner = MotionPlanner(tree, CollisionChecker(tree, load_scene("panda_pillars")))
    draws = np.array([tree.random_configuration(k) for k in range(5 * options.motions)])
    draws = draws[planner.checker.is_free_batch(draws)][: 2 * options.motions]
    starts, goals = draws[: len(draws) // 2], draws[len(draws) // 2 :][: len(draws) // 2]
    alone = 0.0
    for threads in (1, 2):
        times = measured(plan_batch, planner, starts, goals, threads=threads)[1]
        alone = alone or times.wall
        label = f"plan_batch between pillars, {threads} thread{'s' * (threads > 1)}"
        add_row(report, label, len(starts), times, alone)


def add_row(report: Report, name: str, count: int, times: Times, alone: float) -> None:
    """Add a row for data or plans; ``alone`` is the wall time of one thread."""
    figures = {"count": count, "wall s": times.wall, "processor s": times.processor}
    figures |= {"per second": count / times.wall, "speedup": alone / times.wall}
    report.row("rows", name, figures)


def run(options: Any, report: Report) -> None:
    """Measure maps, data and plans."""
    with (
        tempfile.TemporaryDirectory() as place,
        Client(n_workers=2, threads_per_worker=1, dashboard_address=None) as client,
    ):
        folder, options.client = Path(place, "out"), client
        for own in workers(options).values():  # loads everything
            written(reachability_map, folder, resolution=0.3, directions=5, **own)
            written(motion_data, folder, 40, **own)
        maps(options, report, folder)
        rows(options, report, folder)
        plans(options, report)


if __name__ == "__main__":
    main(run, resolution=0.05, sample=2000, poses=2000, motions=2000)
