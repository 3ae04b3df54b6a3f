"""Kernels of the planar arm: two segments among polygon edges in the plane.

Edges are rows x1, y1, x2, y2 (m). The arm's first link turns by q1 about ``base``, the second by
q2 about the end of the first; a link is the segment between its joints.
"""

from __future__ import annotations

import math

import numpy as np

from rigid_tree_kinematics.arrays import Array, Mask
from rigid_tree_kinematics.kernels import READ_1D, READ_2D, inlined, kernel, types
from rigid_tree_kinematics.kinematics.motion import sincos

RESOLUTION = 1e-5  # m; a motion that comes so near to an edge counts as touching it
DEEPEST = 60  # halvings of a motion


@inlined
def _cross(ax: float, ay: float, bx: float, by: float, cx: float, cy: float) -> float:
    """Return twice the signed area of the triangle a, b, c."""
    return (bx - ax) * (cy - ay) - (by - ay) * (cx - ax)


@inlined
def _crosses(
    ax: float, ay: float, bx: float, by: float, cx: float, cy: float, dx: float, dy: float
) -> bool:
    """Return whether the non-parallel segments a-b and c-d intersect."""
    c, d = _cross(ax, ay, bx, by, cx, cy), _cross(ax, ay, bx, by, dx, dy)
    a, b = _cross(cx, cy, dx, dy, ax, ay), _cross(cx, cy, dx, dy, bx, by)
    return c * d <= 0.0 and a * b <= 0.0 and c != d


@inlined
def _point_distance(px: float, py: float, ax: float, ay: float, bx: float, by: float) -> float:
    """Return the squared distance of a point from the segment a-b."""
    ux, uy = bx - ax, by - ay
    length = ux * ux + uy * uy
    t = ((px - ax) * ux + (py - ay) * uy) / length if length > 0.0 else 0.0
    t = min(1.0, max(0.0, t))
    x, y = px - ax - t * ux, py - ay - t * uy
    return x * x + y * y


@inlined
def _segment_distance(ax: float, ay: float, bx: float, by: float, edges: Array) -> float:
    """Return the distance of the segment a-b from the nearest edge, 0 if they intersect."""
    least = math.inf
    for k in range(edges.shape[0]):
        cx, cy, dx, dy = edges[k, 0], edges[k, 1], edges[k, 2], edges[k, 3]
        if _crosses(ax, ay, bx, by, cx, cy, dx, dy):
            return 0.0
        least = min(
            least,
            _point_distance(cx, cy, ax, ay, bx, by),
            _point_distance(dx, dy, ax, ay, bx, by),
            _point_distance(ax, ay, cx, cy, dx, dy),
            _point_distance(bx, by, cx, cy, dx, dy),
        )
    return math.sqrt(least)


@kernel(types.UniTuple(types.float64, 2)(READ_1D, READ_1D, READ_2D, types.float64, types.float64))
def link_clearances(
    base: Array, lengths: Array, edges: Array, q1: float, q2: float
) -> tuple[float, float]:
    """Return the distance (m) of each link from the nearest edge, 0 if they intersect."""
    s1, c1 = sincos(q1)
    s2, c2 = sincos(q1 + q2)
    ex, ey = base[0] + lengths[0] * c1, base[1] + lengths[0] * s1
    tx, ty = ex + lengths[1] * c2, ey + lengths[1] * s2
    first = _segment_distance(base[0], base[1], ex, ey, edges)
    return first, _segment_distance(ex, ey, tx, ty, edges)


@kernel(types.boolean(READ_1D, READ_1D, READ_2D, types.float64, READ_1D, READ_1D))
def motion_is_free(
    base: Array, lengths: Array, edges: Array, margin: float, start: Array, difference: Array
) -> bool:
    """Return whether both links stay ``margin`` (m) away from all edges along a whole motion.

    The motion is halved until each half is covered: its middle's clearance is more than any point
    of a link can move until the half's ends, which turning by an angle bounds by that angle times
    the point's distance from the axis.
    """
    first_speed = abs(difference[0]) * lengths[0]
    second_speed = abs(difference[0]) * (lengths[0] + lengths[1]) + abs(difference[1]) * lengths[1]
    lows, sizes = np.empty(DEEPEST), np.empty(DEEPEST)
    lows[0], sizes[0] = 0.0, 1.0
    count = 1
    while count > 0:
        count -= 1
        low, half = lows[count], 0.5 * sizes[count]
        at = low + half
        q1, q2 = start[0] + at * difference[0], start[1] + at * difference[1]
        one, two = link_clearances(base, lengths, edges, q1, q2)
        one, two = one - margin, two - margin
        if one <= RESOLUTION or two <= RESOLUTION:
            return False
        if one <= first_speed * half or two <= second_speed * half:
            if count + 2 > DEEPEST:
                return False
            lows[count], sizes[count] = low, half
            lows[count + 1], sizes[count + 1] = at, half
            count += 2
    return True


BLOCKED = types.boolean[:, ::1]


@kernel(types.void(READ_1D, READ_1D, READ_2D, READ_1D, READ_1D, BLOCKED, types.int64, types.int64))
def fill_map(
    base: Array,
    lengths: Array,
    edges: Array,
    first: Array,
    second: Array,
    blocked: Mask,
    begin: int,
    end: int,
) -> None:
    """Write, for rows ``begin`` to ``end`` of a map, in which cells a link intersects an edge.

    ``first`` (n,) and ``second`` (m,) are the angles of rows and columns, ``blocked`` is (n, m).
    """
    count, columns = edges.shape[0], second.shape[0]
    near = np.empty((count, 4))
    sines, cosines = np.empty(columns), np.empty(columns)
    for j in range(columns):
        sines[j], cosines[j] = sincos(second[j])
    for i in range(begin, end):
        s1, c1 = sincos(first[i])
        ex, ey = base[0] + lengths[0] * c1, base[1] + lengths[0] * s1
        hit = False
        kept = 0
        for k in range(count):
            x1, y1, x2, y2 = edges[k, 0], edges[k, 1], edges[k, 2], edges[k, 3]
            hit = hit or _crosses(base[0], base[1], ex, ey, x1, y1, x2, y2)
            # The second link reaches only what is near the elbow.
            if _point_distance(ex, ey, x1, y1, x2, y2) <= lengths[1] * lengths[1]:
                near[kept] = edges[k]
                kept += 1
        for j in range(columns):
            blocked[i, j] = hit
        if hit:
            continue
        for j in range(columns):
            tx = ex + lengths[1] * (c1 * cosines[j] - s1 * sines[j])
            ty = ey + lengths[1] * (s1 * cosines[j] + c1 * sines[j])
            for k in range(kept):
                x1, y1, x2, y2 = near[k, 0], near[k, 1], near[k, 2], near[k, 3]
                if _crosses(ex, ey, tx, ty, x1, y1, x2, y2):
                    blocked[i, j] = True
                    break
