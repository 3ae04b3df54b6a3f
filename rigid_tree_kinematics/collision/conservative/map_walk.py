"""Traversal of a map of positions at which two bodies are proven apart."""

import math
from typing import Any

import numpy as np
from numpy.typing import NDArray

import rigid_tree_kinematics.collision.world.arrays as arrays
from rigid_tree_kinematics.arrays import Array
from rigid_tree_kinematics.collision.world.arrays import MAP, Records
from rigid_tree_kinematics.kernels import VECTOR, inlined, kernel, types

MAPS = types.Array(types.from_dtype(MAP), 1)


@inlined
def _enter(area: Any, d: int, a: Array, difference: Array) -> Any:
    """Return the course of a motion along one axis of a map, in cells.

    It consists of: whether the motion stays on the map, its first cell, the direction to the next
    cell, the fraction of the motion at which it enters that cell, and the fraction per cell.
    """
    position = area["position"][d]
    if position < 0:
        return True, 0, 0, math.inf, math.inf
    width, count = area["width"][d], area["cells"][d]
    start = (a[position] - area["low"][d]) / width
    change = difference[position] / width
    cell = math.floor(start)
    if area["wraps"][d] == 0:
        if not (0.0 <= start <= count and 0.0 <= start + change <= count):
            return False, 0, 0, math.inf, math.inf
        cell = min(cell, count - 1)
    if change > 0.0:
        return True, cell, 1, (cell + 1 - start) / change, 1.0 / change
    if change < 0.0:
        return True, cell, -1, (cell - start) / change, -1.0 / change
    return True, cell, 0, math.inf, math.inf


@inlined
def _on_map(area: Any, d: int, cell: int) -> int:
    """Return the index of a cell along an axis, -1 beyond the map."""
    count: int = area["cells"][d]
    if area["wraps"][d] != 0:
        return cell % count
    return cell if 0 <= cell < count else -1


@kernel(types.boolean(MAPS, types.uint8[::1], types.int64, VECTOR, VECTOR))
def apart_on_map(
    maps: Records, cells: NDArray[np.uint8], row: int, a: Array, difference: Array
) -> bool:
    """Return whether a map proves a pair apart along a motion ``a`` to ``a + difference``.

    ``maps`` and ``cells`` are those of ``ConservativeModel``, ``row`` is the pair's. Cell by cell
    (Amanatides and Woo, "A fast voxel traversal algorithm for ray tracing", Eurographics 1987).
    """
    area = maps[row]
    on_x, i, step_i, next_i, each_i = _enter(area, 0, a, difference)
    on_y, j, step_j, next_j, each_j = _enter(area, 1, a, difference)
    on_z, k, step_k, next_k, each_k = _enter(area, 2, a, difference)
    if not (on_x and on_y and on_z):
        return False
    first = area["first"]
    if first == arrays.EVERYWHERE:
        return True
    second, third = area["cells"][1], area["cells"][2]
    while True:
        x, y, z = _on_map(area, 0, i), _on_map(area, 1, j), _on_map(area, 2, k)
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
