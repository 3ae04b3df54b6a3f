"""The kernel that maps the joint positions at which two bodies are proven apart."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from rigid_tree_kinematics.arrays import Array, Integers
from rigid_tree_kinematics.collision.conservative.kernels import pair_cleared
from rigid_tree_kinematics.collision.conservative.map_walk import MAPS
from rigid_tree_kinematics.collision.world.arrays import (
    MODEL,
    WORK,
    ConservativeModel,
    Records,
    Work,
)
from rigid_tree_kinematics.kernels import VECTOR, inlined, kernel, types

WAITING = 128  # boxes of cells in the queue
OVERLAP = 1.001  # a cell is proven a little beyond its edges, because of rounding


@inlined
def _place_in_box(
    model: ConservativeModel, pair: int, q: Array, area: Any, box: Integers, steps: Array
) -> tuple[float, int]:
    """Move ``q`` to the middle of a box of cells, and write half its sides into ``steps``.

    Returns how far the bodies can move towards each other within it, and the side that moves them
    farthest; -1 if all are one cell long.
    """
    speed, longest, axis = 0.0, -1.0, -1
    for d in range(3):
        position = area["position"][d]
        if position < 0:
            continue
        size, width = box[3 + d] - box[d], area["width"][d]
        q[position] = area["low"][d] + width * 0.5 * (box[3 + d] + box[d])
        steps[position] = 0.5 * OVERLAP * size * width
        moved = model.pair_reach[pair, position] * steps[position]
        speed += moved
        if size > 1 and moved > longest:
            longest, axis = moved, d
    return speed, axis


@inlined
def _mark(cells: NDArray[np.uint8], area: Any, box: Integers) -> None:
    """Set the cells of a box to 1."""
    second, third = area["cells"][1], area["cells"][2]
    for i in range(box[0], box[3]):
        for j in range(box[1], box[4]):
            for k in range(box[2], box[5]):
                cells[(i * second + j) * third + k] = 1


@kernel(
    types.int64(
        MODEL,
        types.int64,
        VECTOR,
        MAPS,
        types.uint8[::1],
        types.int64[:, ::1],
        types.int64,
        WORK,
    )
)
def fill_map(
    model: ConservativeModel,
    pair: int,
    q: Array,
    area: Records,
    cells: NDArray[np.uint8],
    boxes: Integers,
    most: int,
    work: Work,
) -> int:
    """Set the cells of a map to 1 in which a pair is proven apart; return the checks.

    ``area`` (1,) is one of ``ConservativeModel.maps``, whose cells start at 0. ``q`` (nq,) is
    written to, ``boxes`` (WAITING, 6) is work space. A box of cells is proven if the clearance at
    its middle is more than the bodies can move within it; else it is halved. After ``most``
    checks, the other cells stay 0.

    If ``cells`` is empty, nothing is written. The search ends at the first box with a contact or
    a single cell without a proof, and the number of checks is negative unless all is proven.
    """
    is_map = cells.shape[0] > 0
    work.steps[:] = 0.0
    for d in range(3):
        boxes[0, d], boxes[0, 3 + d] = 0, area[0]["cells"][d]
    waiting = 1
    for step in range(1, most + 1):
        waiting -= 1
        box = boxes[waiting]
        speed, axis = _place_in_box(model, pair, q, area[0], box, work.steps)
        cleared = pair_cleared(model, pair, q, speed, work)
        if cleared >= 1.0:
            if is_map:
                _mark(cells, area[0], box)
        elif axis >= 0 and waiting + 2 <= boxes.shape[0] and (is_map or cleared >= 0.0):
            middle = (box[axis] + box[3 + axis]) // 2
            for c in range(6):
                boxes[waiting + 1, c] = box[c]
            box[3 + axis] = boxes[waiting + 1, axis] = middle
            waiting += 2
        elif not is_map:
            return -step
        if waiting == 0:
            return step
    return most if is_map else -most
