"""Kernels of the fast, conservative level: spheres of the robot against shapes of the world.

Every distance here is a lower bound, because the spheres contain what they stand for: what these
kernels call free is free; where they are in doubt, the exact level decides.
"""

from __future__ import annotations

import math
from typing import Any, NamedTuple

import numpy as np
from numba import njit, types
from numpy.typing import NDArray

from rigid_tree_kinematics.collision.hull_distance import hull_gap, nearest_on_triangle
from rigid_tree_kinematics.kinematics.motion import (
    IDENTITY,
    compose,
    parent_from_body,
    part,
    unrotate,
)
from rigid_tree_kinematics.kinematics.topology import KINDS, write_between
from rigid_tree_kinematics.model.compiled import PARENT, TABLE_COLUMNS
from rigid_tree_kinematics.model.transforms import Array

FREE, DOUBT = 1, 0
MARGIN = 1e-4  # m; whoever comes nearer is in doubt, and no motion is cut finer than this
# Spheres that clear less than this share of an interval call for the hulls, which take longer.
HULLS_BELOW = 0.25
MOST_CHECKS = 100  # configurations looked at in one motion before it is given up as doubtful

# Kinds of obstacles, and the columns of their rows.
BOX, SPHERE, CYLINDER, POLYHEDRON, CLUSTER = range(5)
OBSTACLE_KIND = 0
SIZE = 1  # 3 numbers: half sizes; radius; radius and half length
INVERSE = 4  # 12 numbers: from the base frame to the shape's frame
FIRST, LAST = 16, 17  # the rows of its planes, or the root of its cluster's tree
OBSTACLE_COLUMNS = 18

# Columns of a cluster's tree, whose nodes stand in depth-first order: the corners of a box in the
# shape's frame; which leaves it holds itself; the node after all that is below it.
NODE_FIRST, NODE_LAST, NODE_NEXT = 6, 7, 8
NODE_COLUMNS = 9
LEAF_COLUMNS = 10  # three corners of a triangle and a radius around it; a point repeats itself

ENTITY_COLUMNS = 6
# Columns of a hull: a ball around it (4 numbers), its radius, its corners.
HULL_RADIUS, HULL_FIRST, HULL_LAST = 4, 5, 6
HULL_COLUMNS = 7

STACK = 128  # intervals of one motion that wait


class FastModel(NamedTuple):
    """A robot's spheres and the world at one moment, as flat arrays (lengths in m).

    An entity is a body's covering, or that of an obstacle attached to a body. Positions that do
    not move are frozen in: what they alone carry stands in ``frames``.
    """

    table: Array  # (n, 34) the compiled tree
    rows: NDArray[np.int64]  # bodies whose frames change, parents first
    frames: Array  # (n, 12) every body's frame when the model was made
    # (E, ENTITY_COLUMNS): body, first and last sphere, checked against the world, first and last
    # hull
    entities: NDArray[np.int64]
    balls: Array  # (E, 4) enclosing sphere, body frame
    spheres: Array  # (S, 4) body frame
    hulls: Array  # (H, HULL_COLUMNS) body frame
    corners: Array  # (C, 3) of the hulls, body frame
    reach: Array  # (E, nq) m (or m/m) that a point moves at most for a unit of each position
    # (P, 4) two entities that must not touch each other, and their first rows of hull_reach and
    # of Work.axes
    pairs: NDArray[np.int64]
    pair_reach: Array  # (P, nq) the same for their distance
    hull_reach: Array  # (R, nq) the same for each hull of one, then of the other
    axes: Array  # (A, 3) where to look first for a gap between two hulls of a pair
    obstacles: Array  # (W, OBSTACLE_COLUMNS)
    planes: Array  # (L, 4) outward normal and offset, in the obstacle's frame
    nodes: Array  # (K, NODE_COLUMNS)
    leaves: Array  # (M, LEAF_COLUMNS)


class Work(NamedTuple):
    """What the kernels write into; one for each thread."""

    q: Array  # (nq,)
    frames: Array  # (n, 12)
    steps: Array  # (nq,) how far each position moves
    speeds: Array  # (E + P,) what each check's distance can lose by that
    intervals: Array  # (STACK, 2)
    open: NDArray[np.int64]  # (STACK, 1 + E + P): how many checks an interval needs, and which
    counts: NDArray[np.int64]  # (2,): configurations looked at; the check that was in doubt last
    simplex: Array  # (4, 3)
    axes: Array  # (A, 3) where every two hulls of a pair had their gap last


_matrix = types.float64[:, ::1]
_rows = types.int64[:, ::1]
MODEL = types.NamedTuple(
    (
        _matrix,
        types.int64[::1],
        _matrix,
        _rows,
        _matrix,
        _matrix,
        _matrix,
        _matrix,
        _matrix,
        _rows,
        _matrix,
        _matrix,
        _matrix,
        _matrix,
        _matrix,
        _matrix,
        _matrix,
    ),
    FastModel,
)
WORK = types.NamedTuple(
    (
        types.float64[::1],
        _matrix,
        types.float64[::1],
        types.float64[::1],
        _matrix,
        _rows,
        types.int64[::1],
        _matrix,
        _matrix,
    ),
    Work,
)
VECTOR = types.float64[::1]
kernel_options: dict[str, Any] = {
    "cache": True,
    "nogil": True,
    "error_model": "numpy",
    "fastmath": {"contract"},
}


def make_work(model: FastModel) -> Work:
    """Return work arrays for kernels that take ``model``."""
    checks = len(model.entities) + len(model.pairs)
    return Work(
        np.empty(model.reach.shape[1]),
        model.frames.copy(),
        np.zeros(model.reach.shape[1]),
        np.empty(checks),
        np.empty((STACK, 2)),
        np.empty((STACK, 1 + checks), dtype=np.int64),
        np.array([0, -1], dtype=np.int64),
        np.empty((4, 3)),
        model.axes.copy(),
    )


def empty_model(positions: int) -> FastModel:
    """Return a model that knows of nothing, for kernels that take one in any case."""
    rows, numbers = np.zeros((0, ENTITY_COLUMNS), dtype=np.int64), np.zeros((0, 4))
    return FastModel(
        np.zeros((1, TABLE_COLUMNS)),
        np.zeros(0, dtype=np.int64),
        np.zeros((1, 12)),
        rows,
        numbers,
        numbers,
        np.zeros((0, HULL_COLUMNS)),
        np.zeros((0, 3)),
        np.zeros((0, positions)),
        np.zeros((0, 4), dtype=np.int64),
        np.zeros((0, positions)),
        np.zeros((0, positions)),
        np.zeros((0, 3)),
        np.zeros((0, OBSTACLE_COLUMNS)),
        numbers,
        np.zeros((0, NODE_COLUMNS)),
        np.zeros((0, LEAF_COLUMNS)),
    )


@part
def _frame(frames: Any, i: int) -> Any:
    return (
        frames[i, 0], frames[i, 1], frames[i, 2], frames[i, 3],
        frames[i, 4], frames[i, 5], frames[i, 6], frames[i, 7],
        frames[i, 8], frames[i, 9], frames[i, 10], frames[i, 11],
    )  # fmt: skip


@part
def _place(m: Any, x: float, y: float, z: float) -> Any:
    return (
        m[0] * x + m[1] * y + m[2] * z + m[3],
        m[4] * x + m[5] * y + m[6] * z + m[7],
        m[8] * x + m[9] * y + m[10] * z + m[11],
    )


@part
def _place_bodies(table: Any, rows: Any, q: Any, frames: Any) -> None:
    """Write the frames of the bodies that move."""
    for k in range(rows.shape[0]):
        i = rows[k]
        parent = int(table[i, PARENT])
        above = IDENTITY
        if parent > 0:
            above = _frame(frames, parent)
        m = compose(above, parent_from_body(table, q, i))
        for c in range(12):
            frames[i, c] = m[c]


@part
def _leaf_distance(leaves: Any, k: int, x: float, y: float, z: float) -> float:
    """Return the distance to a triangle with a radius."""
    ax, ay, az = leaves[k, 0], leaves[k, 1], leaves[k, 2]
    ux, uy, uz = leaves[k, 3] - ax, leaves[k, 4] - ay, leaves[k, 5] - az
    vx, vy, vz = leaves[k, 6] - ax, leaves[k, 7] - ay, leaves[k, 8] - az
    px, py, pz = x - ax, y - ay, z - az
    s, t = nearest_on_triangle(-px, -py, -pz, ux, uy, uz, vx, vy, vz)
    dx, dy, dz = px - s * ux - t * vx, py - s * uy - t * vy, pz - s * uz - t * vz
    return math.sqrt(dx * dx + dy * dy + dz * dz) - leaves[k, 9]


@part
def _cluster_distance(
    nodes: Any, leaves: Any, root: int, x: float, y: float, z: float, limit: float
) -> float:
    """Return the distance to the nearest leaf of a tree, or ``limit`` if none is nearer."""
    k, end = root, int(nodes[root, NODE_NEXT])
    while k < end:
        dx = max(nodes[k, 0] - x, 0.0, x - nodes[k, 3])
        dy = max(nodes[k, 1] - y, 0.0, y - nodes[k, 4])
        dz = max(nodes[k, 2] - z, 0.0, z - nodes[k, 5])
        if limit <= 0.0 or dx * dx + dy * dy + dz * dz >= limit * limit:
            k = int(nodes[k, NODE_NEXT])
            continue
        for leaf in range(int(nodes[k, NODE_FIRST]), int(nodes[k, NODE_LAST])):
            limit = min(limit, _leaf_distance(leaves, leaf, x, y, z))
        k += 1
    return limit


@part
def _outside(dx: float, dy: float, dz: float) -> float:
    """Return a distance from how far a point lies beyond a box's sides; negative inside."""
    most = max(dx, dy, dz)
    if most <= 0.0:
        return most
    dx, dy, dz = max(dx, 0.0), max(dy, 0.0), max(dz, 0.0)
    return math.sqrt(dx * dx + dy * dy + dz * dz)


@njit(types.float64(MODEL, types.int64, types.float64, types.float64, WORK), **kernel_options)
def _time_by_hulls(model: Any, pair: int, half: float, limit: float, work: Any) -> float:
    """Return how much time a pair's hulls clear, at least ``half`` if that much is sure.

    -1 if two hulls may be as near as MARGIN. What is near a joint moves slowly: every two hulls
    have a speed of their own, which is why this may clear far more than the spheres do.
    """
    hulls, entities, reach = model.hulls, model.entities, model.hull_reach
    steps, frames = work.steps, work.frames
    one, two = model.pairs[pair, 0], model.pairs[pair, 1]
    i, j = entities[one, 0], entities[two, 0]
    first, second = entities[one, 4], entities[two, 4]
    first_end, second_end = entities[one, 5], entities[two, 5]
    if first == first_end or second == second_end:
        return -1.0
    m, n = _frame(frames, i), _frame(frames, j)
    row, line = model.pairs[pair, 2], model.pairs[pair, 3] - 1
    cleared = math.inf
    for a in range(first, first_end):
        ax, ay, az = _place(m, hulls[a, 0], hulls[a, 1], hulls[a, 2])
        own = 0.0
        for k in range(steps.shape[0]):
            own += reach[row + a - first, k] * steps[k]
        for b in range(second, second_end):
            line += 1
            speed = own
            at = row + first_end - first + b - second
            for k in range(steps.shape[0]):
                speed += reach[at, k] * steps[k]
            need = max(half * speed, limit)
            bx, by, bz = _place(n, hulls[b, 0], hulls[b, 1], hulls[b, 2])
            gap = need + hulls[a, 3] + hulls[b, 3]
            if (ax - bx) ** 2 + (ay - by) ** 2 + (az - bz) ** 2 >= gap * gap:
                continue
            radius = hulls[a, HULL_RADIUS] + hulls[b, HULL_RADIUS]
            gap = hull_gap(
                model.corners,
                int(hulls[a, HULL_FIRST]),
                int(hulls[a, HULL_LAST]),
                model.corners,
                int(hulls[b, HULL_FIRST]),
                int(hulls[b, HULL_LAST]),
                frames,
                i,
                j,
                need + radius,
                work.simplex,
                work.axes[line],
            )
            gap -= radius
            if gap <= MARGIN:
                return -1.0
            if gap < need:
                cleared = min(cleared, gap / speed)
    return cleared


@njit(
    types.float64(
        MODEL, _rows, types.int64, types.float64[::1], types.float64, types.float64, _matrix, WORK
    ),
    **kernel_options,
)
def _look(
    model: Any,
    opened: Any,
    at: int,
    speeds: Any,
    half: float,
    limit: float,
    frames: Any,
    work: Any,
) -> float:
    """Do the checks that row ``at`` of ``opened`` lists (how many, then which).

    A check is satisfied by a clearance of ``half`` times its speed, or ``limit`` if that is more.
    Those that are not stay in the row. Returns how much time, of that in which ``half`` passes,
    the least satisfied one clears; -1 - check for the first that is in doubt.

    It is long because every array that is handed to a function of its own in these loops costs as
    much as the arithmetic: Numba counts the references.
    """
    entities, balls, spheres, pairs = model.entities, model.balls, model.spheres, model.pairs
    obstacles, planes, nodes, leaves = model.obstacles, model.planes, model.nodes, model.leaves
    cleared = math.inf
    left = 0
    for k in range(1, opened[at, 0] + 1):
        check = opened[at, k]
        need = max(speeds[check] * half, limit)
        found = need
        pair = check - entities.shape[0]
        one = check if pair < 0 else pairs[pair, 0]
        m = _frame(frames, entities[one, 0])
        ball = balls[one, 3]
        bx, by, bz = _place(m, balls[one, 0], balls[one, 1], balls[one, 2])
        first, last = entities[one, 1], entities[one, 2]
        if pair >= 0:
            two = pairs[pair, 1]
            n = _frame(frames, entities[two, 0])
            other = balls[two, 3]
            ox, oy, oz = _place(n, balls[two, 0], balls[two, 1], balls[two, 2])
            gap = need + ball + other
            if (bx - ox) ** 2 + (by - oy) ** 2 + (bz - oz) ** 2 >= gap * gap:
                continue
            for s in range(first, last):
                radius = spheres[s, 3]
                x, y, z = _place(m, spheres[s, 0], spheres[s, 1], spheres[s, 2])
                gap = found + radius + other
                if (x - ox) ** 2 + (y - oy) ** 2 + (z - oz) ** 2 >= gap * gap:
                    continue
                x, y, z = unrotate(n, x - n[3], y - n[7], z - n[11])
                for t in range(entities[two, 1], entities[two, 2]):
                    dx, dy, dz = x - spheres[t, 0], y - spheres[t, 1], z - spheres[t, 2]
                    squared = dx * dx + dy * dy + dz * dz
                    gap = max(found, 0.0) + radius + spheres[t, 3]
                    if squared < gap * gap:
                        found = min(found, math.sqrt(squared) - radius - spheres[t, 3])
                if found <= MARGIN:
                    break
            if found < HULLS_BELOW * need:
                time = _time_by_hulls(model, pair, half, limit, work)
                if time >= half:
                    continue
                found = max(found, time * speeds[check])
        else:
            for w in range(obstacles.shape[0]):
                kind = int(obstacles[w, OBSTACLE_KIND])
                hx, hy, hz = obstacles[w, 1], obstacles[w, 2], obstacles[w, 3]
                inverse = (
                    obstacles[w, 4], obstacles[w, 5], obstacles[w, 6], obstacles[w, 7],
                    obstacles[w, 8], obstacles[w, 9], obstacles[w, 10], obstacles[w, 11],
                    obstacles[w, 12], obstacles[w, 13], obstacles[w, 14], obstacles[w, 15],
                )  # fmt: skip
                begin, end = int(obstacles[w, FIRST]), int(obstacles[w, LAST])
                for s in range(first - 1, last):
                    # The ball around all spheres comes first, and may spare the rest.
                    x, y, z, radius = bx, by, bz, ball
                    if s >= first:
                        radius = spheres[s, 3]
                        x, y, z = _place(m, spheres[s, 0], spheres[s, 1], spheres[s, 2])
                    x, y, z = _place(inverse, x, y, z)
                    if kind == BOX:
                        distance = _outside(abs(x) - hx, abs(y) - hy, abs(z) - hz)
                    elif kind == SPHERE:
                        distance = math.sqrt(x * x + y * y + z * z) - hx
                    elif kind == CYLINDER:
                        distance = _outside(math.sqrt(x * x + y * y) - hx, abs(z) - hy, -math.inf)
                    elif kind == POLYHEDRON:
                        distance = -math.inf
                        for p in range(begin, end):
                            beyond = planes[p, 0] * x + planes[p, 1] * y + planes[p, 2] * z
                            distance = max(distance, beyond - planes[p, 3])
                    else:
                        distance = _cluster_distance(nodes, leaves, begin, x, y, z, found + radius)
                    distance -= radius
                    if s < first:
                        if distance >= found:
                            break
                    elif distance < found:
                        found = distance
                        if found <= MARGIN:
                            break
                if found <= MARGIN:
                    break
        if found <= MARGIN:
            return -1.0 - check
        if found < need:
            left += 1
            opened[at, left] = check
            cleared = min(cleared, found / speeds[check])
    opened[at, 0] = left
    return cleared


@part
def _list_checks(entities: Any, pairs: Any, last: int, opened: Any, at: int) -> None:
    """List all checks, first the one that was in doubt last: it is likely to be so again."""
    count = 0
    checks = entities.shape[0] + pairs.shape[0]
    for k in range(-1, checks):
        check = last if k < 0 else k
        if not 0 <= check < checks or k == last:
            continue
        if check >= entities.shape[0] or entities[check, 3] != 0:
            count += 1
            opened[at, count] = check
    opened[at, 0] = count


@njit(types.void(MODEL, VECTOR, WORK), **kernel_options)
def place_bodies(model: Any, q: Any, work: Any) -> None:
    """Write the bodies' frames at ``q`` (nq,) into ``work``."""
    _place_bodies(model.table, model.rows, q, work.frames)


@njit(types.float64(MODEL, types.float64, types.float64, WORK), **kernel_options)
def look(model: Any, half: float, limit: float, work: Any) -> float:
    """Do the checks of the first row of ``work.open``; see ``_look``."""
    return _look(model, work.open, 0, work.speeds, half, limit, work.frames, work)


@njit(types.boolean(MODEL, VECTOR, types.float64, WORK), **kernel_options)
def is_clear(model: Any, q: Any, limit: float, work: Any) -> bool:
    """Return whether everything keeps a distance of ``limit`` (m, over MARGIN) for certain."""
    work.counts[0] += 1
    _place_bodies(model.table, model.rows, q, work.frames)
    opened = work.open
    _list_checks(model.entities, model.pairs, work.counts[1], opened, 0)
    work.steps[:] = 0.0
    work.speeds[:] = 0.0
    verdict = _look(model, opened, 0, work.speeds, 1.0, limit, work.frames, work)
    if verdict < 0.0:
        work.counts[1] = int(-1.0 - verdict)
    return verdict >= 0.0 and opened[0, 0] == 0


@njit(types.void(MODEL, _matrix, types.boolean[::1], WORK), **kernel_options)
def free_batch(model: Any, q: Any, out: Any, work: Any) -> None:
    """Write for every row of ``q`` (N, nq) whether it is free for certain."""
    for k in range(q.shape[0]):
        out[k] = is_clear(model, q[k], 2.0 * MARGIN, work)


@njit(types.int64(MODEL, KINDS, VECTOR, VECTOR, WORK), **kernel_options)
def motion_verdict(model: Any, kinds: Any, a: Any, difference: Any, work: Any) -> int:
    """Return FREE if the whole way from ``a`` along ``difference`` is free, else DOUBT.

    An interval of the way is free if every clearance in its middle exceeds what the motion can
    take away until its ends. What one check leaves open is halved around the part that it clears,
    and only the checks that were not satisfied go on.
    """
    reach, pair_reach, counts = model.reach, model.pair_reach, work.counts
    intervals, opened, speeds = work.intervals, work.open, work.speeds
    _list_checks(model.entities, model.pairs, counts[1], opened, 0)
    bodies = reach.shape[0]
    for check in range(speeds.shape[0]):
        speeds[check] = 0.0
    for j in range(kinds.shape[0]):
        step = abs(difference[j])
        work.steps[j] = step
        if step > 0.0:
            for check in range(bodies):
                speeds[check] += step * reach[check, j]
            for pair in range(pair_reach.shape[0]):
                speeds[bodies + pair] += step * pair_reach[pair, j]
    intervals[0, 0] = 0.0
    intervals[0, 1] = 1.0
    waiting = 1
    for _ in range(MOST_CHECKS):
        waiting -= 1
        low, high = intervals[waiting, 0], intervals[waiting, 1]
        middle, half = 0.5 * (low + high), 0.5 * (high - low)
        counts[0] += 1
        write_between(kinds, a, difference, middle, work.q)
        _place_bodies(model.table, model.rows, work.q, work.frames)
        cleared = _look(model, opened, waiting, speeds, half, 2.0 * MARGIN, work.frames, work)
        if cleared < 0.0:
            counts[1] = int(-1.0 - cleared)
            return DOUBT
        if cleared < half:
            if waiting + 2 > STACK:
                return DOUBT
            for k in range(opened[waiting, 0] + 1):
                opened[waiting + 1, k] = opened[waiting, k]
            intervals[waiting, 0] = low
            intervals[waiting, 1] = middle - cleared
            intervals[waiting + 1, 0] = middle + cleared
            intervals[waiting + 1, 1] = high
            waiting += 2
        if waiting == 0:
            return FREE
    return DOUBT
