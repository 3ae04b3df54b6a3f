"""Shortcuts, free motions between points on a path, and rounded corners.

Geraerts and Overmars, "Creating high-quality paths for motion planning", IJRR 26(8), 2007.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from rigid_tree_kinematics.arrays import Array
from rigid_tree_kinematics.deadline import Deadline
from rigid_tree_kinematics.kinematics.topology import path_length
from rigid_tree_kinematics.model.joints import QUATERNION, QUATERNION_REST
from rigid_tree_kinematics.planning.path.corner_kernels import write_straight_motions
from rigid_tree_kinematics.planning.path.rounding_kernels import LARGEST_PART, round_corners
from rigid_tree_kinematics.planning.path.shortening_kernels import (
    GAIN,
    STATE,
    VAIN,
    drop_corners,
    take_shortcuts,
    tighten,
    write_place,
)
from rigid_tree_kinematics.planning.problem import Space
from rigid_tree_kinematics.planning.search import Motions
from rigid_tree_kinematics.planning.search.motion_kernels import LONGEST_PIECE

ATTEMPTS = 100  # shortcuts tried in total
SLICE = 50  # attempts between two checks of the deadline
SWEEPS = 20  # of the tightening of a path under constraints
ENOUGH = 0.998  # quotient of a sweep's lengths above which no further sweep follows
MOST_PIECES = 250  # of a shortcut under constraints
MOST_POINTS = 10_000  # of a resampled path, besides its corners
DEVIATION = 3e-5  # rad or m, between an unchecked rounding and its chord
SMALLEST_RADIUS = 1e-5  # rad or m
CHORDS = 400  # chords checked between two checks of the deadline


def shorten(motions: Motions, path: Array, seed: int, deadline: Deadline) -> Array:
    """Return a path (k, nq) with the same ends, not longer; every new motion is free.

    It satisfies the constraints. Without a conservative level, shortcuts are checked by the exact
    level, and a path with constraints is returned unchanged.
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


def resample(space: Space, path: Array, step: float) -> Array:
    """Return the path with points added so that neighbors are at most ``step`` apart."""
    points = [path[0]]
    for first, last in itertools.pairwise(path):
        parts = max(1, math.ceil(space.distance(first, last) / step - 1e-9))
        difference = space.difference(first, last)
        points += [space.between(first, difference, k / parts) for k in range(1, parts)]
        points.append(last)
    return np.array(points)


@dataclass(frozen=True, eq=False)
class Corners:
    """A path's (k, nq) corners, joined by (k - 1, nq) straight motions.

    ``turning``: a quaternion changes along the path.
    """

    points: Array
    segments: Array
    turning: bool

    @classmethod
    def of_path(cls, space: Space, path: Array) -> Corners:
        """Return the corners of a path (m, nq), its ends included."""
        turning = False
        if not space.is_plain:
            rotations = (space.kinds == QUATERNION) | (space.kinds == QUATERNION_REST)
            turning = bool((path[:, rotations] != path[0, rotations]).any())
        if turning:
            pairs = itertools.pairwise(path)
            motions = np.array([space.difference(a, b) for a, b in pairs])
        else:
            motions = path[1:] - path[:-1]
        starts, segments = np.empty(len(motions), dtype=np.int64), np.empty_like(motions)
        count = write_straight_motions(motions, starts, segments)
        if not count:
            return cls(path[:1], segments[:0], turning)
        points = np.concatenate((path[starts[:count]], path[-1:]))
        return cls(points, segments[:count], turning)


def corner_radii(
    motions: Motions, corners: Corners, deviation: float, deadline: Deadline
) -> Array:
    """Return the extent of the rounding before and after each corner (k,), rad and m.

    The rounded path passes each corner at a distance of at most ``deviation`` (rad, m).
    0 means a stop: at the ends, where no rounding is proven free and satisfies the constraints,
    and at the remaining corners once the deadline has passed.
    """
    radii = np.zeros(len(corners.points))
    if not motions.has_conservative or corners.turning:
        return radii
    vectors = np.empty((4, corners.points.shape[1]))
    k = 1
    while k < len(radii) - 1 and not deadline.over:
        k = round_corners(
            motions.checks, corners.points, corners.segments, deviation, radii, k, CHORDS, vectors
        )
    return radii


def gentle_radii(
    corners: Corners,
    deviation: float,
    free: Callable[[Array, Array], bool],
    deadline: Deadline,
) -> Array:
    """Return radii (k,) of roundings near enough to their chords to check only the chords.

    ``free`` checks a straight motion between two configurations. Without these radii, a path of
    close points would stop at every corner on which the conservative level is undecided. The
    remaining corners have 0 once the deadline has passed. ``deviation`` as for ``corner_radii``.
    """
    radii = np.zeros(len(corners.points))
    if corners.turning:
        return radii
    lengths = np.linalg.norm(corners.segments, axis=1)
    directions = corners.segments / lengths[:, np.newaxis]
    bends = np.linalg.norm(np.diff(directions, axis=0), axis=1)
    most = min(DEVIATION, deviation)
    largest = LARGEST_PART * np.minimum(lengths[:-1], lengths[1:])
    for k, radius in enumerate(np.minimum(largest, 4.0 * most / bends).tolist(), start=1):
        before = corners.points[k] - radius * directions[k - 1]
        behind = corners.points[k] + radius * directions[k]
        if deadline.over:
            break
        if radius >= SMALLEST_RADIUS and free(before, behind):
            radii[k] = radius
    return radii
