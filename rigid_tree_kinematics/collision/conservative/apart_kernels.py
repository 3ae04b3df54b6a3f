"""The kernel that proves that two bodies never touch, by halving boxes of joint angles."""

from __future__ import annotations

from typing import Any

from numba import types

from rigid_tree_kinematics.collision.conservative.kernels import look, place_bodies
from rigid_tree_kinematics.collision.world.arrays import MARGIN, MODEL, WORK
from rigid_tree_kinematics.kernels import MATRIX, VECTOR, kernel

DEEPEST = 64  # boxes of angles that wait


@kernel(
    types.int64(
        MODEL,
        types.int64,
        VECTOR,
        types.int64[::1],
        MATRIX,
        types.int64,
        WORK,
    ),
)
def steps_to_prove_apart(
    model: Any, pair: int, q: Any, positions: Any, boxes: Any, most: int, work: Any
) -> int:
    """Return how many checks prove that a pair never touches; negative if they do not.

    The angles ``positions`` (one or two) of ``q`` (nq,), which is written into, run through a
    whole turn, the box of row 0 of ``boxes`` (DEEPEST, 4): middles, then half sizes. A box is done
    if the clearance at its middle is more than the bodies can move within it; else it is halved.
    """
    check = model.entities.shape[0] + pair
    opened, speeds = work.open, work.speeds
    waiting = 1
    work.steps[:] = 0.0
    for step in range(1, most + 1):
        waiting -= 1
        speed, longest, axis = 0.0, -1.0, 0
        for k in range(positions.shape[0]):
            q[positions[k]] = boxes[waiting, k]
            work.steps[positions[k]] = boxes[waiting, 2 + k]
            moved = model.pair_reach[pair, positions[k]] * boxes[waiting, 2 + k]
            speed += moved
            if moved > longest:
                longest, axis = moved, k
        place_bodies(model, q, work)
        speeds[check] = speed
        opened[0, 0] = 1
        opened[0, 1] = check
        cleared = look(model, 1.0, 2.0 * MARGIN, work)
        if cleared < 0.0:
            return -step
        if cleared < 1.0:
            if waiting + 2 > DEEPEST:
                return -step
            half = 0.5 * boxes[waiting, 2 + axis]
            boxes[waiting, 2 + axis] = half
            for k in range(4):
                boxes[waiting + 1, k] = boxes[waiting, k]
            boxes[waiting, axis] -= half
            boxes[waiting + 1, axis] += half
            waiting += 2
        if waiting == 0:
            return step
    return -most
