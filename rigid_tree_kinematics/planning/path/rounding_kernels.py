"""The kernel that finds how far the corners of a path can be rounded by parabolas."""

from __future__ import annotations

import math
from typing import Any

from numba import types

from rigid_tree_kinematics.collision.conservative.kernels import FREE, motion_verdict
from rigid_tree_kinematics.collision.world.arrays import MODEL, WORK
from rigid_tree_kinematics.ik.constraints.arrays import CONSTRAINT_WORK, CONSTRAINTS, MOTION
from rigid_tree_kinematics.ik.constraints.kernels import satisfied
from rigid_tree_kinematics.kernels import MATRIX, READ_2D, VECTOR, inlined, kernel
from rigid_tree_kinematics.kinematics.topology import KINDS

LARGEST_PART = 0.45  # of a straight way, that the rounding at one of its ends may take
LARGEST_RADIUS = 0.5  # rad (m): how far before a corner its rounding begins
SMALLEST_RADIUS = 0.01
SMALLEST_PART = 0.1  # of the shorter way: where that is less, it is radius enough
LOOK = 0.01  # rad (m): how far apart the places are at which constraints are looked at
ALLOWED_DEVIATION = 5e-5  # m, between the parabola and the chords that are checked for it
MOST_CHORDS = 200


@inlined
def _movement(reach: Any, bend: Any) -> float:
    """Return how far (m) a difference of positions moves any point at most."""
    most = 0.0
    for row in range(reach.shape[0]):
        total = 0.0
        for j in range(bend.shape[0]):
            total += reach[row, j] * abs(bend[j])
        most = max(most, total)
    return most


@inlined
def _write_round(
    corners: Any, ways: Any, k: int, lengths: Any, radius: float, t: float, out: Any
) -> None:
    """Write the place at a share ``t`` of the parabola at corner ``k``."""
    before, after = radius / lengths[0], radius / lengths[1]
    for j in range(out.shape[0]):
        out[j] = corners[k, j] + t * t * after * ways[k, j]
        out[j] -= (1.0 - t) ** 2 * before * ways[k - 1, j]


@kernel(
    types.int64(
        KINDS,
        READ_2D,
        READ_2D,
        VECTOR,
        types.int64,
        types.int64,
        MATRIX,
        CONSTRAINTS,
        CONSTRAINT_WORK,
        MODEL,
        WORK,
    ),
)
def round_corners(
    kinds: Any,
    corners: Any,
    ways: Any,
    radii: Any,
    first: int,
    chords: int,
    vectors: Any,
    held: Any,
    constraint_work: Any,
    model: Any,
    work: Any,
) -> int:
    """Write the radii of the corners from ``first`` on; return the corner that is next.

    ``corners`` (k, nq) are joined by ``ways`` (k - 1, nq). A radius (rad, m) says how far before
    and behind its corner the parabola reaches; 0 where none is free. A parabola is free if its
    chords are, and nothing moves noticeably farther than they do; and it has to keep the
    constraints ``held``. The call ends with the corner at which ``chords`` have been looked at.
    ``vectors`` (4, nq) is work space.
    """
    bend, at, to, along = vectors[0], vectors[1], vectors[2], vectors[3]
    looked = 0
    k = first
    while k < corners.shape[0] - 1 and looked < chords:
        squared_before, squared_after = 0.0, 0.0
        for j in range(kinds.shape[0]):
            squared_before += ways[k - 1, j] ** 2
            squared_after += ways[k, j] ** 2
        before, after = math.sqrt(squared_before), math.sqrt(squared_after)
        for j in range(kinds.shape[0]):
            bend[j] = ways[k, j] / after - ways[k - 1, j] / before
        moved = max(_movement(model.reach, bend), _movement(model.pair_reach, bend))
        lengths = (before, after)
        shorter = min(before, after)
        radius = min(LARGEST_RADIUS, LARGEST_PART * shorter)
        smallest = min(SMALLEST_RADIUS, SMALLEST_PART * shorter)
        radii[k] = 0.0
        while radius >= smallest:
            # A parabola leaves the chord of a fraction h of it by at most h^2 / 8 times its
            # second derivative, which is twice this difference.
            count = max(2, math.ceil(math.sqrt(radius * moved / (4.0 * ALLOWED_DEVIATION))))
            free = count <= MOST_CHORDS
            if held.items.shape[0] > 0:
                # A parabola is no longer than the two ways that it replaces.
                places = 2 * math.ceil(radius / LOOK)
                for c in range(1, places):
                    if not free:
                        break
                    _write_round(corners, ways, k, lengths, radius, c / places, at)
                    free = satisfied(held, MOTION, at, constraint_work)
            _write_round(corners, ways, k, lengths, radius, 0.0, to)
            for c in range(1, count + 1):
                if not free:
                    break
                at[:] = to
                _write_round(corners, ways, k, lengths, radius, c / count, to)
                for j in range(kinds.shape[0]):
                    along[j] = to[j] - at[j]
                looked += 1
                free = motion_verdict(model, kinds, at, along, work) == FREE
            if free:
                radii[k] = radius
                break
            radius *= 0.5
        k += 1
    return k
