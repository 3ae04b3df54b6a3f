"""Kernels that ask convex hulls where spheres clear little: bodies of a robot, and obstacles."""

from __future__ import annotations

import math
from typing import Any

from numba import types

from rigid_tree_kinematics.collision.conservative.placing import frame_of, placed
from rigid_tree_kinematics.collision.conservative.twist_kernels import time_to_move, velocity_at
from rigid_tree_kinematics.collision.shapes.hull_distance import hull_gap
from rigid_tree_kinematics.collision.world.arrays import (
    HULL_FIRST,
    HULL_LAST,
    HULL_RADIUS,
    MARGIN,
    MODEL,
    OBSTACLE_BALL,
    OBSTACLE_HULL,
)
from rigid_tree_kinematics.kernels import MATRIX, VECTOR, kernel


@kernel(
    types.float64(
        MODEL,
        types.int64,
        types.float64,
        types.float64,
        MATRIX,
        VECTOR,
        MATRIX,
        MATRIX,
    ),
)
def pair_time(
    model: Any,
    pair: int,
    half: float,
    limit: float,
    frames: Any,
    steps: Any,
    simplex: Any,
    axes: Any,
) -> float:
    """Return how much time a pair's hulls clear, at least ``half`` if that much is sure.

    -1 if two hulls may be as near as MARGIN. What is near a joint moves slowly: every two hulls
    have a speed of their own, which is why this may clear far more than the spheres do.
    """
    hulls, entities, reach = model.hulls, model.entities, model.hull_reach
    one, two = model.pairs[pair, 0], model.pairs[pair, 1]
    i, j = entities[one, 0], entities[two, 0]
    first, second = entities[one, 4], entities[two, 4]
    first_end, second_end = entities[one, 5], entities[two, 5]
    if first == first_end or second == second_end:
        return -1.0
    m, n = frame_of(frames, i), frame_of(frames, j)
    row, line = model.pairs[pair, 2], model.pairs[pair, 3] - 1
    cleared = math.inf
    for a in range(first, first_end):
        ax, ay, az = placed(m, hulls[a, 0], hulls[a, 1], hulls[a, 2])
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
            bx, by, bz = placed(n, hulls[b, 0], hulls[b, 1], hulls[b, 2])
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
                simplex,
                axes[line],
            )
            gap -= radius
            if gap <= MARGIN:
                return -1.0
            if gap < need:
                cleared = min(cleared, gap / speed)
    return cleared


@kernel(
    types.float64(
        MODEL,
        types.int64,
        types.int64,
        types.float64,
        types.float64,
        MATRIX,
        VECTOR,
        MATRIX,
        VECTOR,
        MATRIX,
        types.float64,
    ),
)
def obstacle_time(
    model: Any,
    entity: int,
    obstacle: int,
    half: float,
    limit: float,
    frames: Any,
    steps: Any,
    simplex: Any,
    axis: Any,
    twists: Any,
    acceleration: float,
) -> float:
    """Return the same for the hulls of one entity and the hull of one obstacle.

    Obstacles stand in the base frame, which is row 0 of the frames.
    """
    hulls, entities, reach = model.hulls, model.entities, model.world_reach
    begin = int(model.obstacles[obstacle, OBSTACLE_HULL])
    end = int(model.obstacles[obstacle, OBSTACLE_HULL + 1])
    first, last = entities[entity, 4], entities[entity, 5]
    if first == last or begin == end:
        return -1.0
    i = entities[entity, 0]
    m = frame_of(frames, i)
    ox = model.obstacles[obstacle, OBSTACLE_BALL]
    oy = model.obstacles[obstacle, OBSTACLE_BALL + 1]
    oz = model.obstacles[obstacle, OBSTACLE_BALL + 2]
    ball = model.obstacles[obstacle, OBSTACLE_BALL + 3]
    grown = model.obstacles[obstacle, OBSTACLE_BALL + 4]
    cleared = math.inf
    wx, wy, wz = twists[i, 3], twists[i, 4], twists[i, 5]
    turn = math.sqrt(wx * wx + wy * wy + wz * wz)
    for a in range(first, last):
        speed, bend = 0.0, 0.0
        for k in range(steps.shape[0]):
            speed += reach[a, k] * steps[k]
        ax, ay, az = placed(m, hulls[a, 0], hulls[a, 1], hulls[a, 2])
        vx, vy, vz = velocity_at(twists, i, ax, ay, az)
        now = math.sqrt(vx * vx + vy * vy + vz * vz) + turn * hulls[a, 3]
        if now + 0.5 * half * acceleration < speed:
            speed, bend = now, acceleration
        need = max(half * (speed + 0.5 * half * bend), limit)
        x, y, z = ax - ox, ay - oy, az - oz
        gap = need + hulls[a, 3] + ball
        if x * x + y * y + z * z >= gap * gap:
            continue
        # The first direction to look: from one middle to the other, in the entity's frame.
        axis[0], axis[1], axis[2] = (
            m[0] * x + m[4] * y + m[8] * z,
            m[1] * x + m[5] * y + m[9] * z,
            m[2] * x + m[6] * y + m[10] * z,
        )
        radius = hulls[a, HULL_RADIUS] + grown
        gap = hull_gap(
            model.corners,
            int(hulls[a, HULL_FIRST]),
            int(hulls[a, HULL_LAST]),
            model.world_corners,
            begin,
            end,
            frames,
            i,
            0,
            need + radius,
            simplex,
            axis,
        )
        gap -= radius
        if gap <= MARGIN:
            return -1.0
        if gap < need:
            time = time_to_move(speed, bend, gap)
            if acceleration < math.inf:
                nx, ny, nz = axis[0], axis[1], axis[2]
                nx, ny, nz = (
                    m[0] * nx + m[1] * ny + m[2] * nz,
                    m[4] * nx + m[5] * ny + m[6] * nz,
                    m[8] * nx + m[9] * ny + m[10] * nz,
                )
                cx, cy, cz = wy * nz - wz * ny, wz * nx - wx * nz, wx * ny - wy * nx
                toward = abs(nx * vx + ny * vy + nz * vz)
                toward += hulls[a, 3] * math.sqrt(cx * cx + cy * cy + cz * cz)
                time = max(time, time_to_move(toward, acceleration, gap))
            if time < half:
                cleared = min(cleared, time)
    return cleared
