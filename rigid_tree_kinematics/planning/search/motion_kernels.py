"""Kernels that check straight motions and generate motions that satisfy constraints.

A motion under constraints is made of straight pieces, each towards its end and then projected
(CBiRRT's constrained extension: Berenson, Srinivasa, Ferguson, Kuffner, "Manipulation planning on
constraint manifolds", ICRA 2009). Without constraints it is one straight piece.
"""

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
LONGEST_PIECE = 0.4  # rad and m; longer straight pieces rarely satisfy constraints
SHORTEST_PIECE = 0.01
MOST_STEPS = 8  # of a projection that starts near the constraints
LEAST_ADVANCE = 0.1  # of a piece's length, by which it has to approach its target
LONGEST_DETOUR = 2.0  # times the requested length: the limit of a piece after its projection

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


@kernel(types.boolean(CONSTRAINTS, types.int64, VECTOR, VECTOR, CONSTRAINT_WORK))
def motion_satisfies(
    constraints: ConstraintArrays,
    level: int,
    start: Array,
    difference: Array,
    work: ConstraintWork,
) -> bool:
    """Return whether a straight motion satisfies a level's bounds, ends excluded.

    The middle comes first, where the deviation is largest.
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
    )
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

    The length ``reach`` is halved until a segment does. Returns STUCK if none approaches the
    target.
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
    checks: MotionChecks, start: Array, target: Array, reach: float, end: Array, difference: Array
) -> int:
    """Write a straight segment of at most ``reach`` from ``start`` towards ``target``.

    ``end`` (nq,) is where it ends, ``difference`` (nq,) leads there. It satisfies the constraints.
    """
    kinds, weights, constraints = checks.kinds, checks.weights, checks.constraints
    if constraints.items.shape[0] > 0:
        work = checks.constraint_work
        return project_towards(constraints, weights, start, target, reach, end, difference, work)
    write_difference(kinds, start, target, difference)
    length = math.sqrt(squared_length(kinds, weights, difference))
    arrives = length <= reach
    if not arrives:
        scale = reach / length
        for k in range(kinds.shape[0]):
            difference[k] *= scale
    write_between(kinds, start, difference, 1.0, end)
    return ARRIVED if arrives else ADVANCED


@kernel(types.int64(CHECKS, VECTOR, VECTOR, types.float64, MATRIX, MATRIX))
def find_motion(
    checks: MotionChecks,
    start: Array,
    target: Array,
    longest: float,
    points: Array,
    vectors: Array,
) -> int:
    """Write the points of a free motion from ``start`` to ``target``; return their number.

    It satisfies the constraints; its length is at most ``longest``. Returns 0 if the m pieces that
    ``points`` (m, nq) has room for do not suffice. The start is not among the points, the target
    is the last. ``vectors`` (3, nq) is work space.
    """
    kinds, weights, model, work = checks.kinds, checks.weights, checks.model, checks.work
    at, end, difference = vectors[0], vectors[1], vectors[2]
    copy_numbers(start, at)
    most = LONGEST_PIECE if checks.constraints.items.shape[0] > 0 else math.inf
    length, reach = 0.0, most
    for count in range(points.shape[0]):
        outcome = step_towards(checks, at, target, reach, end, difference)
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
