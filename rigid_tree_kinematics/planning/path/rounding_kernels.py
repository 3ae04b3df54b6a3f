"""The kernel that finds collision-free roundings of a path's corners by parabolas."""

import math
from typing import Any

from rigid_tree_kinematics.arrays import Array
from rigid_tree_kinematics.collision.conservative.kernels import FREE, motion_verdict
from rigid_tree_kinematics.ik.constraints.arrays import MOTION
from rigid_tree_kinematics.ik.constraints.kernels import satisfied
from rigid_tree_kinematics.kernels import MATRIX, READ_2D, VECTOR, inlined, kernel, types
from rigid_tree_kinematics.kinematics.topology import copy_numbers
from rigid_tree_kinematics.planning.path.corner_kernels import norm
from rigid_tree_kinematics.planning.search.motion_kernels import CHECK_STEP, CHECKS, MotionChecks

# Of a straight motion: the maximum for the rounding at one of its ends. The shorter the straight
# piece between two roundings, the less an acceleration changes there.
LARGEST_PART = 0.499
LARGEST_RADIUS = 0.5  # rad (m)
SMALLEST_RADIUS = 0.01
SMALLEST_PART = 0.1  # of the shorter motion; the smallest radius if that is less
ALLOWED_DEVIATION = 5e-5  # m, between the parabola and the chords checked in its place
MOST_CHORDS = 200


@inlined
def _movement(reach: Array, bend: Array) -> float:
    """Return the maximum displacement (m) of any point for a difference of positions."""
    most = 0.0
    for row in range(reach.shape[0]):
        total = 0.0
        for j in range(bend.shape[0]):
            total += reach[row, j] * abs(bend[j])
        most = max(most, total)
    return most


@inlined
def _write_place(
    corners: Array, segments: Array, k: int, parts: Any, t: float, out: Array
) -> None:
    """Write the configuration at a fraction ``t`` of the parabola at corner ``k``.

    ``parts`` are its shares of the motions before and behind the corner.
    """
    before, after = parts
    for j in range(out.shape[0]):
        out[j] = corners[k, j] + t * t * after * segments[k, j]
        out[j] -= (1.0 - t) ** 2 * before * segments[k - 1, j]


@inlined
def _satisfies(
    checks: MotionChecks,
    corners: Array,
    segments: Array,
    k: int,
    parts: Any,
    places: int,
    at: Array,
) -> bool:
    """Return whether a parabola satisfies the constraints at ``places`` points."""
    for c in range(1, places):
        _write_place(corners, segments, k, parts, c / places, at)
        if not satisfied(checks.constraints, MOTION, at, checks.constraint_work):
            return False
    return True


@inlined
def _free_chords(
    checks: MotionChecks,
    corners: Array,
    segments: Array,
    k: int,
    parts: Any,
    count: int,
    vectors: Array,
) -> int:
    """Return how many of a parabola's ``count`` chords are free before the first blocked one."""
    at, to, along = vectors[1], vectors[2], vectors[3]
    _write_place(corners, segments, k, parts, 0.0, to)
    for c in range(1, count + 1):
        copy_numbers(to, at)
        _write_place(corners, segments, k, parts, c / count, to)
        for j in range(to.shape[0]):
            along[j] = to[j] - at[j]
        if motion_verdict(checks.model, checks.kinds, at, along, checks.work) != FREE:
            return c - 1
    return count


@kernel(
    types.int64(CHECKS, READ_2D, READ_2D, types.float64, VECTOR, types.int64, types.int64, MATRIX)
)
def round_corners(
    checks: MotionChecks,
    corners: Array,
    segments: Array,
    deviation: float,
    radii: Array,
    first: int,
    chords: int,
    vectors: Array,
) -> int:
    """Write the radii of the corners from ``first`` on; return the next corner.

    ``corners`` (k, nq) are joined by ``segments`` (k - 1, nq). A radius (rad, m) is the parabola's
    extent before and after its corner; 0 if no parabola is free and satisfies the constraints. It
    passes the corner at a distance of at most ``deviation``. A parabola is free if its chords are,
    and deviates from them by at most ALLOWED_DEVIATION. The call ends with the corner at which
    ``chords`` have been checked. ``vectors`` (4, nq) is work space.
    """
    bend = vectors[0]
    constrained = checks.constraints.items.shape[0] > 0
    checked = 0
    k = first
    while k < corners.shape[0] - 1 and checked < chords:
        before, after = norm(segments[k - 1]), norm(segments[k])
        for j in range(bend.shape[0]):
            bend[j] = segments[k, j] / after - segments[k - 1, j] / before
        moved = max(_movement(checks.model.reach, bend), _movement(checks.model.pair_reach, bend))
        shorter = min(before, after)
        # A parabola's middle is a quarter of the difference of its ends' offsets from the corner.
        radius = min(LARGEST_RADIUS, LARGEST_PART * shorter, 4.0 * deviation / norm(bend))
        smallest = min(SMALLEST_RADIUS, SMALLEST_PART * shorter, radius)
        radii[k] = 0.0
        while radius >= smallest and radius > 0.0:
            parts = (radius / before, radius / after)
            # A parabola leaves the chord of a fraction h of it by at most h^2 / 8 times its
            # second derivative, which is twice this difference.
            count = max(2, math.ceil(math.sqrt(radius * moved / (4.0 * ALLOWED_DEVIATION))))
            # A parabola is no longer than the two segments that it replaces.
            places = 2 * math.ceil(radius / CHECK_STEP) if constrained else 0
            if count <= MOST_CHORDS and _satisfies(
                checks, corners, segments, k, parts, places, vectors[1]
            ):
                free = _free_chords(checks, corners, segments, k, parts, count, vectors)
                checked += min(free + 1, count)
                if free == count:
                    radii[k] = radius
                    break
            radius *= 0.5
        k += 1
    return k
