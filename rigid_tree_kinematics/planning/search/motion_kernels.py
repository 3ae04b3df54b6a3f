"""Kernels that check straight motions, and that generate motions which satisfy constraints.

A motion under constraints is made of straight pieces, each towards its end and then projected
(CBiRRT's constrained extension: Berenson, Srinivasa, Ferguson, Kuffner, "Manipulation planning on
constraint manifolds", ICRA 2009). Without constraints it is one straight piece.
"""

from __future__ import annotations

import math
from typing import NamedTuple

from rigid_tree_kinematics.arrays import Array, Integers
from rigid_tree_kinematics.collision.conservative.kernels import FREE, motion_verdict
from rigid_tree_kinematics.collision.world.arrays import MODEL, WORK, ConservativeModel, Work
from rigid_tree_kinematics.ik.constraints.arrays import (
    CONSTRAINT_WORK,
    CONSTRAINTS,
    MOTION,
    ConstraintArrays,
    ConstraintWork,
)
from rigid_tree_kinematics.ik.constraints.kernels import project, satisfied
from rigid_tree_kinematics.kernels import MATRIX, READ_1D, VECTOR, inlined, kernel, types
from rigid_tree_kinematics.kinematics.topology import (
    copy_numbers,
    distance,
    squared_length,
    write_between,
    write_difference,
)

CHECK_STEP = 0.01  # rad and m, Euclidean: between the configurations checked along a motion
LONGEST_PIECE = 0.4  # rad and m: longer straight pieces are rarely within 0.1 rad of anything
SHORTEST_PIECE = 0.01
MOST_STEPS = 8  # of a projection that starts near the constraints
LEAST_ADVANCE = 0.1  # of a piece's length, that it has to come nearer to its target
LONGEST_DETOUR = 2.0  # times the wanted length, that a piece may have after its projection

STUCK, ADVANCED, ARRIVED = range(3)


class MotionChecks(NamedTuple):
    """Data for checks of motions: metric, constraints, collision model."""

    kinds: Integers  # (nq,)
    weights: Array  # (nq,)
    constraints: ConstraintArrays  # without items: there are no constraints
    constraint_work: ConstraintWork
    model: ConservativeModel
    work: Work


CHECKS = types.NamedTuple(
    (types.int64[::1], VECTOR, CONSTRAINTS, CONSTRAINT_WORK, MODEL, WORK), MotionChecks
)


@kernel(types.boolean(CONSTRAINTS, types.int64, VECTOR, VECTOR, CONSTRAINT_WORK), allocates=False)
def motion_satisfies(
    constraints: ConstraintArrays,
    level: int,
    start: Array,
    difference: Array,
    work: ConstraintWork,
) -> bool:
    """Return whether the straight motion from ``start`` satisfies a level's bounds, ends excluded.

    The middle comes first, where it strays most.
    """
    kinds = constraints.kinds
    squared = 0.0
    for k in range(difference.shape[0]):
        squared += difference[k] ** 2
    parts = 2 * max(1, math.ceil(0.5 * math.sqrt(squared) / CHECK_STEP))
    write_between(kinds, start, difference, 0.5, work.at)
    if not satisfied(constraints, level, work.at, work):
        return False
    for k in range(1, parts):
        if 2 * k == parts:
            continue
        write_between(kinds, start, difference, k / parts, work.at)
        if not satisfied(constraints, level, work.at, work):
            return False
    return True


@kernel(
    types.int64(
        CONSTRAINTS, READ_1D, VECTOR, VECTOR, types.float64, VECTOR, VECTOR, CONSTRAINT_WORK
    ),
    allocates=False,
)
def project_towards(
    constraints: ConstraintArrays,
    weights: Array,
    start: Array,
    target: Array,
    reach: float,
    end: Array,
    difference: Array,
    work: ConstraintWork,
) -> int:
    """Write a straight segment that satisfies the constraints; see ``step_towards``.

    Where no piece of the length ``reach`` does, it is halved. Returns STUCK if none comes nearer
    to the target.
    """
    kinds = constraints.kinds
    gap = distance(kinds, weights, start, target)
    step = min(reach, gap)
    while True:
        if step >= gap:
            copy_numbers(target, end)
        else:
            write_difference(kinds, start, target, difference)
            write_between(kinds, start, difference, step / gap, end)
        arrives = step >= gap and satisfied(constraints, MOTION, end, work)
        good = arrives or project(constraints, end, MOST_STEPS, work)
        if good:
            write_difference(kinds, start, end, difference)
            length = math.sqrt(squared_length(kinds, weights, difference))
            left = 0.0 if arrives else distance(kinds, weights, end, target)
            good = length <= LONGEST_DETOUR * step and gap - left >= LEAST_ADVANCE * length
            good = good and length > LEAST_ADVANCE * step
        if good and motion_satisfies(constraints, MOTION, start, difference, work):
            return ARRIVED if arrives else ADVANCED
        if step <= SHORTEST_PIECE:
            return STUCK
        step *= 0.5


@inlined
def step_towards(
    kinds: Integers,
    weights: Array,
    start: Array,
    target: Array,
    reach: float,
    end: Array,
    difference: Array,
) -> int:
    """Write a straight segment of at most ``reach`` from ``start`` towards ``target``.

    ``end`` (nq,) is where it ends, ``difference`` (nq,) leads there.
    """
    write_difference(kinds, start, target, difference)
    length = math.sqrt(squared_length(kinds, weights, difference))
    arrives = length <= reach
    if not arrives:
        scale = reach / length
        for k in range(kinds.shape[0]):
            difference[k] *= scale
    write_between(kinds, start, difference, 1.0, end)
    return ARRIVED if arrives else ADVANCED


@kernel(types.int64(CHECKS, VECTOR, VECTOR, types.float64, MATRIX, MATRIX), allocates=False)
def find_motion(
    checks: MotionChecks,
    start: Array,
    target: Array,
    longest: float,
    points: Array,
    vectors: Array,
) -> int:
    """Write the points of a free motion from ``start`` to ``target``; return their number.

    It satisfies the constraints; its length is at most ``longest``. Returns 0 if there is none of
    as many pieces as ``points`` (m, nq) has rows. The start is not among the points, the target is
    the last. ``vectors`` (3, nq) is work space.
    """
    kinds, weights, constraints, constraint_work, model, work = checks
    at, end, difference = vectors[0], vectors[1], vectors[2]
    copy_numbers(start, at)
    constrained = constraints.items.shape[0] > 0
    most = LONGEST_PIECE if constrained else math.inf
    length, reach = 0.0, most
    for count in range(points.shape[0]):
        if constrained:
            outcome = project_towards(
                constraints, weights, at, target, reach, end, difference, constraint_work
            )
        else:
            outcome = step_towards(kinds, weights, at, target, reach, end, difference)
        if outcome == STUCK:
            return 0
        piece = math.sqrt(squared_length(kinds, weights, difference))
        length += piece
        arrived = outcome == ARRIVED
        rest = 0.0 if arrived else distance(kinds, weights, end, target)
        if length + rest > longest or motion_verdict(model, kinds, at, difference, work) != FREE:
            return 0
        copy_numbers(end, points[count])
        if arrived:
            return count + 1
        copy_numbers(end, at)
        reach = min(most, 2.0 * piece)
    return 0
