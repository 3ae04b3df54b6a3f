"""Kernels that shorten a path whose motions hold constraints: shortcuts, and tightening."""

from __future__ import annotations

from typing import Any

from numba import types

from rigid_tree_kinematics.collision.conservative.kernels import FREE, is_clear, motion_verdict
from rigid_tree_kinematics.collision.world.arrays import MODEL, WORK
from rigid_tree_kinematics.ik.chain.space import uniform
from rigid_tree_kinematics.ik.constraints.arrays import CONSTRAINT_WORK, CONSTRAINTS, MOTION
from rigid_tree_kinematics.ik.constraints.kernels import project
from rigid_tree_kinematics.kernels import MATRIX, READ_1D, kernel
from rigid_tree_kinematics.kinematics.topology import distance, write_between, write_difference
from rigid_tree_kinematics.planning.constrained.motion_kernels import MOST_STEPS, lead, way_holds

VAIN = 25  # shortcuts in a row that did not help, before it is enough
GAIN = 0.01  # of the path's length; what a shortcut has to save
TIGHTER = 1e-3  # of two pieces' length; what moving the point between them has to save

_COMMON = (CONSTRAINTS, READ_1D, MATRIX, types.int64[::1])


@kernel(
    types.int64(*_COMMON, types.int64, MATRIX, MATRIX, CONSTRAINT_WORK, MODEL, WORK, types.int64),
)
def take_held_shortcuts(
    held: Any,
    weights: Any,
    path: Any,
    state: Any,
    seed: int,
    points: Any,
    vectors: Any,
    constraint_work: Any,
    model: Any,
    work: Any,
    attempts: int,
) -> int:
    """Shorten ``path`` in place; return how many attempts helped.

    ``path`` (room, nq) holds state[0] points; state[1] counts random numbers, state[2] attempts in
    a row that were in vain. ``points`` (m, nq) and ``vectors`` (3, nq) are work space.
    """
    helped = 0
    for _ in range(attempts):
        count = state[0]
        if count < 3 or state[2] >= VAIN:
            break
        one = int(count * uniform(seed, state[1]))
        two = int(count * uniform(seed, state[1] + 1))
        state[1] += 2
        first, last = min(one, two), max(one, two)
        state[2] += 1
        if last - first < 2:
            continue
        total, along = 0.0, 0.0
        for k in range(count - 1):
            length = distance(held.kinds, weights, path[k], path[k + 1])
            total += length
            if first <= k < last:
                along += length
        longest = along - GAIN * total
        if distance(held.kinds, weights, path[first], path[last]) > longest:
            continue
        added = lead(
            held,
            weights,
            path[first],
            path[last],
            longest,
            points,
            vectors,
            constraint_work,
            model,
            work,
        )
        removed = last - first
        if added == 0 or count - removed + added > path.shape[0]:
            continue
        if added <= removed:
            for k in range(last + 1, count):
                path[k - removed + added] = path[k]
        else:
            for k in range(count - 1, last, -1):
                path[k - removed + added] = path[k]
        for k in range(added):
            path[first + 1 + k] = points[k]
        state[0] = count - removed + added
        state[2] = 0
        helped += 1
    return helped


@kernel(types.float64(*_COMMON, MATRIX, CONSTRAINT_WORK, MODEL, WORK))
def tighten(
    held: Any,
    weights: Any,
    path: Any,
    state: Any,
    vectors: Any,
    constraint_work: Any,
    model: Any,
    work: Any,
) -> float:
    """Move each point between its neighbours, or leave it out, where that holds and is free.

    Return the path's length before and after as a quotient, after / before.
    """
    kinds = held.kinds
    new, before, after = vectors[0], vectors[1], vectors[2]
    count = state[0]
    was, now = 0.0, 0.0
    for k in range(count - 1):
        was += distance(kinds, weights, path[k], path[k + 1])
    k = 1
    while k < count - 1:
        length = distance(kinds, weights, path[k - 1], path[k])
        length += distance(kinds, weights, path[k], path[k + 1])
        write_difference(kinds, path[k - 1], path[k + 1], before)
        write_between(kinds, path[k - 1], before, 0.5, new)
        good = project(held, new, MOST_STEPS, constraint_work)
        if good:
            shorter = distance(kinds, weights, path[k - 1], new)
            shorter += distance(kinds, weights, new, path[k + 1])
            write_difference(kinds, path[k - 1], new, before)
            write_difference(kinds, new, path[k + 1], after)
            good = (
                shorter < (1.0 - TIGHTER) * length
                and way_holds(held, MOTION, path[k - 1], before, constraint_work)
                and way_holds(held, MOTION, new, after, constraint_work)
                and is_clear(model, new, work)
                and motion_verdict(model, kinds, path[k - 1], before, work) == FREE
                and motion_verdict(model, kinds, new, after, work) == FREE
            )
        if good:
            path[k] = new
        k += 1
    for k in range(count - 1):
        now += distance(kinds, weights, path[k], path[k + 1])
    return now / was if was > 0.0 else 1.0


@kernel(types.int64(*_COMMON, types.float64, MATRIX, CONSTRAINT_WORK, MODEL, WORK))
def leave_out(
    held: Any,
    weights: Any,
    path: Any,
    state: Any,
    longest: float,
    vectors: Any,
    constraint_work: Any,
    model: Any,
    work: Any,
) -> int:
    """Leave out points between which a straight way of at most ``longest`` holds and is free.

    Return how many points are left.
    """
    kinds = held.kinds
    difference = vectors[0]
    count, kept = state[0], 1
    for k in range(1, count):
        path[kept] = path[k]
        kept += 1
        while kept > 2:
            gap = distance(kinds, weights, path[kept - 3], path[kept - 1])
            write_difference(kinds, path[kept - 3], path[kept - 1], difference)
            if (
                gap > longest
                or not way_holds(held, MOTION, path[kept - 3], difference, constraint_work)
                or motion_verdict(model, kinds, path[kept - 3], difference, work) != FREE
            ):
                break
            path[kept - 2] = path[kept - 1]
            kept -= 1
    state[0] = kept
    return kept
