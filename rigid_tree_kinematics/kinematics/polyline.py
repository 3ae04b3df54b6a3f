"""Polylines with few corners."""

import numpy as np

from rigid_tree_kinematics.arrays import Array

STRAIGHT = 1e-4  # rad or m, deviation from a line


def corners(points: Array) -> Array:
    """Return points (m, k) whose polyline is within STRAIGHT of all (Douglas-Peucker 1973)."""
    line = points[-1] - points[0]
    along = (points - points[0]) @ line / max(line @ line, STRAIGHT**2)
    off = np.abs(points - points[0] - np.clip(along, 0.0, 1.0)[:, np.newaxis] * line).max(axis=1)
    farthest = int(off.argmax())
    if off[farthest] <= STRAIGHT:
        return points[[0, -1]]
    return np.vstack((corners(points[: farthest + 1])[:-1], corners(points[farthest:])))
