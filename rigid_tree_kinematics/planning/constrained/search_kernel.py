"""The kernel that grows trees whose motions hold constraints: CBiRRT.

Berenson, Srinivasa, Ferguson, Kuffner, "Manipulation planning on constraint manifolds", ICRA 2009.
It is the machine of states of ``tree_search.py``, and stands in its place: see there. A tree runs
towards a sample in pieces that are projected, and the other one then towards where it came to.
"""

from __future__ import annotations

import math
from typing import Any

from numba import types

from rigid_tree_kinematics.collision.conservative.kernels import FREE, is_clear, motion_verdict
from rigid_tree_kinematics.collision.world.arrays import MODEL, WORK
from rigid_tree_kinematics.ik.constraints.arrays import CONSTRAINT_WORK, CONSTRAINTS
from rigid_tree_kinematics.kernels import BATCH, MATRIX, READ_1D, VECTOR, kernel
from rigid_tree_kinematics.kinematics.topology import squared_distance, squared_length
from rigid_tree_kinematics.planning.constrained.motion_kernels import (
    ARRIVED,
    LONGEST_PIECE,
    STUCK,
    advance,
)
from rigid_tree_kinematics.planning.search.tree_search import (
    ANSWER,
    ASK,
    ASKED,
    ASKING,
    CAME,
    CONNECT,
    COUNT,
    DOMAIN,
    DRAWS,
    EVERY,
    EXHAUSTED,
    EXTEND,
    FAILED,
    FROM,
    FULL,
    HAS_CONSERVATIVE,
    MEETING,
    MOST_FAILED,
    MOST_NODES,
    MOTIONS,
    NARROWER,
    PHASE,
    PLAIN,
    PRESENT,
    RADIUS,
    REACH,
    RUNNING,
    SAME,
    SAMPLE,
    SIDE,
    SOLVED,
    STEP,
    TURN,
    WIDER,
    draw,
    nearest,
)

_integers = types.int64[::1]


@kernel(
    types.int64(
        CONSTRAINTS,
        READ_1D,
        READ_1D,
        READ_1D,
        types.Array(types.int64, 1, "C", readonly=True),
        BATCH,
        types.int64[:, ::1],
        BATCH,
        MATRIX,
        _integers,
        VECTOR,
        MATRIX,
        CONSTRAINT_WORK,
        MODEL,
        WORK,
        types.int64,
    ),
)
def grow_held(
    held: Any,
    weights: Any,
    lower: Any,
    upper: Any,
    moving: Any,
    nodes: Any,
    parents: Any,
    known: Any,
    recurrence: Any,
    state: Any,
    numbers: Any,
    vectors: Any,
    constraint_work: Any,
    model: Any,
    work: Any,
    budget: int,
) -> int:
    """Go on with a search for at most ``budget`` samples and pieces.

    The arguments are those of ``tree_search.grow``; ``known`` holds the length of a piece that
    is tried first, and RADIUS.
    """
    end, difference, target = vectors[0], vectors[1], vectors[2]
    kinds = held.kinds
    capacity = nodes.shape[1]
    plain = state[PLAIN] == 1
    for _ in range(budget):
        side = state[SIDE]
        phase = state[PHASE]
        outcome = ARRIVED
        if state[PRESENT] == 0:
            if phase == SAMPLE:
                if state[FAILED] >= state[MOST_FAILED]:
                    return EXHAUSTED
                if state[COUNT] + state[COUNT + 1] >= state[MOST_NODES]:
                    return EXHAUSTED
                side = state[TURN]
                if state[COUNT + 1 - side] < 2 * state[COUNT + side]:
                    side = 1 - side
                state[TURN] = state[SIDE] = side
                state[DRAWS] += 1
                target[:] = nodes[0, 0]
                draw(kinds, moving, lower, upper, recurrence, state[DRAWS], target)
                at, gap = nearest(plain, kinds, weights, nodes[side], state[COUNT + side], target)
                if gap > known[side, at, RADIUS]:
                    known[side, at, RADIUS] *= WIDER
                    state[FAILED] += 1
                    continue
                state[FROM] = at
                state[PHASE] = phase = EXTEND
                numbers[CAME] = -1.0
            if state[COUNT] + 1 >= capacity or state[COUNT + 1] + 1 >= capacity:
                return FULL
            at = state[FROM]
            reach = known[side, at, REACH]
            outcome = advance(
                held, weights, nodes[side, at], target, reach, end, difference, constraint_work
            )
            state[MOTIONS] += 1
            free = outcome != STUCK
            if free:
                if state[HAS_CONSERVATIVE] == 1:
                    free = is_clear(model, end, work)
                    start = nodes[side, at]
                    free = free and motion_verdict(model, kinds, start, difference, work) == FREE
                else:
                    free = False
                since = state[MOTIONS] - state[ASKED]
                if not free and state[ASKING] == 1 and since >= state[EVERY]:
                    state[ASKED] = state[MOTIONS]
                    state[PRESENT] = 1
                    return ASK
        else:
            state[PRESENT] = 0
            free = state[ANSWER] == 1

        at = state[FROM]
        ends = not free
        new = at
        if free:
            length = math.sqrt(squared_length(kinds, weights, difference))
            new = state[COUNT + side]
            nodes[side, new] = end
            parents[side, new] = at
            known[side, new, REACH] = min(LONGEST_PIECE, 1.5 * length)
            known[side, new, RADIUS] = math.inf
            state[COUNT + side] = new + 1
            state[FAILED] = 0
            state[FROM] = new
            arrived = squared_distance(kinds, weights, end, target) <= SAME
            if phase == CONNECT:
                if arrived:
                    state[MEETING + side] = new
                    return SOLVED
                continue
            numbers[CAME] = max(numbers[CAME], 0.0) + length
            ends = arrived or numbers[CAME] >= numbers[STEP]
        if not ends:
            continue
        if phase == CONNECT:
            state[PHASE] = SAMPLE
        elif numbers[CAME] < 0.0:
            state[FAILED] += 1
            known[side, at, RADIUS] = min(NARROWER * known[side, at, RADIUS], numbers[DOMAIN])
            state[PHASE] = SAMPLE
        else:
            # The other tree now runs towards where this one came to.
            state[MEETING + side] = new
            target[:] = nodes[side, new]
            side = 1 - side
            state[SIDE] = side
            at, gap = nearest(plain, kinds, weights, nodes[side], state[COUNT + side], target)
            state[FROM] = at
            state[PHASE] = CONNECT
            if gap * gap <= SAME:
                state[MEETING + side] = at
                return SOLVED
    return RUNNING
