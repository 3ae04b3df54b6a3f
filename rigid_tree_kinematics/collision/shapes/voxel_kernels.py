"""The kernel that sorts points into cubes."""

from __future__ import annotations

import math
from typing import Any

from numba import types

from rigid_tree_kinematics.kernels import MATRIX, READ_2D, kernel

FARTHEST = 2.0**20  # voxels from the origin; a point beyond is refused, as one that is not finite


@kernel(types.int64(READ_2D, types.float64, types.int64[::1], types.int64[::1], MATRIX))
def fill_voxels(points: Any, voxel: float, table: Any, keys: Any, boxes: Any) -> int:
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
