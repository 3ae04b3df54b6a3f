"""toppra's timing of straight segments that are rounded by parabolas."""

from __future__ import annotations

import logging
from typing import Any

import numpy as np
from scipy.interpolate import BPoly

Array = np.ndarray


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

    class Path(AbstractGeometricPath):  # type: ignore[misc]  # toppra has no types
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
