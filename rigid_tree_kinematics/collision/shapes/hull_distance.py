"""A lower bound of the distance between two convex hulls.

Gilbert, Johnson and Keerthi, "A fast procedure for computing the distance between complex objects
in three-dimensional space", IEEE J. Robotics and Automation 4(2), 1988. The result is always the
gap between two parallel planes with the hulls on either side, so that rounding, or stopping before
convergence, can only make it smaller.
"""

import math

import numpy as np

from rigid_tree_kinematics.arrays import Array
from rigid_tree_kinematics.kernels import BATCH, MATRIX, VECTOR, inlined, kernel, types
from rigid_tree_kinematics.kinematics.motion import Transform, Vector, unrotate
from rigid_tree_kinematics.kinematics.vectors import cross, dot, minus, transformed, vector

MOST_STEPS = 24
ENOUGH = 1e-4  # relative; a gap this close to the distance is good enough
INSIDE = -1  # in place of the number of corners: the simplex contains the origin
Face = tuple[int, int, int]
TRANSFORM = types.UniTuple(types.float64, 12)


@inlined
def nearest_on_triangle(a: Vector, u: Vector, v: Vector) -> tuple[float, float]:
    """Return s, t of the point a + s u + t v of a triangle nearest to the origin.

    Ericson, "Real-Time Collision Detection", 2005, section 5.1.5.
    """
    d1, d2 = -dot(u, a), -dot(v, a)
    uu, vv, uv = dot(u, u), dot(v, v), dot(u, v)
    d3, d4 = d1 - uu, d2 - uv
    d5, d6 = d1 - uv, d2 - vv
    va, vb, vc = d3 * d6 - d5 * d4, d5 * d2 - d1 * d6, d1 * d4 - d3 * d2
    if d1 <= 0.0 and d2 <= 0.0:
        return 0.0, 0.0
    if d3 >= 0.0 and d4 <= d3:
        return 1.0, 0.0
    if d6 >= 0.0 and d5 <= d6:
        return 0.0, 1.0
    if vc <= 0.0 and d1 >= 0.0 and d3 <= 0.0:
        return d1 / (d1 - d3), 0.0
    if vb <= 0.0 and d2 >= 0.0 and d6 <= 0.0:
        return 0.0, d2 / (d2 - d6)
    if va <= 0.0 and d4 - d3 >= 0.0 and d5 - d6 >= 0.0:
        t = (d4 - d3) / ((d4 - d3) + (d5 - d6))
        return 1.0 - t, t
    total = va + vb + vc
    return vb / total, vc / total


@inlined
def combined(a: Vector, s: float, u: Vector, t: float, v: Vector) -> Vector:
    """Return a + s u + t v."""
    return a[0] + s * u[0] + t * v[0], a[1] + s * u[1] + t * v[1], a[2] + s * u[2] + t * v[2]


@inlined
def _support(corners: Array, direction: Vector) -> tuple[Vector, float]:
    """Return the corner farthest along a direction, and its dot product with that."""
    farthest, at = -math.inf, 0
    for k in range(corners.shape[0]):
        along = dot(vector(corners, k, 0), direction)
        if along > farthest:
            farthest, at = along, k
    return vector(corners, at, 0), farthest


@inlined
def _keep(simplex: Array, to: int, corner: int) -> None:
    """Copy a corner of the simplex to an earlier row."""
    for c in range(3):
        simplex[to, c] = simplex[corner, c]


@inlined
def _nearest_on_segment(simplex: Array) -> tuple[Vector, int]:
    """Return the point nearest to the origin; keep its corners and their number."""
    start = vector(simplex, 0, 0)
    along = minus(vector(simplex, 1, 0), start)
    squared = dot(along, along)
    s = min(1.0, max(0.0, -dot(start, along) / squared)) if squared > 0.0 else 0.0
    count = 2
    if s >= 1.0:
        _keep(simplex, 0, 1)
    if s <= 0.0 or s >= 1.0:
        count = 1
    return combined(start, s, along, 0.0, along), count


@inlined
def _nearest_on_face(simplex: Array, face: Face) -> tuple[Vector, float, float]:
    """Return the point of a face nearest to the origin, and its coordinates s, t."""
    a = vector(simplex, face[0], 0)
    u = minus(vector(simplex, face[1], 0), a)
    v = minus(vector(simplex, face[2], 0), a)
    s, t = nearest_on_triangle(a, u, v)
    return combined(a, s, u, t, v), s, t


@inlined
def _separates(simplex: Array, face: Face, other: int) -> bool:
    """Return whether a face's plane does not have the origin on the side of the other corner."""
    a = vector(simplex, face[0], 0)
    u = minus(vector(simplex, face[1], 0), a)
    v = minus(vector(simplex, face[2], 0), a)
    normal = cross(u, v)
    return dot(normal, minus(vector(simplex, other, 0), a)) * -dot(normal, a) <= 0.0


@inlined
def _nearest_on_simplex(simplex: Array, count: int) -> tuple[Vector, int]:
    """Return the point of 3 or 4 corners nearest to the origin; keep its corners.

    Also returns their number, or INSIDE.
    """
    best = (0, 1, 2)
    point, s, t = (0.0, 0.0, 0.0), 0.0, 0.0
    if count == 3:
        point, s, t = _nearest_on_face(simplex, best)
    else:
        least = math.inf
        for other in range(4):
            face = (int(other == 0), 2 if other <= 1 else 1, 3 if other <= 2 else 2)
            if _separates(simplex, face, other):
                found, fs, ft = _nearest_on_face(simplex, face)
                if dot(found, found) < least:
                    least = dot(found, found)
                    point, s, t, best = found, fs, ft, face
        if least == math.inf:
            return point, INSIDE
    kept = 0
    if s + t < 1.0:
        _keep(simplex, kept, best[0])
        kept += 1
    if s > 0.0:
        _keep(simplex, kept, best[1])
        kept += 1
    if t > 0.0:
        _keep(simplex, kept, best[2])
        kept += 1
    return point, kept


@kernel(types.float64(MATRIX, MATRIX, TRANSFORM, types.float64, MATRIX, VECTOR))
def hull_gap(
    one: Array, two: Array, T_one_two: Transform, enough: float, simplex: Array, axis: Array
) -> float:
    """Return a lower bound of the distance of two hulls (m), 0 or less if they may touch.

    Args:
        one, two: corners (n, 3) of the hulls, each in its own frame, m.
        T_one_two: the second hull's frame in the first one's.
        enough: a distance (m); the search stops when the gap is known to be that wide.
        simplex: (4, 3) workspace.
        axis: (3,), in the first hull's frame: the direction to try first. It becomes the direction
            of the widest gap, which often answers the next query immediately.
    """
    v = (axis[0], axis[1], axis[2])
    best = -math.inf
    count = 0
    for step in range(MOST_STEPS):
        squared = dot(v, v)
        if squared < 1e-18:
            return min(best, 0.0)
        a, above = _support(one, (-v[0], -v[1], -v[2]))
        b, below = _support(two, unrotate(T_one_two, v[0], v[1], v[2]))
        gap = -above - below - dot((T_one_two[3], T_one_two[7], T_one_two[11]), v)
        norm = math.sqrt(squared)
        if gap > best * norm:
            best = gap / norm
            axis[0], axis[1], axis[2] = v[0] / norm, v[1] / norm, v[2] / norm
        if best >= enough or (step > 0 and squared - gap <= ENOUGH * squared):
            return best
        corner = minus(a, transformed(T_one_two, b))
        simplex[count, 0], simplex[count, 1], simplex[count, 2] = corner
        count += 1
        if count == 1:
            v = corner
        elif count == 2:
            v, count = _nearest_on_segment(simplex)
        else:
            v, count = _nearest_on_simplex(simplex, count)
            if count == INSIDE:
                return min(best, 0.0)
    return best


@kernel(types.void(MATRIX, BATCH, MATRIX, VECTOR))
def _write_distances(points: Array, triangles: Array, planes: Array, distances: Array) -> None:
    for p in range(points.shape[0]):
        least = math.inf
        point = vector(points, p, 0)
        for k in range(triangles.shape[0]):
            # The nearest point is on a face that is seen from outside.
            if dot(vector(planes, k, 0), point) + planes[k, 3] <= 0.0:
                continue
            first = vector(triangles[k], 0, 0)
            u = minus(vector(triangles[k], 1, 0), first)
            v = minus(vector(triangles[k], 2, 0), first)
            a = minus(first, point)
            s, t = nearest_on_triangle(a, u, v)
            nearest = combined(a, s, u, t, v)
            least = min(least, dot(nearest, nearest))
        distances[p] = math.sqrt(least) if least < math.inf else 0.0


def distances_from_hull(points: Array, triangles: Array, planes: Array) -> Array:
    """Return each point's (n, 3) distance from a convex hull, as (n,); 0 inside.

    ``triangles`` (m, 3, 3) are its faces, ``planes`` (m, 4) their outward normals and offsets.
    """
    distances = np.empty(len(points))
    _write_distances(points, triangles, planes, distances)
    return distances
