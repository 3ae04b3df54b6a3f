"""Convex hulls that together contain a shape's surface, for bodies near each other.

A mesh is cut by planes normal to the axes of its frame, each time where the hulls lose the most
volume, until another cut saves too little. Every small triangle is contained in one hull.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from rigid_tree_kinematics.arrays import Array, Integers, Mask
from rigid_tree_kinematics.collision.shapes.enclosing import DIRECTIONS
from rigid_tree_kinematics.collision.shapes.hull_distance import distances_from_hull
from rigid_tree_kinematics.collision.shapes.obstacle_shapes import (
    PointCloud,
    Prism,
    Shape,
    circle,
    convex_pieces,
    triangulation,
)
from rigid_tree_kinematics.collision.shapes.spheres import (
    box_corners,
    middles,
    small_triangles,
    spread,
)
from rigid_tree_kinematics.model import Box, Cylinder, Sphere

if TYPE_CHECKING:
    from scipy.spatial import ConvexHull

HULLS_VERSION = 7  # increment when the hulls of a shape change: they are cached on disk

MOST_HULLS = 8
# Minimum saving of a cut: a share of the first hull's volume, or (2.2 cm)^3, as small volumes
# matter near a link's joints.
WORTH_A_CUT, WORTH_ANYWAY = 0.03, 1e-5  # m^3
CUTS = (0.12, 0.25, 0.5, 0.75, 0.88)  # of the extent along an axis
COMPARED_CUTS, GLANCED_AT = 4, 80
COMPARED = 300  # corners of the hull and of the triangles, used to compare volumes
TRIANGLES_ALONG = 24  # small ones along the longest side
# Hulls with many corners are slower: the least important corners are replaced by a radius.
FEW_CORNERS, MOST_CORNERS, ADDED_AT_ONCE = 40, 120, 6
CORNER_TOLERANCE = 0.0005  # m
CYLINDER_SIDES = 24


@dataclass(frozen=True, eq=False)
class Hull:
    """The convex hull of corners (k, 3), and everything within ``radius`` (m) of it."""

    corners: Array
    radius: float = 0.0


def convex_hull(points: Array) -> ConvexHull | None:
    """Return the convex hull of points (n, 3); None if they are in a plane."""
    from scipy.spatial import ConvexHull, QhullError

    try:
        return ConvexHull(points)
    except (QhullError, ValueError):
        return None


def hulls_of(shape: Shape) -> list[Hull]:
    """Return hulls that contain a shape's surface; none for a cloud."""
    if isinstance(shape, PointCloud):
        return []
    if isinstance(shape, Sphere):
        return [Hull(np.zeros((1, 3)), shape.radius)]
    if isinstance(shape, Box):
        return [Hull(box_corners(*(0.5 * np.outer((-1.0, 1.0), shape.size))))]
    if isinstance(shape, Cylinder):
        half = 0.5 * shape.length
        return [_extruded(shape.radius * circle(CYLINDER_SIDES), -half, half)]
    if isinstance(shape, Prism):
        return [_extruded(part, shape.lower, shape.upper) for part in convex_pieces(shape)]
    vertices, faces = triangulation(shape)
    return [_with_fewer_corners(corners) for corners in _cut(vertices, faces)]


def _extruded(corners: Array, lower: float, upper: float) -> Hull:
    ends = [np.column_stack([corners, np.full(len(corners), z)]) for z in (lower, upper)]
    return Hull(np.vstack(ends))


def _with_fewer_corners(corners: Array) -> Hull:
    """Return a hull with fewer corners and a radius that compensates for the removed ones."""
    if len(corners) <= FEW_CORNERS:
        return Hull(corners)
    chosen = set((corners @ DIRECTIONS.T).argmax(axis=0).tolist())
    # Upper bounds of the corners' distances from the hull of the chosen ones, which only grows.
    gaps = np.full(len(corners), math.inf)
    while gaps.max() > CORNER_TOLERANCE and len(chosen) < MOST_CORNERS:
        few = corners[sorted(chosen)]
        hull = convex_hull(few)
        if hull is None:
            return Hull(corners)
        far = gaps > 0.5 * CORNER_TOLERANCE
        gaps[far] = distances_from_hull(corners[far], few[hull.simplices], hull.equations)
        chosen.update(np.argsort(gaps)[-ADDED_AT_ONCE:].tolist())
    radius = 1.001 * float(gaps.max())
    return Hull(few, radius) if len(few) < len(corners) else Hull(corners)


@dataclass(frozen=True, eq=False)
class _Piece:
    """A subset of a mesh's triangles (n, 3), and its convex hull."""

    faces: Integers
    hull: Array  # its corners (k, 3)
    volume: float


def _cut(vertices: Array, faces: Integers) -> list[Array]:
    """Return the corners of the hulls of a mesh's pieces."""
    size = float(np.ptp(vertices, axis=0).max())
    whole = _piece(vertices, faces)
    vertices, faces = small_triangles(vertices, faces, size / TRIANGLES_ALONG)
    pieces = [_Piece(faces, whole.hull, whole.volume)]
    least = min(WORTH_A_CUT * pieces[0].volume, WORTH_ANYWAY)
    cuts = [_best_cut(vertices, pieces[0])]
    while True:
        number = int(np.argmax([gain for gain, _ in cuts]))
        gain, mask = cuts[number]
        if mask is None or gain < least:
            break
        piece = pieces[number]
        halves = [_piece(vertices, piece.faces[side]) for side in (mask, ~mask)]
        if piece.volume - sum(half.volume for half in halves) < least:
            cuts[number] = 0.0, None  # the gain was estimated
            continue
        pieces[number : number + 1] = halves
        if len(pieces) == MOST_HULLS:
            break
        cuts[number : number + 1] = [_best_cut(vertices, half) for half in halves]
    return [piece.hull for piece in pieces]


def _best_cut(vertices: Array, piece: _Piece) -> tuple[float, Mask | None]:
    """Return the volume saved by the best cut, and the triangles on its first side.

    The volumes are estimated from some points: corners of the piece's hull and of triangles.
    """
    centers = middles(vertices[piece.faces])
    low, high = centers.min(axis=0), centers.max(axis=0)
    points = np.vstack(
        [spread(piece.hull, COMPARED), vertices[spread(piece.faces[:, 0], COMPARED)]]
    )
    cuts = [(axis, low[axis] + c * (high[axis] - low[axis])) for axis in range(3) for c in CUTS]
    # A few points suffice to rule out most cuts.
    cuts.sort(key=lambda cut: _volume_of_sides(spread(points, GLANCED_AT), *cut))
    volume, (axis, limit) = min(
        (_volume_of_sides(points, *cut), cut) for cut in cuts[:COMPARED_CUTS]
    )
    mask = centers[:, axis] < limit
    if volume >= piece.volume or mask.all() or not mask.any():
        return 0.0, None
    return piece.volume - volume, mask


def _volume_of_sides(points: Array, axis: int, limit: float) -> float:
    """Return the volume of the hulls of the points (n, 3) below and above a limit."""
    below = points[:, axis] < limit
    if not (3 < below.sum() < len(below) - 3):
        return math.inf
    return _hull(points[below])[1] + _hull(points[~below])[1]


def _piece(vertices: Array, faces: Integers) -> _Piece:
    used = np.zeros(len(vertices), dtype=np.bool_)
    used[faces] = True
    return _Piece(faces, *_hull(vertices[used]))


def _hull(points: Array) -> tuple[Array, float]:
    """Return the corners and volume of the convex hull; a box instead of a flat hull."""
    hull = convex_hull(points)
    if hull is None:
        low, high = points.min(axis=0), points.max(axis=0)
        return box_corners(low, high), float(np.prod(high - low))
    return points[hull.vertices], float(hull.volume)
