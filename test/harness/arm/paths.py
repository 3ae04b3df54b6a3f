"""Points on paths."""

import itertools
from typing import Any

import numpy as np
from scipy.interpolate import BPoly


def straight(path: np.ndarray, step: float = 0.01) -> np.ndarray:
    """Return places on the straight motions of a path, no joint more than a step apart."""
    rows = [path[:1]]
    for first, last in itertools.pairwise(path):
        count = max(1, int(np.ceil(np.abs(last - first).max() / step)))
        rows.append(first + (last - first) * np.linspace(0.0, 1.0, count + 1)[1:, None])
    return np.vstack(rows)


def curve_of(trajectory: Any) -> BPoly:
    """Return the quintics between a trajectory's points, as drivers join them."""
    rows = (trajectory.positions, trajectory.velocities, trajectory.accelerations)
    return BPoly.from_derivatives(trajectory.times, np.stack(rows, axis=1))
