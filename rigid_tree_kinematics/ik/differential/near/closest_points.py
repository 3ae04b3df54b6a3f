"""The closest points of two convex hulls.

Gilbert, Johnson and Keerthi, "A fast procedure for computing the distance between complex objects
in three-dimensional space", IEEE J. Robotics and Automation 4(2), 1988, as in
``collision/shapes/hull_distance.py``, which bounds the distance without the points.
"""

import math

from rigid_tree_kinematics.arrays import Array
from rigid_tree_kinematics.collision.shapes.hull_distance import combined, nearest_on_triangle
from rigid_tree_kinematics.kernels import MATRIX, VECTOR, inlined, kernel, types
from rigid_tree_kinematics.kinematics.motion import Transform, Vector, unrotate
from rigid_tree_kinematics.kinematics.vectors import cross, dot, minus, transformed, vector

MOST_STEPS = 32
ENOUGH = 1e-7  # relative
TRANSFORM = types.UniTuple(types.float64, 12)
A, B, WEIGHT = 3, 6, 9  # columns of a simplex: the difference, both corners, its share
SIMPLEX_COLUMNS = 10


@inlined
def _farthest(corners: Array, direction: Vector) -> Vector:
    """Return the corner farthest along a direction."""
    farthest, at = -math.inf, 0
    for k in range(corners.shape[0]):
        along = dot(vector(corners, k, 0), direction)
        if along > farthest:
            farthest, at = along, k
    return vector(corners, at, 0)


@inlined
def _weigh_face(simplex: Array, i: int, j: int, k: int) -> tuple[Vector, float, float]:
    """Return the point of a face nearest to the origin, and the shares of corners j and k."""
    a = vector(simplex, i, 0)
    u, v = minus(vector(simplex, j, 0), a), minus(vector(simplex, k, 0), a)
    s, t = nearest_on_triangle(a, u, v)
    return combined(a, s, u, t, v), s, t


@inlined
def _faces_origin(simplex: Array, i: int, j: int, k: int, other: int) -> bool:
    """Return whether a face is between the origin and the other corner, or nearly."""
    a = vector(simplex, i, 0)
    normal = cross(minus(vector(simplex, j, 0), a), minus(vector(simplex, k, 0), a))
    return dot(normal, minus(vector(simplex, other, 0), a)) * -dot(normal, a) <= 0.0


@inlined
def _weigh(simplex: Array, count: int) -> bool:
    """Write the corners' shares in the point nearest to the origin; False if that is inside."""
    for c in range(count):
        simplex[c, WEIGHT] = 0.0
    if count == 1:
        simplex[0, WEIGHT] = 1.0
    elif count == 2:
        start = vector(simplex, 0, 0)
        along = minus(vector(simplex, 1, 0), start)
        s = min(1.0, max(0.0, -dot(start, along) / max(dot(along, along), 1e-300)))
        simplex[0, WEIGHT], simplex[1, WEIGHT] = 1.0 - s, s
    elif count == 3:
        _, s, t = _weigh_face(simplex, 0, 1, 2)
        simplex[0, WEIGHT], simplex[1, WEIGHT], simplex[2, WEIGHT] = 1.0 - s - t, s, t
    else:
        least = math.inf
        for other in range(4):
            i, j, k = int(other == 0), 2 if other <= 1 else 1, 3 if other <= 2 else 2
            if not _faces_origin(simplex, i, j, k, other):
                continue
            found, s, t = _weigh_face(simplex, i, j, k)
            if dot(found, found) < least:
                least = dot(found, found)
                simplex[i, WEIGHT], simplex[j, WEIGHT], simplex[k, WEIGHT] = 1.0 - s - t, s, t
                simplex[other, WEIGHT] = 0.0
        return least < math.inf
    return True


@inlined
def _compact(simplex: Array, count: int) -> int:
    """Keep the corners with a share; return their number."""
    kept = 0
    for c in range(count):
        if simplex[c, WEIGHT] > 0.0:
            for column in range(SIMPLEX_COLUMNS):
                simplex[kept, column] = simplex[c, column]
            kept += 1
    return kept


@inlined
def _mean(simplex: Array, count: int, first: int) -> Vector:
    x = y = z = 0.0
    for c in range(count):
        share = simplex[c, WEIGHT]
        x += share * simplex[c, first]
        y += share * simplex[c, first + 1]
        z += share * simplex[c, first + 2]
    return x, y, z


@kernel(types.float64(MATRIX, MATRIX, TRANSFORM, types.float64, MATRIX, VECTOR, MATRIX))
def closest_points(
    one: Array,
    two: Array,
    T_one_two: Transform,
    enough: float,
    simplex: Array,
    axis: Array,
    points: Array,
) -> float:
    """Return the distance of two hulls (m); 0 if they touch.

    Args:
        one, two: corners (n, 3) of the hulls, each in its own frame, m.
        T_one_two: the second hull's frame in the first one's.
        enough: m; if the distance is more, the result is only a lower bound above it.
        simplex: (4, SIMPLEX_COLUMNS) work space.
        axis: (3,) in the first hull's frame: the direction to try first, from the second hull to
            the first. It becomes the direction of the distance.
        points: (2, 3) becomes the closest points of both, in the first hull's frame.
    """
    v = (axis[0], axis[1], axis[2])
    count = 0
    for _ in range(MOST_STEPS):
        squared = dot(v, v)
        if squared < 1e-18:
            return 0.0
        a = _farthest(one, (-v[0], -v[1], -v[2]))
        b = transformed(T_one_two, _farthest(two, unrotate(T_one_two, v[0], v[1], v[2])))
        corner = minus(a, b)
        gap = dot(corner, v)
        if gap > 0.0 and gap * gap > enough * enough * squared:
            axis[0], axis[1], axis[2] = v
            return gap / math.sqrt(squared)
        if count > 0 and squared - gap <= ENOUGH * squared:
            break
        for c in range(3):
            simplex[count, c], simplex[count, A + c], simplex[count, B + c] = corner[c], a[c], b[c]
        if not _weigh(simplex, count + 1):
            return 0.0
        count = _compact(simplex, count + 1)
        nearest = _mean(simplex, count, 0)
        if count == 4 or (count > 1 and dot(nearest, nearest) >= squared and squared > 0.0):
            v = nearest
            break
        v = nearest
    a, b = _mean(simplex, count, A), _mean(simplex, count, B)
    for c in range(3):
        axis[c], points[0, c], points[1, c] = v[c], a[c], b[c]
    return math.sqrt(dot(v, v))
