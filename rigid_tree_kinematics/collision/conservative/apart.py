"""Pairs of bodies that cannot collide at any joint positions."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np

from rigid_tree_kinematics.collision.conservative.model import ConservativeLevel
from rigid_tree_kinematics.collision.conservative.pair_map_kernels import WAITING, fill_map
from rigid_tree_kinematics.collision.conservative.pair_maps import map_row, of_pair
from rigid_tree_kinematics.collision.world import World, make_work
from rigid_tree_kinematics.model import CompiledTree

CELLS = 2**20  # along each angle: a turn is halved at most 20 times
MOST_CHECKS = 300_000  # of one pair, about half a second
MOST_IN_ALL = 3_000_000


def pairs_apart(
    compiled: CompiledTree, level: ConservativeLevel, pairs: Sequence[tuple[int, int]]
) -> frozenset[tuple[int, int]]:
    """Return which ``pairs`` of parts can never collide, even beyond the joint limits.

    These are pairs with one or two revolute joints between them, such as an arm's base and its
    upper arm, which on some arms are too close to check motions quickly.
    """
    everything = np.arange(compiled.position_count)
    model = level.model(compiled.home, everything, World())
    work = make_work(model)
    no_cells = np.empty(0, dtype=np.uint8)
    boxes = np.empty((WAITING, 6), dtype=np.int64)
    found = set()
    left = MOST_IN_ALL
    for number, pair in enumerate(pairs):
        between = np.flatnonzero(model.pair_reach[number] > 0.0)
        turning = compiled.is_angle[between].all() and np.isfinite(model.pair_reach[number]).all()
        if not 1 <= len(between) <= 2 or not turning:
            continue
        turn = np.full(len(between), math.pi)
        row = map_row(between, np.full(len(between), CELLS), -turn, turn)
        one, q = of_pair(compiled, model, number), compiled.home.copy()
        most = min(MOST_CHECKS, left)
        steps = fill_map(one, number, q, row, no_cells, boxes, most, work)
        if steps > 0:
            found.add(pair)
        left -= abs(steps)
    return frozenset(found)
