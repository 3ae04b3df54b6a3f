"""The kernel that sorts points into the cubes of a grid, and how the cubes are numbered."""

import math

import numpy as np

from rigid_tree_kinematics.arrays import Array, Integers
from rigid_tree_kinematics.kernels import MATRIX, READ_2D, inlined, kernel, types

# A cube's number has 21 bits for each axis, so that cubes lie within 2^20 of the origin.
AXIS_BITS = 21
FARTHEST_CUBE = 2 ** (AXIS_BITS - 1)
TOO_FAR = -1


@inlined
def cube_number(x: float, y: float, z: float, size: float) -> int:
    """Return the number of the cube of a grid that a finite point is in, or TOO_FAR."""
    i, j, k = math.floor(x / size), math.floor(y / size), math.floor(z / size)
    if not (min(i, j, k) >= -FARTHEST_CUBE and max(i, j, k) < FARTHEST_CUBE):
        return TOO_FAR
    number = (np.int64(i) + FARTHEST_CUBE) << (2 * AXIS_BITS)
    return number + ((np.int64(j) + FARTHEST_CUBE) << AXIS_BITS) + np.int64(k) + FARTHEST_CUBE


@kernel(
    types.int64(
        READ_2D,
        READ_2D,
        types.float64,
        types.int64[::1],
        types.int64[::1],
        MATRIX,
        types.int64[::1],
    )
)
def fill_voxels(
    low: Array,
    high: Array,
    voxel: float,
    table: Integers,
    keys: Integers,
    boxes: Array,
    count: Integers,
) -> int:
    """Sort boxes, or points, which are their own corners, into voxels by their middles.

    Returns the number processed: all, or those before one that is too far away, or for which
    there is no room. Non-finite ones are skipped.

    Args:
        low, high: corners (n, 3), m.
        voxel: side of a voxel, m.
        table: numbers of voxels by their hashed keys (open addressing), at first -1; a power of
            two long.
        keys: (room,) the voxels' keys.
        boxes: (room, 6) low and high corner of the contents of each voxel.
        count: (1,) the number of voxels, before and after.
    """
    mask = table.shape[0] - 1
    for p in range(low.shape[0]):
        x, y, z = low[p, 0], low[p, 1], low[p, 2]
        if not (math.isfinite(x) and math.isfinite(y) and math.isfinite(z)):
            continue
        u, v, w = high[p, 0], high[p, 1], high[p, 2]
        key = cube_number(0.5 * x + 0.5 * u, 0.5 * y + 0.5 * v, 0.5 * z + 0.5 * w, voxel)
        if key == TOO_FAR:
            return p
        slot = ((key * 0x9E3779B97F4A7C1) >> 20) & mask
        while table[slot] >= 0 and keys[table[slot]] != key:
            slot = (slot + 1) & mask
        at = table[slot]
        if at < 0:
            at = count[0]
            if at == keys.shape[0]:
                return p
            count[0] += 1
            table[slot] = at
            keys[at] = key
            boxes[at, 0], boxes[at, 1], boxes[at, 2] = x, y, z
            boxes[at, 3], boxes[at, 4], boxes[at, 5] = u, v, w
        else:
            boxes[at, 0] = min(boxes[at, 0], x)
            boxes[at, 1] = min(boxes[at, 1], y)
            boxes[at, 2] = min(boxes[at, 2], z)
            boxes[at, 3] = max(boxes[at, 3], u)
            boxes[at, 4] = max(boxes[at, 4], v)
            boxes[at, 5] = max(boxes[at, 5], w)
    return int(low.shape[0])
