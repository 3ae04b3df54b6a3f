"""Shortcuts: free motions between points on a path.

Geraerts and Overmars, "Creating high-quality paths for motion planning", IJRR 26(8), 2007.
"""

from __future__ import annotations

import itertools
import math

import numpy as np

from rigid_tree_kinematics.arrays import Array
from rigid_tree_kinematics.deadline import Deadline
from rigid_tree_kinematics.kinematics.topology import path_length
from rigid_tree_kinematics.planning.path.shortening_kernels import (
    GAIN,
    STATE,
    VAIN,
    drop_corners,
    take_shortcuts,
    tighten,
    write_place,
)
from rigid_tree_kinematics.planning.search import Motions
from rigid_tree_kinematics.planning.search.motion_kernels import LONGEST_PIECE

ATTEMPTS = 100  # shortcuts tried in all
SLICE = 50  # attempts between two checks of the deadline
SWEEPS = 20  # of the tightening of a path under constraints
ENOUGH = 0.998  # of the length that a sweep leaves: what the next one would save is little
MOST_PIECES = 250  # of a shortcut under constraints
MOST_POINTS = 10_000  # that a path is resampled to, besides its corners


def shorten(motions: Motions, path: Array, seed: int, deadline: Deadline) -> Array:
    """Return a path (k, nq) with the same ends, not longer; every new motion is free.

    It satisfies the constraints. Where the conservative level is in doubt everywhere, shortcuts
    are checked by the exact level, and under constraints the path stays as it is.
    """
    if len(path) < 3:
        return path
    if not motions.has_conservative:
        return path if motions.constraints else _shorten_exactly(motions, path, seed, deadline)
    checks, constrained = motions.checks, motions.constrained
    pieces = MOST_PIECES if constrained else 1
    room = np.empty((len(path) + ATTEMPTS * (pieces + 1), path.shape[1]))
    room[: len(path)] = path
    points, vectors = np.empty((pieces, path.shape[1])), np.empty((5, path.shape[1]))
    states = np.zeros(1, STATE)
    state = states[0]  # a view
    state["count"], state["seed"] = len(path), seed
    if not constrained:
        state["count"] = drop_corners(checks, room, state["count"], math.inf, vectors[0])
    for _ in range(ATTEMPTS // SLICE):
        if deadline.over or state["vain"] >= VAIN:
            break
        take_shortcuts(checks, room, states, points, vectors, SLICE)
    if constrained:
        for _ in range(SWEEPS):
            if deadline.over or tighten(checks, room, state["count"], vectors) > ENOUGH:
                break
        if not deadline.over:
            state["count"] = drop_corners(checks, room, state["count"], LONGEST_PIECE, vectors[0])
    return np.array(room[: state["count"]])


def _shorten_exactly(motions: Motions, path: Array, seed: int, deadline: Deadline) -> Array:
    """Take shortcuts checked by the exact level."""
    kinds, weights = motions.checks.kinds, motions.checks.weights
    rng = np.random.default_rng(seed)
    low, high, spare = np.empty((3, path.shape[1]))
    vain = 0
    for _ in range(ATTEMPTS):
        if len(path) < 3 or vain >= VAIN or deadline.over:
            break
        total = path_length(kinds, weights, path, len(path))
        one, two = np.sort(rng.uniform(0.0, total, 2))
        first = write_place(kinds, weights, path, len(path), one, spare, low)
        last = write_place(kinds, weights, path, len(path), two, spare, high)
        saved = (two - one) - motions.space.distance(low, high)
        if first != last and saved > GAIN * total and motions.free(low, high):
            path = np.vstack((path[: first + 1], low, high, path[last + 1 :]))
            vain = 0
        else:
            vain += 1
    return path


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
