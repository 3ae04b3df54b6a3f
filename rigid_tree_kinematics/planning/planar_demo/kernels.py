"""Kernels of the planar arm: two segments among polygon edges in the plane.

Edges are rows x1, y1, x2, y2 (m). The arm's first link turns by q1 about ``base``, the second by
q2 about the end of the first; a link is the segment between its joints.
"""

import math

from rigid_tree_kinematics.arrays import Array, Mask
from rigid_tree_kinematics.kernels import MATRIX, READ_1D, READ_2D, inlined, kernel, types
from rigid_tree_kinematics.kinematics.motion import sincos

Point = tuple[float, float]

RESOLUTION = 1e-5  # m; a motion this close to an edge is in contact with it
DEEPEST = 60  # halvings of a motion


@inlined
def _cross(a: Point, b: Point, c: Point) -> float:
    """Return twice the signed area of the triangle a, b, c."""
    return (b[0] - a[0]) * (c[1] - a[1]) - (b[1] - a[1]) * (c[0] - a[0])


@inlined
def _crosses(a: Point, b: Point, c: Point, d: Point) -> bool:
    """Return whether the non-parallel segments a-b and c-d intersect."""
    to_c, to_d = _cross(a, b, c), _cross(a, b, d)
    return to_c * to_d <= 0.0 and _cross(c, d, a) * _cross(c, d, b) <= 0.0 and to_c != to_d


@inlined
def _squared_distance(p: Point, a: Point, b: Point) -> float:
    """Return the squared distance of a point from the segment a-b."""
    ux, uy = b[0] - a[0], b[1] - a[1]
    length = ux * ux + uy * uy
    t = ((p[0] - a[0]) * ux + (p[1] - a[1]) * uy) / length if length > 0.0 else 0.0
    t = min(1.0, max(0.0, t))
    x, y = p[0] - a[0] - t * ux, p[1] - a[1] - t * uy
    return x * x + y * y


@inlined
def _edge(edges: Array, k: int) -> tuple[Point, Point]:
    return (edges[k, 0], edges[k, 1]), (edges[k, 2], edges[k, 3])


@inlined
def _segment_distance(a: Point, b: Point, edges: Array) -> float:
    """Return the distance of the segment a-b from the nearest edge, 0 if they intersect."""
    least = math.inf
    for k in range(edges.shape[0]):
        c, d = _edge(edges, k)
        if _crosses(a, b, c, d):
            return 0.0
        least = min(least, _squared_distance(c, a, b), _squared_distance(d, a, b))
        least = min(least, _squared_distance(a, c, d), _squared_distance(b, c, d))
    return math.sqrt(least)


@kernel(types.UniTuple(types.float64, 2)(READ_1D, READ_1D, READ_2D, types.float64, types.float64))
def link_clearances(
    base: Array, lengths: Array, edges: Array, q1: float, q2: float
) -> tuple[float, float]:
    """Return the distance (m) of each link from the nearest edge, 0 if they intersect."""
    s1, c1 = sincos(q1)
    s2, c2 = sincos(q1 + q2)
    start = (base[0], base[1])
    elbow = (base[0] + lengths[0] * c1, base[1] + lengths[0] * s1)
    tip = (elbow[0] + lengths[1] * c2, elbow[1] + lengths[1] * s2)
    return _segment_distance(start, elbow, edges), _segment_distance(elbow, tip, edges)


@kernel(types.boolean(READ_1D, READ_1D, READ_2D, types.float64, READ_1D, READ_1D, MATRIX))
def motion_is_free(
    base: Array,
    lengths: Array,
    edges: Array,
    margin: float,
    start: Array,
    difference: Array,
    waiting: Array,
) -> bool:
    """Return whether both links stay ``margin`` (m) away from all edges along a whole motion.

    The motion is halved until, in each part, the clearance at the middle exceeds the displacement
    of any point of a link until the part's ends: at most the angle of each rotation times the
    point's distance from the axis. ``waiting`` (DEEPEST, 2) is work space.
    """
    first_speed = abs(difference[0]) * lengths[0]
    second_speed = abs(difference[0]) * (lengths[0] + lengths[1]) + abs(difference[1]) * lengths[1]
    waiting[0, 0], waiting[0, 1] = 0.0, 1.0
    count = 1
    while count > 0:
        count -= 1
        low, half = waiting[count, 0], 0.5 * waiting[count, 1]
        at = low + half
        q1, q2 = start[0] + at * difference[0], start[1] + at * difference[1]
        one, two = link_clearances(base, lengths, edges, q1, q2)
        one, two = one - margin, two - margin
        if one <= RESOLUTION or two <= RESOLUTION:
            return False
        if one <= first_speed * half or two <= second_speed * half:
            if count + 2 > DEEPEST:
                return False
            waiting[count, 0], waiting[count, 1] = low, half
            waiting[count + 1, 0], waiting[count + 1, 1] = at, half
            count += 2
    return True


BLOCKED = types.boolean[:, ::1]


@kernel(types.void(READ_1D, READ_1D, READ_2D, READ_1D, READ_1D, BLOCKED, MATRIX, MATRIX))
def fill_map(
    base: Array,
    lengths: Array,
    edges: Array,
    first: Array,
    second: Array,
    blocked: Mask,
    turned: Array,
    near: Array,
) -> None:
    """Write in which cells of a map a link intersects an edge.

    ``first`` (n,) and ``second`` (m,) are the angles of rows and columns, ``blocked`` is (n, m).
    ``turned`` (m, 2) and ``near``, like the edges, are work space.
    """
    count, columns = edges.shape[0], second.shape[0]
    for j in range(columns):
        turned[j, 0], turned[j, 1] = sincos(second[j])
    for i in range(first.shape[0]):
        s1, c1 = sincos(first[i])
        elbow = (base[0] + lengths[0] * c1, base[1] + lengths[0] * s1)
        hit = False
        kept = 0
        for k in range(count):
            c, d = _edge(edges, k)
            hit = hit or _crosses((base[0], base[1]), elbow, c, d)
            # The second link reaches only edges near the elbow.
            if _squared_distance(elbow, c, d) <= lengths[1] * lengths[1]:
                for column in range(4):
                    near[kept, column] = edges[k, column]
                kept += 1
        for j in range(columns):
            blocked[i, j] = hit
        if hit:
            continue
        for j in range(columns):
            tx = elbow[0] + lengths[1] * (c1 * turned[j, 1] - s1 * turned[j, 0])
            ty = elbow[1] + lengths[1] * (s1 * turned[j, 1] + c1 * turned[j, 0])
            for k in range(kept):
                c, d = _edge(near, k)
                if _crosses(elbow, (tx, ty), c, d):
                    blocked[i, j] = True
                    break
