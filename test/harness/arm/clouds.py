"""Points of a simulated depth camera, and the cells that nodes compute from them."""

from typing import Any

import numpy as np

VOXEL = 0.02  # m, the nodes' default


def block(center: Any, size: float = 0.1, step: float = 0.01) -> np.ndarray:
    """Return the points of a cube near a place, (n, 3); none lies where two cells meet."""
    along = np.arange(-0.5 * size + 0.5 * step, 0.5 * size, step)
    grid = np.stack(np.meshgrid(along, along, along), axis=-1).reshape(-1, 3)
    return grid + np.round(np.asarray(center) / VOXEL) * VOXEL


def indices_of(points: Any, size: float = VOXEL) -> np.ndarray:
    """Return the indices of the points' cells, (n, 3)."""
    return np.unique(np.floor(np.asarray(points).reshape(-1, 3) / size).astype(int), axis=0)


def cells_of(points: Any, size: float = VOXEL) -> list[tuple[float, ...]]:
    """Return the sorted middles of the points' cells."""
    return sorted(map(tuple, np.round((indices_of(points, size) + 0.5) * size, 4).tolist()))
