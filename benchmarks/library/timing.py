"""Timing of random paths, compared with toppra.

Straight segments join random corners and are rounded by parabolas, like planned paths; velocity
and acceleration limits differ between joints. "ms" is the processor time from the corners to a
trajectory sampled every 0.02 s. "duration" is relative to toppra's. "excess" is the largest
violation of a limit when quintics join the points, as in ros2_control's
joint_trajectory_controller.
"""

import importlib.util
import logging
import time
from collections.abc import Callable
from typing import Any

import numpy as np
from scipy.interpolate import BPoly

from benchmarks.frame import Report, main, percent, spread, timed
from rigid_tree_kinematics.planning.timing.timing import fastest_motion, sampled

SIZES = ((2, 7), (10, 7), (100, 7), (10, 26))  # corners, joints
SPACING = 0.02

Array = np.ndarray
Points = tuple[Array, Array, Array, Array]


def random_path(rng: np.random.Generator, count: int, joints: int) -> tuple[Array, Array, Array]:
    """Return corners (count, joints), rounding radii (count,) and limits (4, joints)."""
    steps = rng.normal(size=(count, joints)) * rng.choice([0.1, 1.0], size=(count, 1))
    points = np.cumsum(steps, axis=0)
    lengths = np.linalg.norm(np.diff(points, axis=0), axis=1)
    radii = np.zeros(count)
    most = np.minimum(0.5, 0.45 * np.minimum(lengths[:-1], lengths[1:]))
    radii[1:-1] = most * rng.choice([1.0, 0.5, 0.25], size=count - 2)
    speed, rate = rng.uniform(0.3, 3.0, joints), rng.uniform(1.0, 10.0, joints)
    return points, radii, np.stack((-speed, speed, -rate, rate))


def ours(points: Array, radii: Array, limits: Array) -> Points:
    """Time a path like the planner."""
    return sampled(fastest_motion(points, radii, limits), limits, SPACING, points[[0, -1]])


def rounded_path(points: Array, radii: Array) -> BPoly:
    """Return straight segments with parabolas at the corners, parametrized by length.

    A parabola is a Bezier curve that starts and ends ``radii`` from its corner; its parameter
    length is twice the radius.
    """
    directions = np.diff(points, axis=0)
    lengths = np.linalg.norm(directions, axis=1)
    directions /= lengths[:, None]
    breaks, controls = [0.0], []
    for k, direction in enumerate(directions):
        first, last = points[k] + radii[k] * direction, points[k + 1] - radii[k + 1] * direction
        breaks.append(breaks[-1] + lengths[k] - radii[k] - radii[k + 1])
        controls.append((first, 0.5 * (first + last), last))
        if k + 1 < len(directions):
            breaks.append(breaks[-1] + 2.0 * radii[k + 1])
            controls.append(
                (last, points[k + 1], points[k + 1] + radii[k + 1] * directions[k + 1])
            )
    return BPoly(np.array(controls).swapaxes(0, 1), breaks)


def toppra_curve(
    points: Array, radii: Array, limits: Array, step: float = 0.02, fewest: int = 30
) -> Any:
    """Return toppra's trajectory, a function of time (s) and the order of the derivative.

    ``limits`` (4, n) are the lowest and highest velocities and accelerations. ``step`` and
    ``fewest`` set the number of grid points on each segment and parabola. Raises ImportError if
    toppra is not installed, RuntimeError if it fails.
    """
    from toppra.algorithm import TOPPRA
    from toppra.constraint import (
        DiscretizationType,
        JointAccelerationConstraint,
        JointVelocityConstraint,
    )
    from toppra.interpolator import AbstractGeometricPath

    logging.getLogger("toppra").setLevel(logging.ERROR)
    curve = rounded_path(points, radii)

    class Path(AbstractGeometricPath):  # type: ignore[misc]  # its base is untyped
        dof = points.shape[1]
        path_interval = curve.x[[0, -1]]
        duration = curve.x[-1]
        waypoints = (curve.x, curve(curve.x))

        def __call__(self, s: float | Array, order: int = 0) -> Array:
            return np.asarray(curve(s, order))

    grid = [
        np.linspace(low, high, max(fewest, int((high - low) / step)), endpoint=False)
        for low, high in zip(curve.x[:-1], curve.x[1:], strict=True)
    ]
    speed, rate = limits[:2].T.clip(-1e3, 1e3), limits[2:].T  # toppra does not accept infinity
    problem = TOPPRA(
        [
            JointVelocityConstraint(speed),
            JointAccelerationConstraint(rate, DiscretizationType.Interpolation),
        ],
        Path(),
        gridpoints=np.append(np.concatenate(grid), curve.x[-1]),
        solver_wrapper="seidel",
        parametrizer="ParametrizeConstAccel",
    )
    timed = problem.compute_trajectory(0, 0)
    if timed is None:
        raise RuntimeError("toppra found no timing")
    return timed


def by_toppra(points: Array, radii: Array, limits: Array) -> Points:
    """Time a path with toppra, at the same spacing."""
    curve = toppra_curve(points, radii, limits)
    times = np.linspace(0.0, curve.duration, max(2, int(np.ceil(curve.duration / SPACING)) + 1))
    return times, curve(times), curve(times, 1), curve(times, 2)


def excess(points: Points, limits: Array) -> float:
    """Return the largest ratio of the quintics' derivatives to their limits."""
    times, *rows = points
    curve = BPoly.from_derivatives(times, np.stack(rows, axis=1))
    dense = (times[:-1, None] + np.diff(times)[:, None] * np.linspace(0.0, 1.0, 21)).ravel()
    speeds, rates = curve(dense, 1), curve(dense, 2)
    shares = (speeds / limits[0], speeds / limits[1], rates / limits[2], rates / limits[3])
    return float(max(share.max() for share in shares))


def run(options: Any, report: Report) -> None:
    """Measure all sizes."""
    peers: dict[str, Callable[..., Points]] = {"ours": ours}
    if importlib.util.find_spec("toppra"):
        peers["toppra"] = by_toppra
    else:
        print("toppra is not installed: pip install toppra")
    for count, joints in SIZES:
        rng = np.random.default_rng(count * joints)
        found: dict[str, list[tuple[float, ...]]] = {name: [] for name in peers}
        for _ in range(options.paths):
            path = random_path(rng, count, joints)
            for name, call in peers.items():
                calls = [timed(time.process_time, call, *path) for _ in range(3)]
                points, best = calls[0][0], min(seconds for _, seconds in calls)
                found[name].append((best, points[0][-1], excess(points, path[2]), len(points[0])))
        reference = np.array(found[list(peers)[-1]])[:, 1]
        for name, rows in found.items():
            seconds, durations, shares, counts = np.array(rows).T
            figures = {
                "duration: mean": float((durations / reference).mean()),
                "max": float((durations / reference).max()),
                "excess": percent(max(0.0, shares.max() - 1.0)),
                "points": float(counts.mean()),
            }
            row = f"{count}, {joints}: {name}"
            report.row("corners, joints", row, spread(1e3 * seconds, (50, 100)) | figures)


if __name__ == "__main__":
    main(run, paths=40)
