"""Kernels of the conservative level: spheres of the robot against shapes of the world.

Every distance here is a lower bound, because the spheres contain what they stand for: what these
kernels call free is free; where they are in doubt, the exact level decides.
"""

from __future__ import annotations

import math
from typing import Any

from numba import types

from rigid_tree_kinematics.collision.conservative.hull_kernels import obstacle_time, pair_time
from rigid_tree_kinematics.collision.conservative.map_walk import apart_on_map
from rigid_tree_kinematics.collision.conservative.placing import frame_of, placed
from rigid_tree_kinematics.collision.conservative.tree_distance import (
    cloud_distance,
    cluster_distance,
)
from rigid_tree_kinematics.collision.conservative.twist_kernels import (
    place_twists,
    time_to_move,
    velocity_at,
    write_accelerations,
)
from rigid_tree_kinematics.collision.world.arrays import (
    BOX,
    CLOSELY,
    CLOUD,
    CYLINDER,
    FIRST,
    LAST,
    MARGIN,
    MODEL,
    NODE_FIRST,
    NODE_LAST,
    NODE_NEXT,
    OBSTACLE_KIND,
    POLYHEDRON,
    ROWS,
    SPHERE,
    STACK,
    WORK,
)
from rigid_tree_kinematics.kernels import MATRIX, VECTOR, inlined, kernel
from rigid_tree_kinematics.kinematics.motion import IDENTITY, compose, parent_from_body, unrotate
from rigid_tree_kinematics.kinematics.topology import KINDS, write_between
from rigid_tree_kinematics.model.compiled import PARENT

FREE, DOUBT = 1, 0
# Spheres that clear less than this share of an interval call for the hulls, which take longer.
HULLS_BELOW = 0.25
MOST_CHECKS = 100  # configurations looked at in one motion before it is given up as doubtful


@inlined
def _place_bodies(table: Any, rows: Any, q: Any, frames: Any) -> None:
    """Write the frames of the bodies that move."""
    for k in range(rows.shape[0]):
        i = rows[k]
        parent = int(table[i, PARENT])
        above = IDENTITY
        if parent > 0:
            above = frame_of(frames, parent)
        m = compose(above, parent_from_body(table, q, i))
        for c in range(12):
            frames[i, c] = m[c]


@inlined
def _outside(dx: float, dy: float, dz: float) -> float:
    """Return a distance from how far a point lies beyond a box's sides; negative inside."""
    most = max(dx, dy, dz)
    if most <= 0.0:
        return most
    dx, dy, dz = max(dx, 0.0), max(dy, 0.0), max(dz, 0.0)
    return math.sqrt(dx * dx + dy * dy + dz * dz)


@inlined
def _beyond(x: float, side: float) -> float:
    """Return how far a coordinate lies beyond a side, with its sign; 0 between the sides."""
    return x - side if x > side else x + side if x < -side else 0.0


@inlined
def _along(nx: float, ny: float, nz: float, x: float, y: float, z: float) -> float:
    """Return the length of a vector along a direction, or as it is if the direction is zero."""
    length = math.sqrt(nx * nx + ny * ny + nz * nz)
    if length == 0.0:
        return math.sqrt(x * x + y * y + z * z)
    return abs(nx * x + ny * y + nz * z) / length


@kernel(
    types.float64(
        MODEL,
        ROWS,
        types.int64,
        VECTOR,
        types.float64,
        types.float64,
        MATRIX,
        VECTOR,
        MATRIX,
        MATRIX,
        VECTOR,
        types.boolean,
        MATRIX,
        VECTOR,
    ),
)
def _look(
    model: Any,
    opened: Any,
    at: int,
    speeds: Any,
    half: float,
    limit: float,
    frames: Any,
    steps: Any,
    simplex: Any,
    axes: Any,
    axis: Any,
    closely: bool,
    twists: Any,
    accelerations: Any,
) -> float:
    """Do the checks that row ``at`` of ``opened`` lists (how many, then which).

    A check is satisfied by a clearance of what it can lose in the time ``half``, or ``limit`` if
    that is more: ``half`` times its speed, or less by the levers that it has where it is now.
    Those that are not stay in the row. Returns how much time, of that in which ``half`` passes,
    the least satisfied one clears; -1 - check for the first that is in doubt.

    ``closely`` asks hulls about obstacles too: what is free within millimetres of one is then free
    for certain, at twice the time where things do touch.

    It is long because every array that is handed to a function of its own in these loops costs as
    much as the arithmetic: Numba counts the references.
    """
    entities, balls, spheres, pairs = model.entities, model.balls, model.spheres, model.pairs
    obstacles, planes, tree, order = model.obstacles, model.planes, model.tree, model.order
    nodes, leaves, points = model.nodes, model.leaves, model.points
    cleared = math.inf
    left = 0
    for k in range(1, opened[at, 0] + 1):
        check = opened[at, k]
        pair = check - entities.shape[0]
        one = check if pair < 0 else pairs[pair, 0]
        m = frame_of(frames, entities[one, 0])
        ball = balls[one, 3]
        bx, by, bz = placed(m, balls[one, 0], balls[one, 1], balls[one, 2])
        speed, bend = speeds[check], 0.0
        body = entities[one, 0]
        moves = pair < 0 and speed > 0.0 and accelerations[one] < math.inf
        if moves:
            vx, vy, vz = velocity_at(twists, body, bx, by, bz)
            turn = math.sqrt(twists[body, 3] ** 2 + twists[body, 4] ** 2 + twists[body, 5] ** 2)
            now = math.sqrt(vx * vx + vy * vy + vz * vz) + turn * ball
            if now + 0.5 * half * accelerations[one] < speed:
                speed, bend = now, accelerations[one]
        need = max(half * (speed + 0.5 * half * bend), limit)
        found = need
        first, last = entities[one, 1], entities[one, 2]
        if pair >= 0:
            two = pairs[pair, 1]
            n = frame_of(frames, entities[two, 0])
            other = balls[two, 3]
            ox, oy, oz = placed(n, balls[two, 0], balls[two, 1], balls[two, 2])
            gap = need + ball + other
            if (bx - ox) ** 2 + (by - oy) ** 2 + (bz - oz) ** 2 >= gap * gap:
                continue
            for s in range(first, last):
                radius = spheres[s, 3]
                x, y, z = placed(m, spheres[s, 0], spheres[s, 1], spheres[s, 2])
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
                time = pair_time(model, pair, half, limit, frames, steps, simplex, axes)
                if time >= half:
                    continue
                found = max(found, time * speeds[check])
        else:
            node = 0
            while node < tree.shape[0] and found > MARGIN:
                dx = max(tree[node, 0] - bx, 0.0, bx - tree[node, 3])
                dy = max(tree[node, 1] - by, 0.0, by - tree[node, 4])
                dz = max(tree[node, 2] - bz, 0.0, bz - tree[node, 5])
                gap = found + ball
                if dx * dx + dy * dy + dz * dz >= gap * gap:
                    node = int(tree[node, NODE_NEXT])
                    continue
                for place in range(int(tree[node, NODE_FIRST]), int(tree[node, NODE_LAST])):
                    w = order[place]
                    kind = int(obstacles[w, OBSTACLE_KIND])
                    hx, hy, hz = obstacles[w, 1], obstacles[w, 2], obstacles[w, 3]
                    inverse = (
                        obstacles[w, 4], obstacles[w, 5], obstacles[w, 6], obstacles[w, 7],
                        obstacles[w, 8], obstacles[w, 9], obstacles[w, 10], obstacles[w, 11],
                        obstacles[w, 12], obstacles[w, 13], obstacles[w, 14], obstacles[w, 15],
                    )  # fmt: skip
                    begin, end = int(obstacles[w, FIRST]), int(obstacles[w, LAST])
                    before = found
                    for s in range(first - 1, last):
                        # The ball around all spheres comes first, and may spare the rest.
                        x, y, z, radius = bx, by, bz, ball
                        if s >= first:
                            radius = spheres[s, 3]
                            x, y, z = placed(m, spheres[s, 0], spheres[s, 1], spheres[s, 2])
                        wx, wy, wz = x, y, z
                        x, y, z = placed(inverse, x, y, z)
                        nx, ny, nz = 0.0, 0.0, 0.0
                        if kind == BOX:
                            distance = _outside(abs(x) - hx, abs(y) - hy, abs(z) - hz)
                            nx, ny, nz = _beyond(x, hx), _beyond(y, hy), _beyond(z, hz)
                        elif kind == SPHERE:
                            distance = math.sqrt(x * x + y * y + z * z) - hx
                            nx, ny, nz = x, y, z
                        elif kind == CYLINDER:
                            beyond = math.sqrt(x * x + y * y) - hx
                            distance = _outside(beyond, abs(z) - hy, -math.inf)
                            share = max(beyond, 0.0) / max(beyond + hx, 1e-12)
                            nx, ny, nz = share * x, share * y, _beyond(z, hy)
                        elif kind == POLYHEDRON:
                            distance = -math.inf
                            for p in range(begin, end):
                                beyond = planes[p, 0] * x + planes[p, 1] * y + planes[p, 2] * z
                                if beyond - planes[p, 3] > distance:
                                    distance = beyond - planes[p, 3]
                                    nx, ny, nz = planes[p, 0], planes[p, 1], planes[p, 2]
                        elif kind == CLOUD:
                            limit_here = found + radius + hx
                            distance = cloud_distance(nodes, points, begin, x, y, z, limit_here)
                            distance -= hx
                        else:
                            limit_here = found + radius
                            distance = cluster_distance(nodes, leaves, begin, x, y, z, limit_here)
                        distance -= radius
                        if s < first:
                            if distance >= found:
                                break
                        elif distance < found:
                            if moves and distance > MARGIN:
                                vx, vy, vz = velocity_at(twists, body, wx, wy, wz)
                                vx, vy, vz = (
                                    inverse[0] * vx + inverse[1] * vy + inverse[2] * vz,
                                    inverse[4] * vx + inverse[5] * vy + inverse[6] * vz,
                                    inverse[8] * vx + inverse[9] * vy + inverse[10] * vz,
                                )
                                toward = _along(nx, ny, nz, vx, vy, vz)
                                time = time_to_move(toward, accelerations[one], distance)
                                moved = time * (speed + 0.5 * time * bend)
                                distance = max(distance, moved if time < half else need)
                            found = min(found, distance)
                            if found <= MARGIN:
                                break
                    if closely and found < before and found < HULLS_BELOW * need:
                        time = obstacle_time(
                            model, one, w, half, limit, frames, steps, simplex, axis,
                            twists, accelerations[one],
                        )  # fmt: skip
                        moved = max(time, 0.0) * (speed + 0.5 * time * bend)
                        by_hulls = moved if time < half else need
                        found = max(found, min(by_hulls, before))
                    if found <= MARGIN:
                        break
                node += 1
        if found <= MARGIN:
            return -1.0 - check
        if found < need:
            left += 1
            opened[at, left] = check
            cleared = min(cleared, time_to_move(speed, bend, found))
    opened[at, 0] = left
    return cleared


@inlined
def _list_checks(model: Any, a: Any, difference: Any, last: int, opened: Any, at: int) -> None:
    """List the checks of a way, first the one that was in doubt last: it is likely to be so again.

    Pairs of bodies that a map proves apart all along need none.
    """
    entities, pairs = model.entities, model.pairs
    count = 0
    checks = entities.shape[0] + pairs.shape[0]
    for k in range(-1, checks):
        check = last if k < 0 else k
        if not 0 <= check < checks or k == last:
            continue
        if check >= entities.shape[0]:
            row = pairs[check - entities.shape[0], 4]
            if row >= 0 and apart_on_map(model.maps, model.map_cells, row, a, difference):
                continue
        elif entities[check, 3] == 0:
            continue
        count += 1
        opened[at, count] = check
    opened[at, 0] = count


@kernel(types.void(MODEL, VECTOR, WORK))
def place_bodies(model: Any, q: Any, work: Any) -> None:
    """Write the bodies' frames at ``q`` (nq,) into ``work``."""
    _place_bodies(model.table, model.rows, q, work.frames)


@kernel(types.float64(MODEL, types.float64, types.float64, WORK))
def look(model: Any, half: float, limit: float, work: Any) -> float:
    """Do the checks of the first row of ``work.open``; see ``_look``."""
    return _look(
        model,
        work.open,
        0,
        work.speeds,
        half,
        limit,
        work.frames,
        work.steps,
        work.simplex,
        work.axes,
        work.axis,
        work.counts[CLOSELY] != 0,
        work.twists,
        work.accelerations,
    )


@kernel(types.boolean(MODEL, VECTOR, WORK))
def is_clear(model: Any, q: Any, work: Any) -> bool:
    """Return whether everything keeps a distance of more than MARGIN for certain."""
    work.counts[0] += 1
    _place_bodies(model.table, model.rows, q, work.frames)
    work.steps[:] = 0.0
    _list_checks(model, q, work.steps, work.counts[1], work.open, 0)
    work.speeds[:] = 0.0
    verdict = look(model, 1.0, 2.0 * MARGIN, work)
    if verdict < 0.0:
        work.counts[1] = int(-1.0 - verdict)
    return verdict >= 0.0


@kernel(types.void(MODEL, MATRIX, types.boolean[::1], WORK))
def free_batch(model: Any, q: Any, out: Any, work: Any) -> None:
    """Batch version of ``is_clear``: ``q`` (N, nq), ``out`` (N,)."""
    for k in range(q.shape[0]):
        out[k] = is_clear(model, q[k], work)


@kernel(types.int64(MODEL, KINDS, VECTOR, VECTOR, WORK))
def motion_verdict(model: Any, kinds: Any, a: Any, difference: Any, work: Any) -> int:
    """Return FREE if the whole way from ``a`` along ``difference`` is free, else DOUBT.

    An interval of the way is free if every clearance in its middle exceeds what the motion can
    take away until its ends. What one check leaves open is halved around the part that it clears,
    and only the checks that were not satisfied go on.
    """
    reach, pair_reach, counts = model.reach, model.pair_reach, work.counts
    intervals, opened, speeds, steps = work.intervals, work.open, work.speeds, work.steps
    frames, simplex, axes, axis = work.frames, work.simplex, work.axes, work.axis
    closely = counts[CLOSELY] != 0
    _list_checks(model, a, difference, counts[1], opened, 0)
    bodies = reach.shape[0]
    for check in range(speeds.shape[0]):
        speeds[check] = 0.0
    for j in range(kinds.shape[0]):
        step = abs(difference[j])
        steps[j] = step
        if step > 0.0:
            for check in range(bodies):
                speeds[check] += step * reach[check, j]
            for pair in range(pair_reach.shape[0]):
                speeds[bodies + pair] += step * pair_reach[pair, j]
    write_accelerations(model.table, model.chains, model.chain_reach, steps, work.accelerations)
    intervals[0, 0] = 0.0
    intervals[0, 1] = 1.0
    waiting = 1
    for _ in range(MOST_CHECKS):
        waiting -= 1
        low, high = intervals[waiting, 0], intervals[waiting, 1]
        middle, half = 0.5 * (low + high), 0.5 * (high - low)
        counts[0] += 1
        write_between(kinds, a, difference, middle, work.q)
        _place_bodies(model.table, model.rows, work.q, frames)
        place_twists(model.table, model.rows, frames, model.joint_axes, difference, work.twists)
        cleared = _look(
            model,
            opened,
            waiting,
            speeds,
            half,
            2.0 * MARGIN,
            frames,
            steps,
            simplex,
            axes,
            axis,
            closely,
            work.twists,
            work.accelerations,
        )
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
