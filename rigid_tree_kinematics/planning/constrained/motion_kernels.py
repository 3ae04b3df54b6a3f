"""Kernels for motions that hold constraints: straight ways that are looked at, and steps along.

A way from one configuration to another is made of straight pieces, each towards the other end and
then projected (CBiRRT's constrained extension: Berenson et al., ICRA 2009), as long as the
constraints let straight pieces be.
"""

from __future__ import annotations

import math
from typing import Any

from numba import types

from rigid_tree_kinematics.collision.conservative.kernels import FREE, is_clear, motion_verdict
from rigid_tree_kinematics.collision.world.arrays import MODEL, WORK
from rigid_tree_kinematics.ik.constraints.arrays import CONSTRAINT_WORK, CONSTRAINTS, MOTION
from rigid_tree_kinematics.ik.constraints.kernels import project, satisfied
from rigid_tree_kinematics.kernels import MATRIX, READ_1D, VECTOR, kernel
from rigid_tree_kinematics.kinematics.topology import (
    distance,
    squared_length,
    write_between,
    write_difference,
)

LOOK = 0.01  # rad and m, Euclidean: how far apart the places are at which a motion is looked at
LONGEST_PIECE = 0.4  # rad and m: longer straight pieces are rarely within 0.1 rad of anything
SHORTEST_PIECE = 0.01
MOST_STEPS = 8  # of a projection of what is nearly there
LEAST_ADVANCE = 0.1  # of a piece's length, that it has to come nearer to where it leads
LONGEST_DETOUR = 2.0  # times the length wanted, that a piece may have after its projection

STUCK, ADVANCED, ARRIVED = range(3)


@kernel(types.boolean(CONSTRAINTS, types.int64, VECTOR, VECTOR, CONSTRAINT_WORK))
def way_holds(held: Any, level: int, a: Any, difference: Any, work: Any) -> bool:
    """Return whether the straight way from ``a`` keeps the bounds of a level, its ends left out.

    The middle comes first, where it strays most.
    """
    squared = 0.0
    for k in range(difference.shape[0]):
        squared += difference[k] ** 2
    parts = 2 * max(1, math.ceil(0.5 * math.sqrt(squared) / LOOK))
    write_between(held.kinds, a, difference, 0.5, work.at)
    if not satisfied(held, level, work.at, work):
        return False
    for k in range(1, parts):
        if 2 * k == parts:
            continue
        write_between(held.kinds, a, difference, k / parts, work.at)
        if not satisfied(held, level, work.at, work):
            return False
    return True


@kernel(
    types.int64(
        CONSTRAINTS, READ_1D, VECTOR, VECTOR, types.float64, VECTOR, VECTOR, CONSTRAINT_WORK
    ),
)
def advance(
    held: Any,
    weights: Any,
    start: Any,
    target: Any,
    reach: float,
    end: Any,
    difference: Any,
    work: Any,
) -> int:
    """Write a straight piece of at most about ``reach`` from ``start`` towards ``target``.

    ``end`` (nq,) is where it ends, ``difference`` its way. Where no piece of that length holds, it
    is halved. Returns STUCK if none comes nearer to the target.
    """
    kinds = held.kinds
    gap = distance(kinds, weights, start, target)
    step = min(reach, gap)
    while True:
        if step >= gap:
            end[:] = target
        else:
            write_difference(kinds, start, target, difference)
            write_between(kinds, start, difference, step / gap, end)
        arrives = step >= gap and satisfied(held, MOTION, end, work)
        good = arrives or project(held, end, MOST_STEPS, work)
        if good:
            write_difference(kinds, start, end, difference)
            length = math.sqrt(squared_length(kinds, weights, difference))
            left = 0.0 if arrives else distance(kinds, weights, end, target)
            good = length <= LONGEST_DETOUR * step and gap - left >= LEAST_ADVANCE * length
            good = good and length > LEAST_ADVANCE * step
        if good and way_holds(held, MOTION, start, difference, work):
            return ARRIVED if arrives else ADVANCED
        if step <= SHORTEST_PIECE:
            return STUCK
        step *= 0.5


@kernel(
    types.int64(
        CONSTRAINTS,
        READ_1D,
        VECTOR,
        VECTOR,
        types.float64,
        MATRIX,
        MATRIX,
        CONSTRAINT_WORK,
        MODEL,
        WORK,
    ),
)
def lead(
    held: Any,
    weights: Any,
    start: Any,
    target: Any,
    longest: float,
    points: Any,
    vectors: Any,
    constraint_work: Any,
    model: Any,
    work: Any,
) -> int:
    """Write the points of a free way that holds from ``start`` to ``target``; return how many.

    0 if there is none of a length up to ``longest`` and of so many pieces as ``points`` (m, nq)
    has rows. The start is no point, the target the last. ``vectors`` (3, nq) is work space.
    """
    at, end, difference = vectors[0], vectors[1], vectors[2]
    at[:] = start
    length, reach = 0.0, LONGEST_PIECE
    for count in range(points.shape[0]):
        outcome = advance(held, weights, at, target, reach, end, difference, constraint_work)
        if outcome == STUCK:
            return 0
        piece = math.sqrt(squared_length(held.kinds, weights, difference))
        length += piece
        rest = 0.0 if outcome == ARRIVED else distance(held.kinds, weights, end, target)
        if length + rest > longest:
            return 0
        if not is_clear(model, end, work):
            return 0
        if motion_verdict(model, held.kinds, at, difference, work) != FREE:
            return 0
        points[count] = end
        if outcome == ARRIVED:
            return count + 1
        at[:] = end
        reach = min(LONGEST_PIECE, 2.0 * piece)
    return 0
