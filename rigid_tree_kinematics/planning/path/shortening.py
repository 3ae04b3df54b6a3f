"""Shortcuts: straight ways between points of a path, where they are free.

Geraerts and Overmars, "Creating high-quality paths for motion planning", IJRR 26(8), 2007.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable

import numpy as np

from rigid_tree_kinematics.arrays import Array
from rigid_tree_kinematics.deadline import Deadline
from rigid_tree_kinematics.planning.path.shortening_kernels import (
    GAIN,
    VAIN,
    drop_corners,
    take_shortcuts,
)
from rigid_tree_kinematics.planning.search import Motions

ATTEMPTS = 100  # shortcuts tried in all
SLICE = 20  # attempts between two looks at the deadline
SPARE_POINTS = 2 * ATTEMPTS + 8
MOST_POINTS = 10_000  # that a path is resampled to, besides its corners


def shorten(motions: Motions, path: Array, seed: int, deadline: Deadline) -> Array:
    """Return a path (k, nq) with the same ends that is not longer; every new motion is free.

    Where the conservative level is in doubt everywhere, the corners are tried by the exact level.
    """
    space = motions.space
    if len(path) > 2 and not motions.has_conservative:
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
