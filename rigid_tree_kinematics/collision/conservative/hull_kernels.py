"""Clearances between convex hulls, where spheres clear little: of two bodies, of an obstacle."""

from __future__ import annotations

import math

from rigid_tree_kinematics.arrays import Array
from rigid_tree_kinematics.collision.conservative.twist_kernels import (
    pace_of,
    speed_of_ball,
    time_to_move,
    velocity_at,
)
from rigid_tree_kinematics.collision.shapes.hull_distance import hull_gap
from rigid_tree_kinematics.collision.shapes.vectors import (
    Vector,
    cross,
    dot,
    length,
    minus,
    relative,
    rotated,
    transformed,
    vector,
)
from rigid_tree_kinematics.collision.world.arrays import (
    BODY,
    FIRST_HULL,
    HULL_FIRST,
    HULL_LAST,
    HULL_RADIUS,
    LAST_HULL,
    MARGIN,
    MODEL,
    OBSTACLE_BALL,
    OBSTACLE_HULL,
    OBSTACLE_RADIUS,
    ONE,
    PAIR_AXES,
    PAIR_REACH,
    TWO,
    WORK,
    ConservativeModel,
    Work,
)
from rigid_tree_kinematics.kernels import inlined, kernel, types
from rigid_tree_kinematics.kinematics.motion import IDENTITY, read_table, unrotate


@inlined
def _speed(reach: Array, row: int, steps: Array) -> float:
    """Return how far a motion by ``steps`` (nq,) moves something at most."""
    total = 0.0
    for k in range(steps.shape[0]):
        if steps[k] > 0.0:  # a reach without limits is infinite
            total += reach[row, k] * steps[k]
    return total


@inlined
def _corners(model: ConservativeModel, hull: int) -> tuple[int, int]:
    """Return the first corner of a body's hull, and the one behind its last."""
    return int(model.hulls[hull, HULL_FIRST]), int(model.hulls[hull, HULL_LAST])


@inlined
def _are_near(a: Vector, b: Vector, distance: float) -> bool:
    away = minus(a, b)
    return dot(away, away) < distance * distance


@kernel(types.float64(MODEL, WORK, types.int64, types.float64), allocates=False)
def time_between_hulls(model: ConservativeModel, work: Work, pair: int, half: float) -> float:
    """Return how much time a pair's hulls clear, at least ``half`` if that much is proven.

    -1 if two hulls may be as near as MARGIN. What is near a joint moves slowly: every two hulls
    have a speed of their own, which is why this may clear far more than the spheres do.
    """
    hulls, entities = model.hulls, model.entities
    one, two = model.pairs[pair, ONE], model.pairs[pair, TWO]
    first, second = entities[one, FIRST_HULL], entities[two, FIRST_HULL]
    last_of_one, last_of_two = entities[one, LAST_HULL], entities[two, LAST_HULL]
    if first == last_of_one or second == last_of_two:
        return -1.0
    m = read_table(work.frames, entities[one, BODY], 0)
    n = read_table(work.frames, entities[two, BODY], 0)
    T_one_two = relative(m, n)
    row, axis = model.pairs[pair, PAIR_REACH], model.pairs[pair, PAIR_AXES] - 1
    cleared = math.inf
    for a in range(first, last_of_one):
        centre = transformed(m, vector(hulls, a, 0))
        a_first, a_last = _corners(model, a)
        own = _speed(model.hull_reach, row + a - first, work.steps)
        for b in range(second, last_of_two):
            axis += 1
            at = row + last_of_one - first + b - second
            speed = own + _speed(model.hull_reach, at, work.steps)
            need = max(half * speed, 2.0 * MARGIN)
            other = transformed(n, vector(hulls, b, 0))
            if not _are_near(centre, other, need + hulls[a, 3] + hulls[b, 3]):
                continue
            radius = hulls[a, HULL_RADIUS] + hulls[b, HULL_RADIUS]
            b_first, b_last = _corners(model, b)
            gap = hull_gap(
                model.corners[a_first:a_last],
                model.corners[b_first:b_last],
                T_one_two,
                need + radius,
                work.simplex,
                work.axes[axis],
            )
            gap -= radius
            if gap <= MARGIN:
                return -1.0
            if gap < need:
                cleared = min(cleared, gap / speed)
    return cleared


@kernel(
    types.float64(MODEL, WORK, types.int64, types.int64, types.float64, types.float64),
    allocates=False,
)
def time_to_obstacle_hull(
    model: ConservativeModel,
    work: Work,
    entity: int,
    obstacle: int,
    half: float,
    acceleration: float,
) -> float:
    """Return the same for the hulls of an entity and the hull of an obstacle."""
    hulls, twists, world = model.hulls, work.twists, model.world
    begin = int(world.obstacles[obstacle, OBSTACLE_HULL])
    end = int(world.obstacles[obstacle, OBSTACLE_HULL + 1])
    first, last = model.entities[entity, FIRST_HULL], model.entities[entity, LAST_HULL]
    if first == last or begin == end:
        return -1.0
    i = model.entities[entity, BODY]
    m = read_table(work.frames, i, 0)
    T_body_base = relative(m, IDENTITY)
    middle = vector(world.obstacles, obstacle, OBSTACLE_BALL)
    ball = world.obstacles[obstacle, OBSTACLE_BALL + 3]
    cleared = math.inf
    for a in range(first, last):
        centre, size = transformed(m, vector(hulls, a, 0)), hulls[a, 3]
        anywhere = _speed(model.world_reach, a, work.steps)
        pace = pace_of(anywhere, speed_of_ball(twists, i, centre, size), acceleration, half)
        if not _are_near(centre, middle, pace.need + size + ball):
            continue
        # The direction to try first: from one middle to the other, in the body's frame.
        away = minus(centre, middle)
        work.axis[0], work.axis[1], work.axis[2] = unrotate(m, away[0], away[1], away[2])
        radius = hulls[a, HULL_RADIUS] + world.obstacles[obstacle, OBSTACLE_RADIUS]
        a_first, a_last = _corners(model, a)
        gap = hull_gap(
            model.corners[a_first:a_last],
            world.corners[begin:end],
            T_body_base,
            pace.need + radius,
            work.simplex,
            work.axis,
        )
        gap -= radius
        if gap <= MARGIN:
            return -1.0
        if gap < pace.need:
            time = time_to_move(pace.speed, pace.bend, gap)
            if acceleration < math.inf:
                normal = rotated(m, (work.axis[0], work.axis[1], work.axis[2]))
                toward = abs(dot(normal, velocity_at(twists, i, centre)))
                toward += size * length(cross(vector(twists, i, 3), normal))
                time = max(time, time_to_move(toward, acceleration, gap))
            if time < half:
                cleared = min(cleared, time)
    return cleared
