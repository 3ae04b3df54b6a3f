"""The kernel that proves that two bodies never touch, by halving boxes of joint angles."""

from __future__ import annotations

from rigid_tree_kinematics.arrays import Array, Integers
from rigid_tree_kinematics.collision.conservative.kernels import pair_cleared
from rigid_tree_kinematics.collision.world.arrays import MODEL, WORK, ConservativeModel, Work
from rigid_tree_kinematics.kernels import MATRIX, VECTOR, kernel, types

DEEPEST = 64  # boxes of angles that wait


@kernel(
    types.int64(MODEL, types.int64, VECTOR, types.int64[::1], MATRIX, types.int64, WORK),
    allocates=False,
)
def steps_to_prove_apart(
    model: ConservativeModel,
    pair: int,
    q: Array,
    positions: Integers,
    boxes: Array,
    most: int,
    work: Work,
) -> int:
    """Return how many checks prove that a pair never touches; negative if they do not.

    The angles ``positions`` (one or two) of ``q`` (nq,), which is written into, take all values,
    the box of row 0 of ``boxes`` (DEEPEST, 4): middles, then half sizes. A box is done if the
    clearance at its middle is more than the bodies can move within it; else it is halved.
    """
    waiting = 1
    work.steps[:] = 0.0
    for step in range(1, most + 1):
        waiting -= 1
        box = boxes[waiting]
        speed, longest, axis = 0.0, -1.0, 0
        for k in range(positions.shape[0]):
            position = positions[k]
            q[position], work.steps[position] = box[k], box[2 + k]
            moved = model.pair_reach[pair, position] * box[2 + k]
            speed += moved
            if moved > longest:
                longest, axis = moved, k
        cleared = pair_cleared(model, pair, q, speed, work)
        if cleared < 0.0:
            return -step
        if cleared < 1.0:
            if waiting + 2 > DEEPEST:
                return -step
            box[2 + axis] *= 0.5
            for c in range(4):
                boxes[waiting + 1, c] = box[c]
            boxes[waiting + 1, axis] += box[2 + axis]
            box[axis] -= box[2 + axis]
            waiting += 2
        if waiting == 0:
            return step
    return -most
