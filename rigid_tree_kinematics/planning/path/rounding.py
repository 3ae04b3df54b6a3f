"""The corners of a path, and which of them can be rounded without collision."""

from __future__ import annotations

import itertools
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from rigid_tree_kinematics.arrays import Array
from rigid_tree_kinematics.deadline import Deadline
from rigid_tree_kinematics.model.joints import QUATERNION, QUATERNION_REST
from rigid_tree_kinematics.planning.path.rounding_kernels import round_corners
from rigid_tree_kinematics.planning.problem import Space
from rigid_tree_kinematics.planning.search import Motions

SHORTEST_WAY = 1e-12  # rad (m); a shorter motion is none
STRAIGHT = 1e-9  # difference of unit vectors of motions that make one straight motion
DEVIATION = 3e-5  # rad or m, by which a rounding that is not checked itself leaves its chord
SMALLEST_RADIUS = 1e-5  # rad or m
LARGEST_PART = 0.45  # of the shorter motion beside a corner
SLICE = 400  # chords checked between two checks of the deadline


@dataclass(frozen=True, eq=False)
class Corners:
    """A path's (k, nq) corners, joined by (k - 1, nq) straight motions.

    ``turning``: a quaternion changes along the path.
    """

    points: Array
    ways: Array
    turning: bool

    @classmethod
    def of_path(cls, space: Space, path: Array) -> Corners:
        """Return the corners of a path (m, nq), its ends included."""
        rotations = (space.kinds == QUATERNION) | (space.kinds == QUATERNION_REST)
        turning = bool((path[:, rotations] != path[0, rotations]).any())
        if turning:
            pairs = itertools.pairwise(path)
            ways = np.array([space.difference(a, b) for a, b in pairs])
        else:
            ways = np.diff(path, axis=0)
        lengths = np.linalg.norm(ways, axis=1)
        real = np.flatnonzero(lengths > SHORTEST_WAY)
        if not len(real):
            return cls(path[:1], ways[:0], turning)
        ways = ways[real]
        directions = ways / lengths[real, np.newaxis]
        bends = np.linalg.norm(np.diff(directions, axis=0), axis=1)
        first = np.append(0, 1 + np.flatnonzero(bends > STRAIGHT))
        points = np.vstack((path[real[first]], path[-1:]))
        return cls(points, np.add.reduceat(ways, first, axis=0), turning)


def corner_radii(motions: Motions, corners: Corners, deadline: Deadline) -> Array:
    """Return how far before and behind each corner (k,) its rounding reaches, rad and m.

    0 means a stop: at the ends, where no rounding is certainly free and satisfies the constraints,
    and at the corners that are left when the deadline is over.
    """
    radii = np.zeros(len(corners.points))
    if not motions.has_conservative or corners.turning:
        return radii
    vectors = np.empty((4, corners.points.shape[1]))
    k = 1
    while k < len(radii) - 1 and not deadline.over:
        k = round_corners(motions.checks, corners.points, corners.ways, radii, k, SLICE, vectors)
    return radii


def gentle_radii(
    corners: Corners, free: Callable[[Array, Array], bool], deadline: Deadline
) -> Array:
    """Return radii (k,) of roundings so near to their chords that checking the chords is enough.

    ``free`` checks a straight motion between two configurations. This is for paths of close
    points, where the motion would otherwise stop at every corner that the conservative level is in
    doubt about. Corners that are left when the deadline is over have 0.
    """
    radii = np.zeros(len(corners.points))
    if corners.turning:
        return radii
    lengths = np.linalg.norm(corners.ways, axis=1)
    directions = corners.ways / lengths[:, np.newaxis]
    bends = np.linalg.norm(np.diff(directions, axis=0), axis=1)
    largest = LARGEST_PART * np.minimum(lengths[:-1], lengths[1:])
    for k, radius in enumerate(np.minimum(largest, 4.0 * DEVIATION / bends).tolist(), start=1):
        before = corners.points[k] - radius * directions[k - 1]
        behind = corners.points[k] + radius * directions[k]
        if deadline.over:
            break
        if radius >= SMALLEST_RADIUS and free(before, behind):
            radii[k] = radius
    return radii
