"""Times for random paths, beside toppra, in one run.

    python -m benchmarks.library.timing --json timing.json [--paths 40]

Straight ways through random corners, rounded by parabolas as planned paths are; limits of velocity
and acceleration differ from joint to joint. Measured is the processor time of a call from the
corners to the points of the trajectory, every 0.02 s. "duration" is the time the motion takes, as
a share of toppra's; "excess" by how much it passes a limit anywhere when its points are joined by
quintics, as ros2_control's joint_trajectory_controller does.
"""

from __future__ import annotations

import argparse
import importlib.metadata
import json
import platform
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
from scipy.interpolate import BPoly

from benchmarks.library.timing_peers import toppra_curve
from rigid_tree_kinematics.planning.timing.timing import fastest_motion, sampled

SIZES = ((2, 7), (10, 7), (100, 7), (10, 26))  # corners, joints
SPACING = 0.02

Array = np.ndarray
Points = tuple[Array, Array, Array, Array]


def random_path(rng: np.random.Generator, count: int, joints: int) -> tuple[Array, Array, Array]:
    """Return corners (count, joints), radii (count,) of their roundings, limits (4, joints)."""
    steps = rng.normal(size=(count, joints)) * rng.choice([0.1, 1.0], size=(count, 1))
    points = np.cumsum(steps, axis=0)
    lengths = np.linalg.norm(np.diff(points, axis=0), axis=1)
    radii = np.zeros(count)
    most = np.minimum(0.5, 0.45 * np.minimum(lengths[:-1], lengths[1:]))
    radii[1:-1] = most * rng.choice([1.0, 0.5, 0.25], size=count - 2)
    speed, rate = rng.uniform(0.3, 3.0, joints), rng.uniform(1.0, 10.0, joints)
    return points, radii, np.stack((-speed, speed, -rate, rate))


def ours(points: Array, radii: Array, limits: Array) -> Points:
    """Time a path as planning does."""
    return sampled(fastest_motion(points, radii, limits), limits, SPACING, points[[0, -1]])


def by_toppra(points: Array, radii: Array, limits: Array) -> Points:
    """Time a path by toppra, with points as far apart."""
    curve: Any = toppra_curve(points, radii, limits)
    times = np.linspace(0.0, curve.duration, max(2, int(np.ceil(curve.duration / SPACING)) + 1))
    return times, curve(times), curve(times, 1), curve(times, 2)


def excess(points: Points, limits: Array) -> float:
    """Return the greatest share of a limit that quintics between the points come to."""
    times, *rows = points
    curve = BPoly.from_derivatives(times, np.stack(rows, axis=1))
    dense = (times[:-1, None] + np.diff(times)[:, None] * np.linspace(0.0, 1.0, 21)).ravel()
    speeds, rates = curve(dense, 1), curve(dense, 2)
    shares = (speeds / limits[0], speeds / limits[1], rates / limits[2], rates / limits[3])
    return float(max(share.max() for share in shares))


def timed(call: Callable[..., Points], *path: Array) -> tuple[Points, float]:
    """Return a call's points and its processor time, the best of three."""
    best = np.inf
    for _ in range(3):
        begin = time.process_time()
        points = call(*path)
        best = min(best, time.process_time() - begin)
    return points, best


def main() -> None:
    """Measure, print a table and write the JSON file if asked to."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--json", type=Path, help="file to write the figures to")
    parser.add_argument("--paths", type=int, default=40, help="paths of each size (default 40)")
    arguments = parser.parse_args()
    peers: dict[str, Callable[..., Points]] = {"ours": ours}
    try:
        importlib.metadata.version("toppra")
        peers["toppra"] = by_toppra
    except importlib.metadata.PackageNotFoundError:
        print("toppra is not installed: pip install toppra")
    results = []
    for count, joints in SIZES:
        rng = np.random.default_rng(count * joints)
        rows: dict[str, list[tuple[float, float, float, int]]] = {name: [] for name in peers}
        for _ in range(arguments.paths):
            path = random_path(rng, count, joints)
            for name, call in peers.items():
                points, seconds = timed(call, *path)
                rows[name].append(
                    (seconds, points[0][-1], excess(points, path[2]), len(points[0]))
                )
        for name, row in rows.items():
            seconds, durations, shares, counts = np.array(row).T
            others = np.array(rows[list(peers)[-1]])[:, 1]
            results.append(
                {
                    "name": name,
                    "corners": count,
                    "joints": joints,
                    "median_ms": 1e3 * float(np.median(seconds)),
                    "most_ms": 1e3 * float(seconds.max()),
                    "duration": float((durations / others).mean()),
                    "longest_duration": float((durations / others).max()),
                    "excess": float(shares.max() - 1.0),
                    "points": float(counts.mean()),
                }
            )
    print(f"{arguments.paths} paths of each size, Python {platform.python_version()}")
    keys = list(results[0])
    print("".join(f"{key:>17}" for key in keys))
    for line in results:
        print(
            "".join(
                f"{value:17.4f}" if isinstance(value, float) else f"{value:>17}"
                for value in line.values()
            )
        )
    if arguments.json:
        arguments.json.write_text(json.dumps(results, indent=2) + "\n")


if __name__ == "__main__":
    main()
