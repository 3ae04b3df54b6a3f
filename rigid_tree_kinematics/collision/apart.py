"""Which pairs of bodies never come near each other, whatever the joints between them do."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np
from numba import njit, types

from rigid_tree_kinematics.collision.fast import (
    look,
    place_bodies,
)
from rigid_tree_kinematics.collision.fast_arrays import (
    MARGIN,
    MODEL,
    VECTOR,
    WORK,
    kernel_options,
    make_work,
)
from rigid_tree_kinematics.collision.fast_model import FastLevel
from rigid_tree_kinematics.collision.world import world_arrays
from rigid_tree_kinematics.model.compiled import CompiledTree

MOST_CHECKS = 300_000  # of one pair, about half a second
MOST_IN_ALL = 3_000_000
DEEPEST = 64  # boxes of angles that wait


def pairs_apart(
    compiled: CompiledTree, level: FastLevel, pairs: Sequence[tuple[int, int]]
) -> frozenset[tuple[int, int]]:
    """Return which ``pairs`` of the level's parts never touch, limits or not.

    Proven are pairs with one or two turning joints between them: an arm's base and its upper arm,
    which some arms hold so close that no motion could be checked quickly.
    """
    everything = np.arange(compiled.position_count)
    model = level.model(compiled.home, everything, world_arrays([]))
    work = make_work(model)
    found = set()
    left = MOST_IN_ALL
    for number, pair in enumerate(pairs):
        between = np.flatnonzero(model.pair_reach[number] > 0.0)
        turning = compiled.is_angle[between].all() and np.isfinite(model.pair_reach[number]).all()
        if not 1 <= len(between) <= 2 or not turning:
            continue
        boxes = np.zeros((DEEPEST, 4))
        boxes[0, 2 : 2 + len(between)] = math.pi
        q = compiled.home.copy()
        most = min(MOST_CHECKS, left)
        steps = steps_to_prove_apart(model, number, q, between, boxes, most, work)
        if steps > 0:
            found.add(pair)
        left -= abs(steps)
    return frozenset(found)


@njit(
    types.int64(
        MODEL,
        types.int64,
        VECTOR,
        types.int64[::1],
        types.float64[:, ::1],
        types.int64,
        WORK,
    ),
    **kernel_options,
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
