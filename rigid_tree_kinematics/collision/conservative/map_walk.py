"""Traversal of a map of positions at which two bodies are proven apart."""

import math
from typing import Any

import numpy as np
from numpy.typing import NDArray

import rigid_tree_kinematics.collision.world.arrays as arrays
from rigid_tree_kinematics.arrays import Array
from rigid_tree_kinematics.kernels import MATRIX, VECTOR, inlined, kernel, types


@inlined
def _enter(maps: Array, row: int, d: int, a: Array, difference: Array) -> Any:
    """Return the course of a motion along one axis of a map, in cells.

    It consists of: whether the motion stays on the map, its first cell, the direction to the next
    cell, the fraction of the motion at which it enters that cell, and the fraction per cell.
    """
    position = int(maps[row, arrays.MAP_POSITION + d])
    if position < 0:
        return True, 0, 0, math.inf, math.inf
    width, count = maps[row, arrays.MAP_WIDTH + d], maps[row, arrays.MAP_CELLS + d]
    start = (a[position] - maps[row, arrays.MAP_LOW + d]) / width
    change = difference[position] / width
    cell = math.floor(start)
    if maps[row, arrays.MAP_WRAPS + d] == 0.0:
        if not (0.0 <= start <= count and 0.0 <= start + change <= count):
            return False, 0, 0, math.inf, math.inf
        cell = min(cell, int(count) - 1)
    if change > 0.0:
        return True, cell, 1, (cell + 1 - start) / change, 1.0 / change
    if change < 0.0:
        return True, cell, -1, (cell - start) / change, -1.0 / change
    return True, cell, 0, math.inf, math.inf


@inlined
def _on_map(maps: Array, row: int, d: int, cell: int) -> int:
    """Return the index of a cell along an axis, -1 beyond the map."""
    count = int(maps[row, arrays.MAP_CELLS + d])
    if maps[row, arrays.MAP_WRAPS + d] != 0.0:
        return cell % count
    return cell if 0 <= cell < count else -1


@kernel(types.boolean(MATRIX, types.uint8[::1], types.int64, VECTOR, VECTOR), allocates=False)
def apart_on_map(
    maps: Array, cells: NDArray[np.uint8], row: int, a: Array, difference: Array
) -> bool:
    """Return whether a map proves a pair apart along a motion ``a`` to ``a + difference``.

    ``maps`` and ``cells`` are those of ``ConservativeModel``, ``row`` is the pair's. Cell by cell
    (Amanatides and Woo, "A fast voxel traversal algorithm for ray tracing", Eurographics 1987).
    """
    on_x, i, step_i, next_i, each_i = _enter(maps, row, 0, a, difference)
    on_y, j, step_j, next_j, each_j = _enter(maps, row, 1, a, difference)
    on_z, k, step_k, next_k, each_k = _enter(maps, row, 2, a, difference)
    if not (on_x and on_y and on_z):
        return False
    first = int(maps[row, arrays.MAP_FIRST])
    if first == arrays.EVERYWHERE:
        return True
    second, third = int(maps[row, arrays.MAP_CELLS + 1]), int(maps[row, arrays.MAP_CELLS + 2])
    while True:
        x, y, z = _on_map(maps, row, 0, i), _on_map(maps, row, 1, j), _on_map(maps, row, 2, k)
        if x < 0 or y < 0 or z < 0 or cells[first + (x * second + y) * third + z] == 0:
            return False
        soonest = min(next_i, next_j, next_k)
        if not soonest < 1.0:
            return True
        if next_i == soonest:
            i += step_i
            next_i += each_i
        elif next_j == soonest:
            j += step_j
            next_j += each_j
        else:
            k += step_k
            next_k += each_k
