"""The kernel that tells how far two convex hulls are apart, at least.

Gilbert, Johnson and Keerthi, "A fast procedure for computing the distance between complex objects
in three-dimensional space", IEEE J. Robotics and Automation 4(2), 1988. What it returns is always
the gap between two parallel planes with the hulls on either side, so that rounding, or an end
before it has converged, can only make it smaller.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from numba import types

from rigid_tree_kinematics.kernels import BATCH, MATRIX, VECTOR, inlined, kernel

MOST_STEPS = 24
ENOUGH = 1e-4  # relative; a gap this near to the distance is good enough


@inlined
def nearest_on_triangle(
    ax: Any, ay: Any, az: Any, ux: Any, uy: Any, uz: Any, vx: Any, vy: Any, vz: Any
) -> Any:
    """Return s, t of the point a + s u + t v of a triangle nearest to the origin.

    Ericson, "Real-Time Collision Detection", 2005, section 5.1.5.
    """
    d1 = -(ux * ax + uy * ay + uz * az)
    d2 = -(vx * ax + vy * ay + vz * az)
    uu = ux * ux + uy * uy + uz * uz
    vv = vx * vx + vy * vy + vz * vz
    uv = ux * vx + uy * vy + uz * vz
    d3, d4 = d1 - uu, d2 - uv
    d5, d6 = d1 - uv, d2 - vv
    va, vb, vc = d3 * d6 - d5 * d4, d5 * d2 - d1 * d6, d1 * d4 - d3 * d2
    s, t = 0.0, 0.0
    if d1 <= 0.0 and d2 <= 0.0:
        pass
    elif d3 >= 0.0 and d4 <= d3:
        s = 1.0
    elif d6 >= 0.0 and d5 <= d6:
        t = 1.0
    elif vc <= 0.0 and d1 >= 0.0 and d3 <= 0.0:
        s = d1 / (d1 - d3)
    elif vb <= 0.0 and d2 >= 0.0 and d6 <= 0.0:
        t = d2 / (d2 - d6)
    elif va <= 0.0 and d4 - d3 >= 0.0 and d5 - d6 >= 0.0:
        t = (d4 - d3) / ((d4 - d3) + (d5 - d6))
        s = 1.0 - t
    else:
        total = va + vb + vc
        s, t = vb / total, vc / total
    return s, t


@inlined
def _nearest_of_three(simplex: Any, i: int, j: int, k: int) -> Any:
    """Return s, t and the point of a triangle of the simplex nearest to the origin."""
    ax, ay, az = simplex[i, 0], simplex[i, 1], simplex[i, 2]
    ux, uy, uz = simplex[j, 0] - ax, simplex[j, 1] - ay, simplex[j, 2] - az
    vx, vy, vz = simplex[k, 0] - ax, simplex[k, 1] - ay, simplex[k, 2] - az
    s, t = nearest_on_triangle(ax, ay, az, ux, uy, uz, vx, vy, vz)
    return s, t, ax + s * ux + t * vx, ay + s * uy + t * vy, az + s * uz + t * vz


@inlined
def _beyond(simplex: Any, i: int, j: int, k: int, other: int) -> bool:
    """Return whether the plane of three corners has the origin not on the fourth one's side."""
    ax, ay, az = simplex[i, 0], simplex[i, 1], simplex[i, 2]
    ux, uy, uz = simplex[j, 0] - ax, simplex[j, 1] - ay, simplex[j, 2] - az
    vx, vy, vz = simplex[k, 0] - ax, simplex[k, 1] - ay, simplex[k, 2] - az
    nx, ny, nz = uy * vz - uz * vy, uz * vx - ux * vz, ux * vy - uy * vx
    dx, dy, dz = simplex[other, 0] - ax, simplex[other, 1] - ay, simplex[other, 2] - az
    side = nx * dx + ny * dy + nz * dz
    return side * -(nx * ax + ny * ay + nz * az) <= 0.0


@kernel(
    types.float64(
        MATRIX, types.int64, types.int64, MATRIX, types.int64, types.int64,
        MATRIX, types.int64, types.int64, types.float64, MATRIX, VECTOR,
    ),
)  # fmt: skip
def hull_gap(
    one: Any,
    one_first: int,
    one_last: int,
    two: Any,
    two_first: int,
    two_last: int,
    frames: Any,
    i: int,
    j: int,
    enough: float,
    simplex: Any,
    axis: Any,
) -> float:
    """Return a lower bound of the distance of two hulls (m), 0 or less if they may touch.

    The hulls are those of the corners ``one_first`` to ``one_last`` of ``one`` (n, 3) in frame
    ``i`` of ``frames`` (m, 12), and of ``two`` in frame ``j`` likewise. It stops at ``enough``.
    ``simplex`` (4, 3) is work space. ``axis`` (3,), in frame ``i``, is tried first, and becomes
    the direction of the widest gap: the next question is often answered by it at once.
    """
    # Everything happens in frame i: p_i = R p_j + t.
    r00 = frames[i, 0] * frames[j, 0] + frames[i, 4] * frames[j, 4] + frames[i, 8] * frames[j, 8]
    r01 = frames[i, 0] * frames[j, 1] + frames[i, 4] * frames[j, 5] + frames[i, 8] * frames[j, 9]
    r02 = frames[i, 0] * frames[j, 2] + frames[i, 4] * frames[j, 6] + frames[i, 8] * frames[j, 10]
    r10 = frames[i, 1] * frames[j, 0] + frames[i, 5] * frames[j, 4] + frames[i, 9] * frames[j, 8]
    r11 = frames[i, 1] * frames[j, 1] + frames[i, 5] * frames[j, 5] + frames[i, 9] * frames[j, 9]
    r12 = frames[i, 1] * frames[j, 2] + frames[i, 5] * frames[j, 6] + frames[i, 9] * frames[j, 10]
    r20 = frames[i, 2] * frames[j, 0] + frames[i, 6] * frames[j, 4] + frames[i, 10] * frames[j, 8]
    r21 = frames[i, 2] * frames[j, 1] + frames[i, 6] * frames[j, 5] + frames[i, 10] * frames[j, 9]
    r22 = frames[i, 2] * frames[j, 2] + frames[i, 6] * frames[j, 6] + frames[i, 10] * frames[j, 10]
    dx, dy, dz = (
        frames[j, 3] - frames[i, 3],
        frames[j, 7] - frames[i, 7],
        frames[j, 11] - frames[i, 11],
    )
    tx = frames[i, 0] * dx + frames[i, 4] * dy + frames[i, 8] * dz
    ty = frames[i, 1] * dx + frames[i, 5] * dy + frames[i, 9] * dz
    tz = frames[i, 2] * dx + frames[i, 6] * dy + frames[i, 10] * dz

    vx, vy, vz = axis[0], axis[1], axis[2]
    best = -math.inf
    count = 0
    for step in range(MOST_STEPS):
        squared = vx * vx + vy * vy + vz * vz
        if squared < 1e-18:
            return min(best, 0.0)
        # The corners of the first hull least far along v, of the second one farthest.
        low, a = math.inf, one_first
        for k in range(one_first, one_last):
            along = one[k, 0] * vx + one[k, 1] * vy + one[k, 2] * vz
            if along < low:
                low, a = along, k
        ux, uy, uz = (
            r00 * vx + r10 * vy + r20 * vz,
            r01 * vx + r11 * vy + r21 * vz,
            r02 * vx + r12 * vy + r22 * vz,
        )
        high, b = -math.inf, two_first
        for k in range(two_first, two_last):
            along = two[k, 0] * ux + two[k, 1] * uy + two[k, 2] * uz
            if along > high:
                high, b = along, k
        gap = low - high - (tx * vx + ty * vy + tz * vz)
        length = math.sqrt(squared)
        if gap > best * length:
            best = gap / length
            axis[0], axis[1], axis[2] = vx / length, vy / length, vz / length
        if best >= enough or (step > 0 and squared - gap <= ENOUGH * squared):
            return best
        bx, by, bz = two[b, 0], two[b, 1], two[b, 2]
        simplex[count, 0] = one[a, 0] - (r00 * bx + r01 * by + r02 * bz + tx)
        simplex[count, 1] = one[a, 1] - (r10 * bx + r11 * by + r12 * bz + ty)
        simplex[count, 2] = one[a, 2] - (r20 * bx + r21 * by + r22 * bz + tz)
        count += 1
        # The point of the simplex nearest to the origin, and the corners that it needs.
        if count == 1:
            vx, vy, vz = simplex[0, 0], simplex[0, 1], simplex[0, 2]
            continue
        if count == 2:
            ex, ey, ez = (
                simplex[1, 0] - simplex[0, 0],
                simplex[1, 1] - simplex[0, 1],
                simplex[1, 2] - simplex[0, 2],
            )
            length = ex * ex + ey * ey + ez * ez
            s = -(simplex[0, 0] * ex + simplex[0, 1] * ey + simplex[0, 2] * ez) / length
            s = min(1.0, max(0.0, s)) if length > 0.0 else 0.0
            vx, vy, vz = simplex[0, 0] + s * ex, simplex[0, 1] + s * ey, simplex[0, 2] + s * ez
            if s <= 0.0 or s >= 1.0:
                kept = 0 if s <= 0.0 else 1
                simplex[0, 0], simplex[0, 1], simplex[0, 2] = (
                    simplex[kept, 0],
                    simplex[kept, 1],
                    simplex[kept, 2],
                )
                count = 1
            continue
        f0, f1, f2 = 0, 1, 2
        if count == 3:
            s, t, vx, vy, vz = _nearest_of_three(simplex, 0, 1, 2)
        else:
            least = math.inf
            s, t = 0.0, 0.0
            for face in range(4):
                k0 = 1 if face == 0 else 0
                k1 = 2 if face <= 1 else 1
                k2 = 3 if face <= 2 else 2
                if not _beyond(simplex, k0, k1, k2, face):
                    continue
                ps, pt, x, y, z = _nearest_of_three(simplex, k0, k1, k2)
                if x * x + y * y + z * z < least:
                    least = x * x + y * y + z * z
                    s, t, vx, vy, vz = ps, pt, x, y, z
                    f0, f1, f2 = k0, k1, k2
            if least == math.inf:
                return min(best, 0.0)  # the origin is inside
        count = 0
        if s + t < 1.0:
            simplex[count, 0], simplex[count, 1], simplex[count, 2] = (
                simplex[f0, 0],
                simplex[f0, 1],
                simplex[f0, 2],
            )
            count += 1
        if s > 0.0:
            simplex[count, 0], simplex[count, 1], simplex[count, 2] = (
                simplex[f1, 0],
                simplex[f1, 1],
                simplex[f1, 2],
            )
            count += 1
        if t > 0.0:
            simplex[count, 0], simplex[count, 1], simplex[count, 2] = (
                simplex[f2, 0],
                simplex[f2, 1],
                simplex[f2, 2],
            )
            count += 1
    return best


@kernel(VECTOR(MATRIX, BATCH))
def distances_from_triangles(points: Any, triangles: Any) -> Any:
    """Return each point's (n, 3) distance from the nearest of triangles (m, 3, 3), as (n,)."""
    distances = np.empty(points.shape[0])
    for p in range(points.shape[0]):
        least = math.inf
        for k in range(triangles.shape[0]):
            ax, ay, az = (
                triangles[k, 0, 0] - points[p, 0],
                triangles[k, 0, 1] - points[p, 1],
                triangles[k, 0, 2] - points[p, 2],
            )
            ux, uy, uz = (
                triangles[k, 1, 0] - triangles[k, 0, 0],
                triangles[k, 1, 1] - triangles[k, 0, 1],
                triangles[k, 1, 2] - triangles[k, 0, 2],
            )
            vx, vy, vz = (
                triangles[k, 2, 0] - triangles[k, 0, 0],
                triangles[k, 2, 1] - triangles[k, 0, 1],
                triangles[k, 2, 2] - triangles[k, 0, 2],
            )
            s, t = nearest_on_triangle(ax, ay, az, ux, uy, uz, vx, vy, vz)
            x, y, z = ax + s * ux + t * vx, ay + s * uy + t * vy, az + s * uz + t * vz
            least = min(least, x * x + y * y + z * z)
        distances[p] = math.sqrt(least)
    return distances
