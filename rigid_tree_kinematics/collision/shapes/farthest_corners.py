"""The kernel that measures which balls would contain which pieces of a shape."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from rigid_tree_kinematics.arrays import Array
from rigid_tree_kinematics.kernels import BATCH, MATRIX, VECTOR, kernel, types


@kernel(types.void(MATRIX, VECTOR, BATCH, BATCH, types.float32[:, ::1]), allocates=False)
def farthest_corners(
    centres: Array, depth: Array, triangles: Array, boxes: Array, beyond: NDArray[np.float32]
) -> None:
    """Write how far the farthest corner of each piece lies beyond ``depth`` from each centre, m.

    ``centres`` (3, c), ``depth`` (c,), ``triangles`` (t, 3, 3), ``boxes`` (b, 2, 3) low and high
    corners; ``beyond`` is (t + b, c), triangles first.
    """
    count = triangles.shape[0]
    for t in range(count):
        ax, ay, az = triangles[t, 0, 0], triangles[t, 0, 1], triangles[t, 0, 2]
        bx, by, bz = triangles[t, 1, 0], triangles[t, 1, 1], triangles[t, 1, 2]
        cx, cy, cz = triangles[t, 2, 0], triangles[t, 2, 1], triangles[t, 2, 2]
        for k in range(centres.shape[1]):
            x, y, z = centres[0, k], centres[1, k], centres[2, k]
            a = (x - ax) * (x - ax) + (y - ay) * (y - ay) + (z - az) * (z - az)
            b = (x - bx) * (x - bx) + (y - by) * (y - by) + (z - bz) * (z - bz)
            c = (x - cx) * (x - cx) + (y - cy) * (y - cy) + (z - cz) * (z - cz)
            beyond[t, k] = math.sqrt(max(a, b, c)) - depth[k]
    for box in range(boxes.shape[0]):
        lx, ly, lz = boxes[box, 0, 0], boxes[box, 0, 1], boxes[box, 0, 2]
        hx, hy, hz = boxes[box, 1, 0], boxes[box, 1, 1], boxes[box, 1, 2]
        for k in range(centres.shape[1]):
            x = max(centres[0, k] - lx, hx - centres[0, k])
            y = max(centres[1, k] - ly, hy - centres[1, k])
            z = max(centres[2, k] - lz, hz - centres[2, k])
            beyond[count + box, k] = math.sqrt(x * x + y * y + z * z) - depth[k]
