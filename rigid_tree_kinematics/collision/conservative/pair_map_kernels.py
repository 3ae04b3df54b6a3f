"""The kernels of maps of two or three joints that tell where two bodies are surely apart."""

from __future__ import annotations

from typing import Any

from numba import types

from rigid_tree_kinematics.collision.conservative.kernels import look, place_bodies
from rigid_tree_kinematics.collision.world.arrays import (
    MAP_CELLS,
    MAP_LOW,
    MAP_POSITION,
    MAP_WIDTH,
    MARGIN,
    MODEL,
    WORK,
)
from rigid_tree_kinematics.kernels import VECTOR, kernel

WAITING = 128  # boxes of cells that wait
OVERLAP = 1.001  # a cell is proven a little beyond its edges, so that rounding misses none


@kernel(
    types.int64(
        MODEL,
        types.int64,
        VECTOR,
        VECTOR,
        types.uint8[::1],
        types.int64[:, ::1],
        types.int64,
        WORK,
    ),
)
def fill_map(
    model: Any, pair: int, q: Any, row: Any, cells: Any, boxes: Any, most: int, work: Any
) -> int:
    """Set the cells of a map to 1 in which a pair's bodies are surely apart; return the looks.

    ``row`` is one of ``ConservativeModel.maps``, whose cells begin at 0. ``q`` (nq,) is written
    into, ``boxes`` (WAITING, 6) is work space. A box of cells is done if the clearance at its
    middle is more than the bodies can move within it; else it is halved. After ``most`` looks, the
    rest is left at 0.
    """
    check = model.entities.shape[0] + pair
    opened, speeds = work.open, work.speeds
    second, third = int(row[MAP_CELLS + 1]), int(row[MAP_CELLS + 2])
    work.steps[:] = 0.0
    for d in range(3):
        boxes[0, d], boxes[0, 3 + d] = 0, int(row[MAP_CELLS + d])
    waiting = 1
    for step in range(1, most + 1):
        waiting -= 1
        speed, longest, axis = 0.0, -1.0, -1
        for d in range(3):
            position = int(row[MAP_POSITION + d])
            if position < 0:
                continue
            size = boxes[waiting, 3 + d] - boxes[waiting, d]
            middle = 0.5 * (boxes[waiting, 3 + d] + boxes[waiting, d])
            q[position] = row[MAP_LOW + d] + row[MAP_WIDTH + d] * middle
            work.steps[position] = 0.5 * OVERLAP * size * row[MAP_WIDTH + d]
            moved = model.pair_reach[pair, position] * work.steps[position]
            speed += moved
            if size > 1 and moved > longest:
                longest, axis = moved, d
        place_bodies(model, q, work)
        speeds[check] = speed
        opened[0, 0] = 1
        opened[0, 1] = check
        if look(model, 1.0, 2.0 * MARGIN, work) >= 1.0:
            for i in range(boxes[waiting, 0], boxes[waiting, 3]):
                for j in range(boxes[waiting, 1], boxes[waiting, 4]):
                    for k in range(boxes[waiting, 2], boxes[waiting, 5]):
                        cells[(i * second + j) * third + k] = 1
        elif axis >= 0 and waiting + 2 <= boxes.shape[0]:
            middle_cell = (boxes[waiting, axis] + boxes[waiting, 3 + axis]) // 2
            for c in range(6):
                boxes[waiting + 1, c] = boxes[waiting, c]
            boxes[waiting, 3 + axis] = middle_cell
            boxes[waiting + 1, axis] = middle_cell
            waiting += 2
        if waiting == 0:
            return step
    return most
