"""The kernel that a cloud's points go through, one by one."""

from __future__ import annotations

import math
from typing import Any

from numba import types

from rigid_tree_kinematics.collision.shapes.voxel_kernels import TOO_FAR, cube_number
from rigid_tree_kinematics.kernels import READ_2D, VECTOR, kernel

# Columns of a hull's row: its ball's centre and radius in the sensor's frame, T_body_sensor
# (3 x 4, row by row), and its first and last plane.
BALL, POSE, FIRST_PLANE, LAST_PLANE = 0, 4, 16, 17
HULL_COLUMNS = 18


@kernel(types.int64(READ_2D, READ_2D, READ_2D, READ_2D, types.float64, types.int64[::1], VECTOR))
def write_cells(
    points: Any, placed: Any, hulls: Any, planes: Any, size: float, cells: Any, counts: Any
) -> int:
    """Write the cell of each point that is not the robot; return how many there are.

    Args:
        points: (n, 3) in the sensor's frame, m; what is not finite is left out.
        placed: T_base_sensor, (4, 4).
        hulls: (h, HULL_COLUMNS), what contains the robot's bodies, the padding included.
        planes: (p, 4) outward normals and offsets of the hulls in their bodies' frames.
        size: of a cell, m.
        cells: (n,) for the cells' numbers, in any order, each as often as it has points.
        counts: (3,) how many points are not finite, on the robot, beyond the grid.
    """
    count = 0
    counts[:] = 0.0
    for k in range(len(points)):
        x, y, z = points[k, 0], points[k, 1], points[k, 2]
        if not (math.isfinite(x) and math.isfinite(y) and math.isfinite(z)):
            counts[0] += 1.0
            continue
        own = False
        for h in range(len(hulls)):
            dx, dy, dz = x - hulls[h, 0], y - hulls[h, 1], z - hulls[h, 2]
            if dx * dx + dy * dy + dz * dz > hulls[h, 3] * hulls[h, 3]:
                continue
            bx = hulls[h, 4] * x + hulls[h, 5] * y + hulls[h, 6] * z + hulls[h, 7]
            by = hulls[h, 8] * x + hulls[h, 9] * y + hulls[h, 10] * z + hulls[h, 11]
            bz = hulls[h, 12] * x + hulls[h, 13] * y + hulls[h, 14] * z + hulls[h, 15]
            own = True
            for p in range(int(hulls[h, FIRST_PLANE]), int(hulls[h, LAST_PLANE])):
                if planes[p, 0] * bx + planes[p, 1] * by + planes[p, 2] * bz > planes[p, 3]:
                    own = False
                    break
            if own:
                break
        if own:
            counts[1] += 1.0
            continue
        number = cube_number(
            placed[0, 0] * x + placed[0, 1] * y + placed[0, 2] * z + placed[0, 3],
            placed[1, 0] * x + placed[1, 1] * y + placed[1, 2] * z + placed[1, 3],
            placed[2, 0] * x + placed[2, 1] * y + placed[2, 2] * z + placed[2, 3],
            size,
        )
        if number == TOO_FAR:
            counts[2] += 1.0
            continue
        cells[count] = number
        count += 1
    return count
