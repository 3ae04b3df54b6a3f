"""The kernel that filters the points of a cloud and bins the rest into cells."""

import math

from rigid_tree_kinematics.arrays import Array, Integers
from rigid_tree_kinematics.collision.shapes.voxel_kernels import TOO_FAR, cube_number
from rigid_tree_kinematics.kernels import READ_2D, VECTOR, inlined, kernel, types
from rigid_tree_kinematics.kinematics.motion import Vector, read_table
from rigid_tree_kinematics.kinematics.vectors import dot, minus, transformed, vector

# Columns of a hull's row: its bounding sphere in the sensor's frame, T_body_sensor (3 x 4, row by
# row), and its first and last plane.
SPHERE, POSE, FIRST_PLANE, LAST_PLANE = 0, 4, 16, 17
HULL_COLUMNS = 18
NOT_FINITE, ON_THE_ROBOT, BEYOND_THE_GRID = range(3)  # entries of the counts


@inlined
def _is_in_hull(hulls: Array, h: int, planes: Array, point: Vector) -> bool:
    """Return whether a point of the sensor's frame is in a hull."""
    away = minus(point, vector(hulls, h, SPHERE))
    if dot(away, away) > hulls[h, SPHERE + 3] ** 2:
        return False
    in_body = transformed(read_table(hulls, h, POSE), point)
    for p in range(int(hulls[h, FIRST_PLANE]), int(hulls[h, LAST_PLANE])):
        if dot(vector(planes, p, 0), in_body) > planes[p, 3]:
            return False
    return True


@inlined
def _is_on_robot(hulls: Array, planes: Array, point: Vector) -> bool:
    for h in range(hulls.shape[0]):  # noqa: SIM110 (Numba compiles no generators)
        if _is_in_hull(hulls, h, planes, point):
            return True
    return False


@kernel(types.int64(READ_2D, READ_2D, READ_2D, READ_2D, types.float64, types.int64[::1], VECTOR))
def write_cells(
    points: Array,
    placed: Array,
    hulls: Array,
    planes: Array,
    size: float,
    cells: Integers,
    counts: Array,
) -> int:
    """Write the cell of each point that is not on the robot; return their number.

    Args:
        points: (n, 3) in the sensor's frame, m; points that are not finite are skipped.
        placed: T_base_sensor, (3, 4), row by row, as one row (1, 12).
        hulls: (h, HULL_COLUMNS), which contain the robot's bodies, the padding included.
        planes: (p, 4) outward normals and offsets of the hulls in their bodies' frames.
        size: of a cell, m.
        cells: (n,) for the cells' numbers, in any order, once per point.
        counts: (3,) numbers of points that are not finite, on the robot, beyond the grid.
    """
    count = 0
    counts[:] = 0.0
    T_base_sensor = read_table(placed, 0, 0)
    for k in range(points.shape[0]):
        point = vector(points, k, 0)
        if not (math.isfinite(point[0]) and math.isfinite(point[1]) and math.isfinite(point[2])):
            counts[NOT_FINITE] += 1.0
            continue
        if _is_on_robot(hulls, planes, point):
            counts[ON_THE_ROBOT] += 1.0
            continue
        x, y, z = transformed(T_base_sensor, point)
        number = cube_number(x, y, z, size)
        if number == TOO_FAR:
            counts[BEYOND_THE_GRID] += 1.0
            continue
        cells[count] = number
        count += 1
    return count
