"""Thinning what a depth camera or laser scanner sees: one ball for the points of a small cube."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from numba import types
from numpy.typing import ArrayLike

from rigid_tree_kinematics.collision.shapes import PointCloud
from rigid_tree_kinematics.errors import CollisionError
from rigid_tree_kinematics.kernels import MATRIX, READ_2D, kernel

FARTHEST = 2.0**20  # voxels from the origin; a point beyond is refused, as one that is not finite


def voxel_cloud(points: ArrayLike, voxel: float, radius: float = 0.0) -> PointCloud:
    """Return a cloud of few balls that contain a ball of ``radius`` (m) around each point (n, 3).

    Points in the same cube of side ``voxel`` (m) share a ball, which is never larger than one
    around the whole cube. Points that are not finite are left out, as depth cameras mark what they
    do not see; 100,000 points take some milliseconds.

    Raises CollisionError for another shape, a voxel that is not positive, a negative radius, if
    no point is finite, or if one is more than a million voxels away.
    """
    given = np.ascontiguousarray(points, dtype=np.float64)
    if given.ndim != 2 or given.shape[1] != 3:
        raise CollisionError(f"points take an array of shape (n, 3), not {given.shape}")
    if not (math.isfinite(voxel) and voxel > 0.0 and math.isfinite(radius) and radius >= 0.0):
        raise CollisionError(
            f"a voxel must be positive and a radius not negative, not {voxel} and {radius}"
        )
    boxes = np.empty((len(given), 6))
    table = np.full(2 << max(1, len(given) - 1).bit_length(), -1, dtype=np.int64)
    keys = np.empty(len(given), dtype=np.int64)
    count = _fill_voxels(given, voxel, table, keys, boxes)
    if count < 0:
        raise CollisionError(f"a point lies more than {FARTHEST:.0f} voxels of {voxel} m away")
    if count == 0:
        raise CollisionError("a cloud needs at least one finite point")
    low, high = boxes[:count, :3], boxes[:count, 3:]
    largest = 0.5 * float(np.sqrt(((high - low) ** 2).sum(axis=1).max()))
    # The middle of two numbers is rounded, and so is the distance from it.
    grown = largest + radius + 1e-9 * voxel + 1e-15 * float(np.abs(boxes[:count]).max())
    return PointCloud(0.5 * (low + high), grown)


@kernel(types.int64(READ_2D, types.float64, types.int64[::1], types.int64[::1], MATRIX))
def _fill_voxels(points: Any, voxel: float, table: Any, keys: Any, boxes: Any) -> int:
    """Return how many voxels hold a finite point, -1 if one is too far away.

    ``boxes`` (n, 6) becomes the low and high corner of the points in each. ``table``, all -1 and
    of a power of two, finds a voxel's number by its key (open addressing), ``keys`` (n,) are they.
    """
    mask = table.shape[0] - 1
    count = 0
    for p in range(points.shape[0]):
        x, y, z = points[p, 0], points[p, 1], points[p, 2]
        if not (math.isfinite(x) and math.isfinite(y) and math.isfinite(z)):
            continue
        i, j, k = x / voxel + FARTHEST, y / voxel + FARTHEST, z / voxel + FARTHEST
        if not (min(i, j, k) >= 0.0 and max(i, j, k) < 2.0 * FARTHEST):
            return -1
        key = (int(i) << 42) | (int(j) << 21) | int(k)
        slot = ((key * 0x9E3779B97F4A7C1) >> 20) & mask
        while table[slot] >= 0 and keys[table[slot]] != key:
            slot = (slot + 1) & mask
        voxel_number = table[slot]
        if voxel_number < 0:
            voxel_number = count
            table[slot] = count
            keys[count] = key
            boxes[count, 0], boxes[count, 1], boxes[count, 2] = x, y, z
            boxes[count, 3], boxes[count, 4], boxes[count, 5] = x, y, z
            count += 1
        else:
            boxes[voxel_number, 0] = min(boxes[voxel_number, 0], x)
            boxes[voxel_number, 1] = min(boxes[voxel_number, 1], y)
            boxes[voxel_number, 2] = min(boxes[voxel_number, 2], z)
            boxes[voxel_number, 3] = max(boxes[voxel_number, 3], x)
            boxes[voxel_number, 4] = max(boxes[voxel_number, 4], y)
            boxes[voxel_number, 5] = max(boxes[voxel_number, 5], z)
    return count
