"""The kernels of shortening a path: shortcuts at random places, and corners left out."""

from __future__ import annotations

from typing import Any

from numba import types

from rigid_tree_kinematics.collision.conservative.kernels import FREE, motion_verdict
from rigid_tree_kinematics.collision.world.arrays import MODEL, WORK
from rigid_tree_kinematics.ik.chain.space import uniform
from rigid_tree_kinematics.kernels import MATRIX, READ_1D, kernel
from rigid_tree_kinematics.kinematics.topology import (
    KINDS,
    distance,
    write_between,
    write_difference,
)

VAIN = 25  # shortcuts in a row that did not help, before it is enough
GAIN = 1e-3  # of the path's length; what a shortcut has to save to be worth its check


@kernel(
    types.int64(
        KINDS,
        READ_1D,
        MATRIX,
        types.int64[::1],
        types.int64,
        MATRIX,
        MODEL,
        WORK,
        types.int64,
    ),
)
def take_shortcuts(
    kinds: Any,
    weights: Any,
    path: Any,
    state: Any,
    seed: int,
    vectors: Any,
    model: Any,
    work: Any,
    attempts: int,
) -> int:
    """Shorten ``path`` in place; return how many attempts helped.

    ``path`` (room, nq) holds state[0] points; state[1] counts random numbers, state[2] attempts in
    a row that were in vain. ``vectors`` (3, nq) is work space.
    """
    low, high, difference = vectors[0], vectors[1], vectors[2]
    helped = 0
    for _ in range(attempts):
        count = state[0]
        if count < 3 or state[2] >= VAIN or count + 2 > path.shape[0]:
            break
        total = 0.0
        for k in range(count - 1):
            total += distance(kinds, weights, path[k], path[k + 1])
        one = total * uniform(seed, state[1])
        two = total * uniform(seed, state[1] + 1)
        state[1] += 2
        one, two = min(one, two), max(one, two)
        first, last = -1, -1
        passed = 0.0
        for k in range(count - 1):
            length = distance(kinds, weights, path[k], path[k + 1])
            if first < 0 and one <= passed + length:
                first = k
                write_difference(kinds, path[k], path[k + 1], difference)
                write_between(kinds, path[k], difference, (one - passed) / length, low)
            if last < 0 and (two <= passed + length or k == count - 2):
                last = k
                fraction = min(1.0, (two - passed) / length)
                write_difference(kinds, path[k], path[k + 1], difference)
                write_between(kinds, path[k], difference, fraction, high)
            passed += length
        write_difference(kinds, low, high, difference)
        saved = (two - one) - distance(kinds, weights, low, high)
        if (
            first == last
            or saved < GAIN * total
            or motion_verdict(model, kinds, low, difference, work) != FREE
        ):
            state[2] += 1
            continue
        # path[first], low, high, path[last + 1]: what was in between gives way.
        removed = last - first
        if removed == 1:
            for k in range(count, last + 1, -1):
                path[k] = path[k - 1]
        elif removed > 2:
            for k in range(last + 1, count):
                path[k - removed + 2] = path[k]
        path[first + 1] = low
        path[first + 2] = high
        state[0] = count - removed + 2
        state[2] = 0
        helped += 1
    return helped


@kernel(types.int64(KINDS, MATRIX, types.int64, MATRIX, MODEL, WORK))
def drop_corners(kinds: Any, path: Any, count: int, vectors: Any, model: Any, work: Any) -> int:
    """Leave out every corner whose neighbours see each other; return how many points are left."""
    difference = vectors[0]
    kept = 1
    at = 0
    while at < count - 1:
        to = at + 1
        for k in range(count - 1, at + 1, -1):
            write_difference(kinds, path[at], path[k], difference)
            if motion_verdict(model, kinds, path[at], difference, work) == FREE:
                to = k
                break
        path[kept] = path[to]
        at = to
        kept += 1
    return kept
