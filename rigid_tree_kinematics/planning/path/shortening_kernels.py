"""Kernels that shorten a path: random shortcuts, removed corners, tightened points.

Every new motion is proven free and satisfies the constraints, see ``MotionChecks``.
"""

from typing import Any

import numpy as np

from rigid_tree_kinematics.arrays import Array, Integers
from rigid_tree_kinematics.collision.conservative.kernels import FREE, motion_verdict
from rigid_tree_kinematics.ik.constraints.arrays import MOTION
from rigid_tree_kinematics.ik.constraints.kernels import project
from rigid_tree_kinematics.kernels import MATRIX, READ_1D, READ_2D, VECTOR, inlined, kernel, types
from rigid_tree_kinematics.kernels.random_stream import uniform
from rigid_tree_kinematics.kinematics.topology import (
    KINDS,
    copy_numbers,
    distance,
    path_length,
    write_between,
    write_difference,
)
from rigid_tree_kinematics.planning.search.motion_kernels import (
    CHECKS,
    MOST_STEPS,
    MotionChecks,
    find_motion,
    motion_satisfies,
)

VAIN = 25  # the search ends after this many failed shortcuts in a row
GAIN = 1e-3  # of the path's length: the minimum saving of a shortcut
TIGHTER = 1e-3  # of two pieces' length: the minimum saving of moving the point between them

STATE = np.dtype(
    [
        ("count", "i8"),  # points of the path
        ("seed", "i8"),
        ("draws", "i8"),  # random numbers used
        ("vain", "i8"),  # failed attempts in a row
    ]
)


@kernel(types.int64(KINDS, READ_1D, READ_2D, types.int64, types.float64, VECTOR, VECTOR))
def write_place(
    kinds: Integers,
    weights: Array,
    path: Array,
    count: int,
    along: float,
    spare: Array,
    out: Array,
) -> int:
    """Write the configuration at a length ``along`` a path; return the index of its motion."""
    k, left = 0, along
    length = distance(kinds, weights, path[0], path[1])
    while k < count - 2 and left > length:
        left -= length
        k += 1
        length = distance(kinds, weights, path[k], path[k + 1])
    write_difference(kinds, path[k], path[k + 1], spare)
    write_between(kinds, path[k], spare, min(1.0, left / length), out)
    return k


@inlined
def _replace(path: Array, count: int, span: Any, low: Array, points: Array, added: int) -> int:
    """Replace points first + 1 to last by ``low`` and ``points``; return the count."""
    first, last = span
    shift = added + 1 - (last - first)
    if shift < 0:
        for k in range(last + 1, count):
            copy_numbers(path[k], path[k + shift])
    elif shift > 0:
        for k in range(count - 1, last, -1):
            copy_numbers(path[k], path[k + shift])
    copy_numbers(low, path[first + 1])
    for k in range(added):
        copy_numbers(points[k], path[first + 2 + k])
    return count + shift


@kernel(
    types.int64(
        CHECKS, MATRIX, types.Array(types.from_dtype(STATE), 1), MATRIX, MATRIX, types.int64
    )
)
def take_shortcuts(
    checks: MotionChecks, path: Array, states: Any, points: Array, vectors: Array, attempts: int
) -> int:
    """Shorten ``path`` (room, nq) in place; return the number of successful attempts.

    ``states`` (1,) of STATE; ``points`` (m, nq) and ``vectors`` (5, nq) are work space.
    """
    state, kinds, weights = states[0], checks.kinds, checks.weights
    low, high, spare = vectors[0], vectors[1], vectors[2]
    helped = 0
    for _ in range(attempts):
        count = state.count
        if count < 3 or state.vain >= VAIN or count + points.shape[0] + 1 > path.shape[0]:
            break
        total = path_length(kinds, weights, path, count)
        one = total * uniform(state.seed, state.draws)
        two = total * uniform(state.seed, state.draws + 1)
        one, two = min(one, two), max(one, two)
        state.draws += 2
        state.vain += 1
        first = write_place(kinds, weights, path, count, one, spare, low)
        last = write_place(kinds, weights, path, count, two, spare, high)
        longest = two - one - GAIN * total
        if first == last or distance(kinds, weights, low, high) > longest:
            continue
        added = find_motion(checks, low, high, longest, points, vectors[2:])
        if added > 0:
            state.count = _replace(path, count, (first, last), low, points, added)
            state.vain = 0
            helped += 1
    return helped


@kernel(types.int64(CHECKS, MATRIX, types.int64, types.float64, VECTOR))
def drop_corners(
    checks: MotionChecks, path: Array, count: int, longest: float, difference: Array
) -> int:
    """Remove corners that a free motion of at most ``longest`` can bypass; return the count."""
    kinds, weights, constraints, constraint_work, model, work = checks
    constrained = constraints.items.shape[0] > 0
    kept = 1
    at = 0
    while at < count - 1:
        to = at + 1
        for k in range(count - 1, at + 1, -1):
            start = path[at]
            if distance(kinds, weights, start, path[k]) > longest:
                continue
            write_difference(kinds, start, path[k], difference)
            if constrained and not motion_satisfies(
                constraints, MOTION, start, difference, constraint_work
            ):
                continue
            if motion_verdict(model, kinds, start, difference, work) == FREE:
                to = k
                break
        copy_numbers(path[to], path[kept])
        at = to
        kept += 1
    return kept


@kernel(types.float64(CHECKS, MATRIX, types.int64, MATRIX))
def tighten(checks: MotionChecks, path: Array, count: int, vectors: Array) -> float:
    """Move each point between its neighbors if the motions stay valid.

    Return the quotient of the path's lengths, after / before. ``vectors`` (3, nq) is work space.
    """
    kinds, weights, constraints, constraint_work, model, work = checks
    new, before, after = vectors[0], vectors[1], vectors[2]
    was = path_length(kinds, weights, path, count)
    for k in range(1, count - 1):
        length = distance(kinds, weights, path[k - 1], path[k])
        length += distance(kinds, weights, path[k], path[k + 1])
        write_difference(kinds, path[k - 1], path[k + 1], before)
        write_between(kinds, path[k - 1], before, 0.5, new)
        if not project(constraints, new, MOST_STEPS, constraint_work):
            continue
        shorter = distance(kinds, weights, path[k - 1], new)
        shorter += distance(kinds, weights, new, path[k + 1])
        write_difference(kinds, path[k - 1], new, before)
        write_difference(kinds, new, path[k + 1], after)
        if (
            shorter < (1.0 - TIGHTER) * length
            and motion_satisfies(constraints, MOTION, path[k - 1], before, constraint_work)
            and motion_satisfies(constraints, MOTION, new, after, constraint_work)
            and motion_verdict(model, kinds, path[k - 1], before, work) == FREE
            and motion_verdict(model, kinds, new, after, work) == FREE
        ):
            copy_numbers(new, path[k])
    return path_length(kinds, weights, path, count) / was if was > 0.0 else 1.0
