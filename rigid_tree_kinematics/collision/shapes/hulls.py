"""Few convex hulls that together contain a shape's surface, for bodies that come near each other.

A mesh is cut by planes along the axes of its frame, each time where the hulls lose most volume,
until another hull gains too little. Every small triangle belongs to one hull, which contains it.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from itertools import product
from typing import TYPE_CHECKING

import numpy as np

from rigid_tree_kinematics.arrays import Array, Integers, Mask
from rigid_tree_kinematics.collision.shapes.hull_distance import distances_from_triangles
from rigid_tree_kinematics.collision.shapes.obstacle_shapes import (
    PointCloud,
    Prism,
    Shape,
    circle,
    convex_pieces,
    triangulation,
)
from rigid_tree_kinematics.collision.shapes.spheres import box_corners, small_triangles
from rigid_tree_kinematics.model import Box, Cylinder, Sphere

if TYPE_CHECKING:
    from scipy.spatial import ConvexHull

# Changes whenever the same shape gives other hulls: those cached on disk are then recomputed.
HULLS_VERSION = 4

MOST_HULLS = 8
WORTH_A_CUT = 0.03  # of the first hull's volume
CUTS = (0.12, 0.25, 0.5, 0.75, 0.88)  # of the extent along an axis
COMPARED = 250  # triangles of which the volumes are compared
TRIANGLES_ALONG = 24  # small ones along the longest side
# A hull of more corners takes longer: those that matter least are replaced by a radius.
FEW_CORNERS, MOST_CORNERS, ADDED_AT_ONCE = 40, 120, 4
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
    """Return hulls that contain a shape's surface; none for a cloud, which needs too many."""
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
    return [_with_fewer_corners(corners) for corners in _cut(vertices[faces])]


def _extruded(corners: Array, lower: float, upper: float) -> Hull:
    ends = [np.column_stack([corners, np.full(len(corners), z)]) for z in (lower, upper)]
    return Hull(np.vstack(ends))


def _with_fewer_corners(corners: Array) -> Hull:
    """Return a hull of fewer corners whose radius makes up for those that it lacks."""
    if len(corners) <= FEW_CORNERS:
        return Hull(corners)
    directions = np.vstack([np.eye(3), -np.eye(3)])
    chosen = set((corners @ directions.T).argmax(axis=0).tolist())
    radius = math.inf
    while radius > CORNER_TOLERANCE and len(chosen) < MOST_CORNERS:
        few = corners[sorted(chosen)]
        hull = convex_hull(few)
        if hull is None:
            return Hull(corners)
        gaps = distances_from_triangles(corners, few[hull.simplices])
        # Corners that are chosen have a distance of 0, those inside of the hull do no harm.
        radius = float(gaps.max())
        chosen.update(np.argsort(gaps)[-ADDED_AT_ONCE:].tolist())
    return Hull(few, 1.001 * radius) if len(few) < len(corners) else Hull(corners)


def _cut(triangles: Array) -> list[Array]:
    """Return the corners of the hulls of a mesh's triangles (n, 3, 3)."""
    size = float(np.ptp(triangles.reshape(-1, 3), axis=0).max())
    pieces = [small_triangles(triangles, size / TRIANGLES_ALONG)]
    hulls = [_hull(pieces[0])]
    whole = hulls[0][1]
    cuts = [_best_cut(pieces[0], whole)]
    while len(pieces) < MOST_HULLS:
        number = int(np.argmax([gain for gain, _ in cuts]))
        gain, mask = cuts[number]
        if mask is None or gain < WORTH_A_CUT * whole:
            break
        piece = pieces[number]
        pieces[number : number + 1] = [piece[mask], piece[~mask]]
        hulls[number : number + 1] = [_hull(part) for part in pieces[number : number + 2]]
        cuts[number : number + 1] = [
            _best_cut(pieces[k], hulls[k][1]) for k in (number, number + 1)
        ]
    return [corners for corners, _ in hulls]


def _best_cut(triangles: Array, volume: float) -> tuple[float, Mask | None]:
    """Return how much volume the best cut saves, and which triangles it puts on one side."""
    middles = triangles.mean(axis=1)
    low, high = middles.min(axis=0), middles.max(axis=0)
    some = _some(triangles)
    best, gain = None, 0.0
    for axis, share in product(range(3), CUTS):
        limit = low[axis] + share * (high[axis] - low[axis])
        mask = middles[:, axis] < limit
        few = mask[some]
        if not (0 < few.sum() < len(few)):
            continue
        saved = volume - _hull(triangles[some[few]])[1] - _hull(triangles[some[~few]])[1]
        if saved > gain:
            best, gain = mask, saved
    if best is None:
        return 0.0, None
    return volume - _hull(triangles[best])[1] - _hull(triangles[~best])[1], best


def _some(triangles: Array) -> Integers:
    """Return the triangles at the corners of the hull, and some evenly picked others."""
    evenly = np.arange(0, len(triangles), -(-len(triangles) // COMPARED))
    hull = convex_hull(triangles.reshape(-1, 3))
    return evenly if hull is None else np.union1d(evenly, hull.vertices // 3)


def _hull(triangles: Array) -> tuple[Array, float]:
    """Return the corners of the convex hull, and its volume; a flat one is a box around it."""
    points = triangles.reshape(-1, 3)
    hull = convex_hull(points)
    if hull is None:
        low, high = points.min(axis=0), points.max(axis=0)
        return box_corners(low, high), float(np.prod(high - low))
    return points[hull.vertices], float(hull.volume)
