"""A motion as configurations at even times."""

from __future__ import annotations

from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from rigid_tree_kinematics.arrays import Array
from rigid_tree_kinematics.errors import ConfigurationError
from rigid_tree_kinematics.kinematics.topology import between, difference
from rigid_tree_kinematics.model import RigidBodyTree

MOST_SAMPLES = 100_000


def sample_motion(
    tree: RigidBodyTree, motion: Any, times: ArrayLike | None = None, rate: float = 30.0
) -> tuple[Array, Array]:
    """Return times (k,) from 0 (s) and the configurations (k, nq) of a motion at these times.

    Args:
        tree: the robot.
        motion: an object with ``times`` and ``positions``, such as a trajectory or a simulation,
            or configurations (N, nq).
        times: of configurations (N,), s; None: one second per rad or m of the joint that moves
            farthest.
        rate: samples per second, in Hz; the last sample is the end of the motion.

    Raises ConfigurationError for an invalid motion, and for more than MOST_SAMPLES samples.

    Example:
        >>> robot = load_robot("planar_two_link")
        >>> times, positions = sample_motion(robot, [[0.0, 0.0], [0.5, 1.0]], rate=2.0)
        >>> positions.tolist()
        [[0.0, 0.0], [0.25, 0.5], [0.5, 1.0]]
    """
    positions, seconds = _checked(tree, motion, times)
    if len(positions) == 1:
        return np.zeros(1), positions
    if not seconds[-1] * rate < MOST_SAMPLES:
        raise ConfigurationError(
            f"a motion of {seconds[-1]:g} s has more than {MOST_SAMPLES} samples at {rate:g} Hz"
        )
    kinds = tree.compiled().position_kinds
    at = np.linspace(0.0, seconds[-1], round(seconds[-1] * rate) + 1)
    shown = []
    for time in at:
        last = int(np.clip(np.searchsorted(seconds, time, side="right"), 1, len(seconds) - 1))
        a, b = positions[last - 1], positions[last]
        span = seconds[last] - seconds[last - 1]
        share = (time - seconds[last - 1]) / span if span > 0.0 else 1.0
        shown.append(between(kinds, a, difference(kinds, a, b), share))
    return at, np.array(shown)


def _checked(tree: RigidBodyTree, motion: Any, times: ArrayLike | None) -> tuple[Array, Array]:
    """Return positions (N, nq) and their times (N,), starting at 0."""
    if times is None:
        times = getattr(motion, "times", None)
    positions = np.asarray(getattr(motion, "positions", motion), dtype=np.float64)
    count = tree.compiled().position_count
    if positions.ndim != 2 or positions.shape[1] != count or not len(positions):
        raise ConfigurationError(f"positions must be (N, {count}), not {positions.shape}")
    if not np.isfinite(positions).all():
        raise ConfigurationError("a motion's positions must be finite")
    if times is None:
        kinds = tree.compiled().position_kinds
        lengths = [np.abs(difference(kinds, a, b)).max() for a, b in pairwise(positions)]
        return positions, np.concatenate([[0.0], np.cumsum(lengths)])
    seconds = np.asarray(times, dtype=np.float64)
    if seconds.shape != positions.shape[:1] or not (np.diff(seconds) >= 0.0).all():
        raise ConfigurationError(f"{len(positions)} configurations need as many increasing times")
    return positions, seconds - seconds[0]
