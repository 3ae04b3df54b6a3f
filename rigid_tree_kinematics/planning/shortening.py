"""Shortcuts: straight ways between points of a path, where they are free.

Geraerts and Overmars, "Creating high-quality paths for motion planning", IJRR 26(8), 2007.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable
from typing import Any

import numpy as np
from numba import njit, types

from rigid_tree_kinematics.collision.fast import FREE, motion_verdict
from rigid_tree_kinematics.collision.fast_arrays import MODEL, WORK
from rigid_tree_kinematics.ik.space import uniform
from rigid_tree_kinematics.kinematics.topology import (
    KINDS,
    distance,
    write_between,
    write_difference,
)
from rigid_tree_kinematics.model.transforms import Array
from rigid_tree_kinematics.planning.deadline import Deadline
from rigid_tree_kinematics.planning.search import Motions

ATTEMPTS = 40  # shortcuts tried in all
VAIN = 12  # shortcuts in a row that did not help, before it is enough
GAIN = 1e-3  # of the path's length; what a shortcut has to save to be worth its check
SLICE = 20  # attempts between two looks at the deadline
SPARE_POINTS = 2 * ATTEMPTS + 8

_read = types.Array(types.float64, 1, "C", readonly=True)


@njit(
    types.int64(
        KINDS,
        _read,
        types.float64[:, ::1],
        types.int64[::1],
        types.int64,
        types.float64[:, ::1],
        MODEL,
        WORK,
        types.int64,
    ),
    cache=True,
    nogil=True,
    error_model="numpy",
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


@njit(
    types.int64(KINDS, types.float64[:, ::1], types.int64, types.float64[:, ::1], MODEL, WORK),
    cache=True,
    nogil=True,
    error_model="numpy",
)
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


def shorten(motions: Motions, path: Array, seed: int, deadline: Deadline) -> Array:
    """Return a path (k, nq) with the same ends that is not longer; every new motion is free.

    Where the fast level is in doubt everywhere, the corners are tried by the exact level.
    """
    space = motions.space
    if len(path) > 2 and not motions.has_fast:
        return _shorten_by(motions.free, motions, path, seed, deadline)
    room = np.empty((len(path) + SPARE_POINTS, path.shape[1]))
    room[: len(path)] = path
    vectors = np.empty((3, path.shape[1]))
    count = drop_corners(space.kinds, room, len(path), vectors, motions.model, motions.work)
    state = np.array([count, 0, 0], dtype=np.int64)
    for _ in range(ATTEMPTS // SLICE):
        if deadline.over or state[2] >= VAIN:
            break
        take_shortcuts(
            space.kinds,
            space.weights,
            room,
            state,
            seed,
            vectors,
            motions.model,
            motions.work,
            SLICE,
        )
    return room[: state[0]].copy()


def _shorten_by(
    free: Callable[[Array, Array], bool],
    motions: Motions,
    path: Array,
    seed: int,
    deadline: Deadline,
) -> Array:
    """Take shortcuts with a judge outside of kernels."""
    space = motions.space
    rng = np.random.default_rng(seed)
    points = list(path)
    vain = 0
    for _ in range(ATTEMPTS):
        if len(points) < 3 or vain >= VAIN or deadline.over:
            break
        lengths = [space.distance(a, b) for a, b in itertools.pairwise(points)]
        ends = np.cumsum(lengths)
        one, two = np.sort(rng.uniform(0.0, ends[-1], 2))
        first, last = (int(min(np.searchsorted(ends, at), len(ends) - 1)) for at in (one, two))
        low, high = (
            space.between(
                points[k],
                space.difference(points[k], points[k + 1]),
                1.0 - (ends[k] - at) / lengths[k],
            )
            for k, at in ((first, one), (last, two))
        )
        saved = (two - one) - space.distance(low, high)
        if first != last and saved > GAIN * ends[-1] and free(low, high):
            points[first + 1 : last + 1] = [low, high]
            vain = 0
        else:
            vain += 1
    return np.array(points)


def resample(motions: Motions, path: Array, step: float) -> Array:
    """Return the path with points added so that neighbours are at most ``step`` apart."""
    space = motions.space
    points = [path[0]]
    for first, last in itertools.pairwise(path):
        parts = max(1, math.ceil(space.distance(first, last) / step - 1e-9))
        difference = space.difference(first, last)
        points += [space.between(first, difference, k / parts) for k in range(1, parts)]
        points.append(last)
    return np.array(points)
