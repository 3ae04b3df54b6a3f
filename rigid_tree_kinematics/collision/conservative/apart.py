"""Pairs of bodies that cannot collide at any joint positions."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np

from rigid_tree_kinematics.collision.conservative.apart_kernels import (
    DEEPEST,
    steps_to_prove_apart,
)
from rigid_tree_kinematics.collision.conservative.model import ConservativeLevel
from rigid_tree_kinematics.collision.conservative.pair_maps import of_pair
from rigid_tree_kinematics.collision.world import World, make_work
from rigid_tree_kinematics.model import CompiledTree

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
        one = of_pair(compiled, model, number)
        steps = steps_to_prove_apart(one, number, q, between, boxes, most, work)
        if steps > 0:
            found.add(pair)
        left -= abs(steps)
    return frozenset(found)
