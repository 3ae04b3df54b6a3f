"""Downsampling of point clouds of depth cameras and laser scanners: one sphere per voxel."""

import math
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from rigid_tree_kinematics.arrays import Array
from rigid_tree_kinematics.collision.shapes.obstacle_shapes import (
    LARGEST_SIZE,
    SMALLEST_SIZE,
    PointCloud,
    check_points,
)
from rigid_tree_kinematics.collision.shapes.voxel_kernels import FARTHEST_CUBE, fill_voxels
from rigid_tree_kinematics.errors import CollisionError

CHUNK = 1 << 16  # points that are converted to float64 at a time
MOST_SPHERES = 50_000  # of a cloud in a message
FINEST = 1e-3  # m, the first voxel size for such a cloud


def limited_cloud(points: NDArray[Any], radius: float) -> PointCloud:
    """Return a cloud that contains a sphere of ``radius`` (m) around each point (n, 3).

    More than MOST_SPHERES are reduced to that number by ``voxel_cloud``. Raises CollisionError,
    before it allocates anything, for arguments that PointCloud rejects.

    Example:
        >>> points = np.random.default_rng(1).uniform(-1, 1, (100_000, 3))
        >>> len(limited_cloud(points, radius=0.01).points) <= 50_000
        True
    """
    check_points(points, 3, "points")
    if len(points) <= MOST_SPHERES:
        return PointCloud(points, radius)
    return voxel_cloud(points, FINEST, PointCloud(points[:1], radius).radius, MOST_SPHERES)


def voxel_cloud(
    points: ArrayLike, voxel: float, radius: float = 0.0, most: int | None = None
) -> PointCloud:
    """Return a downsampled cloud that contains spheres of ``radius`` (m) at points (n, 3).

    Points in the same cube of side ``voxel`` (m) share a sphere, never larger than the cube's
    bounding sphere. Points that are not finite, which are missing points of depth cameras, are
    ignored. 100,000 points take some milliseconds.

    With ``most``, the side is doubled until there are at most that many spheres.

    Raises CollisionError for another shape, a voxel that is not positive, a negative radius, no
    finite point, or one that is more than a million voxels away.

    Example:
        >>> points = np.random.default_rng(1).uniform(0, 0.1, (10_000, 3))  # m
        >>> cloud = voxel_cloud(points, voxel=0.05, radius=0.005)
        >>> print(cloud.points.shape, round(cloud.radius, 3))
        (8, 3) 0.048
    """
    given = np.asarray(points)
    if given.dtype not in (np.float32, np.float64):
        given = given.astype(np.float64)
    if given.ndim != 2 or given.shape[1] != 3:
        raise CollisionError(f"points must have shape (n, 3), not {given.shape}")
    if not (math.isfinite(voxel) and voxel > 0.0 and math.isfinite(radius) and radius >= 0.0):
        raise CollisionError(
            f"a voxel must be positive and a radius not negative, not {voxel} and {radius}"
        )
    grid = _Grid(voxel, len(given) if most is None else min(most, len(given)), most is not None)
    for first in range(0, len(given), CHUNK):
        rows = np.ascontiguousarray(given[first : first + CHUNK], dtype=np.float64)
        grid.add(rows, rows)
    boxes = grid.boxes[: grid.count[0]]
    if not len(boxes):
        raise CollisionError("a cloud needs at least one finite point")
    low, high = boxes[:, :3], boxes[:, 3:]
    largest = 0.5 * float(np.sqrt(((high - low) ** 2).sum(axis=1).max()))
    # Margins for the rounding of the centers and of the distances from them.
    grown = largest + radius + 1e-9 * grid.voxel + 1e-15 * float(np.abs(boxes).max())
    if most is not None and radius <= LARGEST_SIZE < grown:
        raise CollisionError(
            f"{len(given)} points are so far apart that {most} spheres around them would have a "
            f"radius of {grown:g} m; at most {LARGEST_SIZE:g} m is possible"
        )
    return PointCloud(0.5 * (low + high), max(grown, SMALLEST_SIZE))


class _Grid:
    """Bounding boxes of each voxel's points; voxels grow if there are more than ``room``."""

    def __init__(self, voxel: float, room: int, may_coarsen: bool) -> None:
        self.voxel = voxel
        self.boxes = np.empty((room, 6))
        self.count = np.zeros(1, dtype=np.int64)
        self._may_coarsen = may_coarsen
        self._keys = np.empty(room, dtype=np.int64)
        self._table = np.full(2 << max(1, room - 1).bit_length(), -1, dtype=np.int64)

    def add(self, low: Array, high: Array) -> None:
        """Add boxes, or points (boxes of size 0), (n, 3)."""
        done = 0
        while True:
            done += fill_voxels(
                low[done:],
                high[done:],
                self.voxel,
                self._table,
                self._keys,
                self.boxes,
                self.count,
            )
            if done == len(low):
                return
            if not self._may_coarsen:
                raise CollisionError(
                    f"a point is more than {FARTHEST_CUBE} voxels of {self.voxel} m away"
                )
            self._coarsen()

    def _coarsen(self) -> None:
        boxes = self.boxes[: self.count[0]].copy()
        self.voxel *= 2.0
        self.count[0] = 0
        self._table.fill(-1)
        self.add(boxes[:, :3].copy(), boxes[:, 3:].copy())
