"""Kernels that choose few spheres that contain all pieces of a shape."""

import math

import numpy as np
from numpy.typing import NDArray

from rigid_tree_kinematics.arrays import Array, Integers
from rigid_tree_kinematics.kernels import BATCH, MATRIX, VECTOR, kernel, types


@kernel(types.void(MATRIX, VECTOR, BATCH, BATCH, types.float32[:, ::1]))
def farthest_corners(
    centers: Array, depth: Array, triangles: Array, boxes: Array, beyond: NDArray[np.float32]
) -> None:
    """Write by how much each piece's farthest corner exceeds the ``depth`` of each center, m.

    ``centers`` (3, c), ``depth`` (c,), ``triangles`` (t, 3, 3), ``boxes`` (b, 2, 3) low and high
    corners; ``beyond`` is (t + b, c), triangles first.
    """
    count = triangles.shape[0]
    for t in range(count):
        ax, ay, az = triangles[t, 0, 0], triangles[t, 0, 1], triangles[t, 0, 2]
        bx, by, bz = triangles[t, 1, 0], triangles[t, 1, 1], triangles[t, 1, 2]
        cx, cy, cz = triangles[t, 2, 0], triangles[t, 2, 1], triangles[t, 2, 2]
        for k in range(centers.shape[1]):
            x, y, z = centers[0, k], centers[1, k], centers[2, k]
            a = (x - ax) * (x - ax) + (y - ay) * (y - ay) + (z - az) * (z - az)
            b = (x - bx) * (x - bx) + (y - by) * (y - by) + (z - bz) * (z - bz)
            c = (x - cx) * (x - cx) + (y - cy) * (y - cy) + (z - cz) * (z - cz)
            beyond[t, k] = math.sqrt(max(a, b, c)) - depth[k]
    for box in range(boxes.shape[0]):
        lx, ly, lz = boxes[box, 0, 0], boxes[box, 0, 1], boxes[box, 0, 2]
        hx, hy, hz = boxes[box, 1, 0], boxes[box, 1, 1], boxes[box, 1, 2]
        for k in range(centers.shape[1]):
            x = max(centers[0, k] - lx, hx - centers[0, k])
            y = max(centers[1, k] - ly, hy - centers[1, k])
            z = max(centers[2, k] - lz, hz - centers[2, k])
            beyond[count + box, k] = math.sqrt(x * x + y * y + z * z) - depth[k]


@kernel(
    types.int64(
        types.float32[:, ::1],
        types.float64,
        types.int64[::1],
        types.int64[::1],
        types.int64[::1],
    )
)
def choose_spheres(
    beyond: NDArray[np.float32],
    tolerance: float,
    chosen: Integers,
    owners: Integers,
    gains: Integers,
) -> int:
    """Choose spheres greedily, each time the one with most pieces that are in none so far.

    Sphere ``c`` contains piece ``p`` if ``beyond[p, c]`` is at most the tolerance, m. Returns how
    many are written to ``chosen``; -1 if it is too short, or if a piece is in no sphere.
    ``owners`` (p,) are indices of ``chosen``; ``gains`` (c,) is work space.
    """
    pieces, spheres = beyond.shape
    limit = np.float32(tolerance)
    gains[:] = 0
    for p in range(pieces):
        owners[p] = -1
        least = beyond[p, 0]
        for c in range(spheres):
            least = min(least, beyond[p, c])
            gains[c] += beyond[p, c] <= limit
        if least > limit:
            return -1
    left = pieces
    for count in range(chosen.shape[0]):
        best = 0
        for c in range(spheres):
            if gains[c] > gains[best]:
                best = c
        if gains[best] == 0:
            return -1
        left -= gains[best]
        chosen[count] = best
        for p in range(pieces):
            if owners[p] < 0 and beyond[p, best] <= limit:
                owners[p] = count
                for c in range(spheres):
                    gains[c] -= beyond[p, c] <= limit
        if left == 0:
            return count + 1
    return -1
