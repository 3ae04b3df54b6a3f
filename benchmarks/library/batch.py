"""Reachability maps, IK data and motions with one and two threads, beside a plain loop.

The map is a Panda's: 0.05 m voxels, 50 directions, self-collisions checked. "any roll" accepts any
rotation about a direction, "10 x 5 rolls" asks for 50 whole poses a voxel. "poses" is how many the
map answers: those of the voxels that the stretched arm could reach. The loop calls
roboticstoolbox's ik_LM for each pose of a sample of these, without collisions, with 100 random
starts.
"""

from __future__ import annotations

import shutil
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from benchmarks.frame import Report, main, percent
from benchmarks.library import ik_peers
from benchmarks.library.ik_problem import load_problem
from rigid_tree_kinematics import load_robot
from rigid_tree_kinematics.batch import (
    ReachabilityJob,
    ReachMap,
    ik_data,
    motion_data,
    plan_batch,
    reachability_map,
)
from rigid_tree_kinematics.batch.job import prepared
from rigid_tree_kinematics.planning import MotionPlanner

THREADS = (1, 2)
KINDS = {"any roll": {"directions": 50}, "10 x 5 rolls": {"directions": 10, "rolls": 5}}


class Times(NamedTuple):
    """Of a call, s."""

    wall: float
    processor: float


def poses_within_reach(work: Any) -> np.ndarray:
    """Return the centers (n, 3) of the voxels that the stretched arm could reach."""
    return np.concatenate([work.centers(chunk) for chunk in range(work.chunk_count)])


def timed(call: Callable[..., Any], folder: Path, *arguments: Any, **settings: Any) -> Times:
    """Return the wall and processor times of a call that writes a folder, removed before."""
    shutil.rmtree(folder, ignore_errors=True)
    begin, processor = time.perf_counter(), time.process_time()
    call("panda", folder, *arguments, progress=False, **settings)
    return Times(time.perf_counter() - begin, time.process_time() - processor)


def maps(options: Any, report: Report, folder: Path) -> None:
    """Measure maps."""
    for kind, chosen in KINDS.items():
        settings: dict[str, Any] = {"resolution": options.resolution} | chosen
        work: Any = prepared(ReachabilityJob(robot="panda", **settings))
        centers = poses_within_reach(work)
        poses, alone = 50 * len(centers), 0.0
        for threads in THREADS:
            seconds, processor = timed(reachability_map, folder, workers=threads, **settings)
            alone = alone or seconds
            found = ReachMap.open(folder)
            figures = {"poses": poses, "reached": percent(found.reached.sum(), poses)}
            figures |= {"wall s": seconds, "processor s": processor}
            figures |= {"processor us a pose": 1e6 * processor / poses}
            figures |= {"speedup": alone / seconds}
            report.row("map", f"{kind}, {threads} threads", figures)
        loop(options, report, work, centers, kind)


def loop(options: Any, report: Report, work: Any, centers: np.ndarray, kind: str) -> None:
    """Measure a plain loop over roboticstoolbox, which takes whole poses only."""
    if kind == "any roll":
        return
    try:
        problem = load_problem("panda")
        solve = ik_peers.roboticstoolbox(problem)
    except ImportError:
        print("roboticstoolbox is not installed: pip install roboticstoolbox-python")
        return
    rng = np.random.default_rng(0)
    poses = work.poses(rng.permutation(centers)[: max(1, options.sample // 50)])
    begin, processor = time.perf_counter(), time.process_time()
    found = [solve(T, problem.middle) for T in poses]
    seconds, processor = time.perf_counter() - begin, time.process_time() - processor
    good = sum(problem.reaches(q, T, 1e-4, 1e-3, 1e-9) for q, T in zip(found, poses, strict=True))
    figures = {"poses": len(poses), "reached": percent(good, len(poses))}
    figures |= {"wall s": seconds, "processor s": processor}
    figures |= {"processor us a pose": 1e6 * processor / len(poses), "speedup": float("nan")}
    report.row("map", "ik_LM in a loop, a sample", figures)


def rows(options: Any, report: Report, folder: Path) -> None:
    """Measure IK data, motion data and plans."""
    tree = load_robot("panda")
    planner = MotionPlanner(tree)
    draws = np.array([tree.random_configuration(k) for k in range(3 * options.motions)])
    draws = draws[planner.checker.is_free_batch(draws)][: 2 * options.motions]
    half = len(draws) // 2

    def plans(_: str, __: Path, workers: int, progress: bool) -> None:
        plan_batch(planner, draws[:half], draws[half : 2 * half], threads=workers)

    calls: dict[str, tuple[Callable[..., Any], tuple[int, ...], int]] = {
        "IK data, poses": (ik_data, (options.poses,), options.poses),
        "motion data, motions": (motion_data, (options.motions,), options.motions),
        "plan_batch, plans": (plans, (), half),
    }
    for name, (call, arguments, count) in calls.items():
        alone = 0.0
        for threads in THREADS:
            seconds, processor = timed(call, folder, *arguments, workers=threads)
            alone = alone or seconds
            figures = {"count": count, "wall s": seconds, "processor s": processor}
            figures |= {"a second": count / seconds, "speedup": alone / seconds}
            report.row("rows", f"{name}, {threads} threads", figures)


def run(options: Any, report: Report) -> None:
    """Measure everything."""
    with tempfile.TemporaryDirectory() as place:
        folder = Path(place, "out")
        timed(reachability_map, folder, resolution=0.3, directions=5)  # loads and compiles
        maps(options, report, folder)
        rows(options, report, folder)


if __name__ == "__main__":
    main(run, resolution=0.05, sample=5000, poses=2000, motions=400)
