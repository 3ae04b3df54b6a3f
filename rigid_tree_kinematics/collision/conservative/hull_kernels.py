"""Clearances between the convex hulls of two bodies, or of a body and an obstacle.

They are used where the bounding spheres prove little clearance.
"""

import math

import rigid_tree_kinematics.collision.world.arrays as arrays
from rigid_tree_kinematics.arrays import Array
from rigid_tree_kinematics.collision.conservative.twist_kernels import (
    pace_of,
    speed_of_sphere,
    time_to_move,
    velocity_at,
)
from rigid_tree_kinematics.collision.shapes.hull_distance import hull_gap
from rigid_tree_kinematics.collision.world.arrays import MODEL, WORK, ConservativeModel, Work
from rigid_tree_kinematics.kernels import inlined, kernel, types
from rigid_tree_kinematics.kinematics.motion import IDENTITY, Vector, read_table, unrotate
from rigid_tree_kinematics.kinematics.vectors import (
    cross,
    dot,
    length,
    minus,
    relative,
    rotated,
    transformed,
    triple,
    vector,
)


@inlined
def _speed(reach: Array, row: int, steps: Array) -> float:
    """Return the maximum displacement of a point for a motion by ``steps`` (nq,)."""
    total = 0.0
    for k in range(steps.shape[0]):
        if steps[k] > 0.0:  # the reach of a position without limits is infinite
            total += reach[row, k] * steps[k]
    return total


@inlined
def _are_near(a: Vector, b: Vector, distance: float) -> bool:
    away = minus(a, b)
    return dot(away, away) < distance * distance


@kernel(types.float64(MODEL, WORK, types.int64, types.float64))
def time_between_hulls(model: ConservativeModel, work: Work, pair: int, half: float) -> float:
    """Return how long a pair's hulls are proven clear; ``half`` or more proves all.

    -1 if two hulls can be within MARGIN. Each pair of hulls has its own speed, as points near a
    joint move slowly. That is why hulls can prove far more than spheres.
    """
    hulls, entities = model.hulls, model.entities
    one, two = entities[model.pairs[pair]["one"]], entities[model.pairs[pair]["two"]]
    first, second = one["first_hull"], two["first_hull"]
    last_of_one, last_of_two = one["last_hull"], two["last_hull"]
    if first == last_of_one or second == last_of_two:
        return -1.0
    m = read_table(work.frames, one["body"], 0)
    n = read_table(work.frames, two["body"], 0)
    T_one_two = relative(m, n)
    row, axis = model.pairs[pair]["reach"], model.pairs[pair]["axes"] - 1
    cleared = math.inf
    for a in range(first, last_of_one):
        center, size = transformed(m, triple(hulls[a]["sphere"])), hulls[a]["sphere"][3]
        own = model.corners[hulls[a]["first_corner"] : hulls[a]["last_corner"]]
        own_speed = _speed(model.hull_reach, row + a - first, work.steps)
        for b in range(second, last_of_two):
            axis += 1
            at = row + last_of_one - first + b - second
            speed = own_speed + _speed(model.hull_reach, at, work.steps)
            need = max(half * speed, 2.0 * arrays.MARGIN)
            other_center = transformed(n, triple(hulls[b]["sphere"]))
            if not _are_near(center, other_center, need + size + hulls[b]["sphere"][3]):
                continue
            radius = hulls[a]["radius"] + hulls[b]["radius"]
            other = model.corners[hulls[b]["first_corner"] : hulls[b]["last_corner"]]
            gap = hull_gap(own, other, T_one_two, need + radius, work.simplex, work.axes[axis])
            gap -= radius
            if gap <= arrays.MARGIN:
                return -1.0
            if gap < need:
                cleared = min(cleared, gap / speed)
    return cleared


@kernel(types.float64(MODEL, WORK, types.int64, types.int64, types.float64, types.float64))
def time_to_obstacle_hull(
    model: ConservativeModel, work: Work, entity: int, w: int, half: float, acceleration: float
) -> float:
    """Return how long an entity's hulls are proven clear of the hull of obstacle ``w``."""
    hulls, twists, obstacle = model.hulls, work.twists, model.world.obstacles[w]
    begin, end = obstacle["corners"][0], obstacle["corners"][1]
    i, first = model.entities[entity]["body"], model.entities[entity]["first_hull"]
    last = model.entities[entity]["last_hull"]
    if first == last or begin == end:
        return -1.0
    m = read_table(work.frames, i, 0)
    T_body_base = relative(m, IDENTITY)
    middle, reach = triple(obstacle["sphere"]), obstacle["sphere"][3]
    other = model.world.corners[begin:end]
    cleared = math.inf
    for a in range(first, last):
        center, size = transformed(m, triple(hulls[a]["sphere"])), hulls[a]["sphere"][3]
        own = model.corners[hulls[a]["first_corner"] : hulls[a]["last_corner"]]
        anywhere = _speed(model.world_reach, a, work.steps)
        pace = pace_of(anywhere, speed_of_sphere(twists, i, center, size), acceleration, half)
        if not _are_near(center, middle, pace.need + size + reach):
            continue
        # The direction to try first: from one center to the other, in the body's frame.
        away = minus(center, middle)
        work.axis[0], work.axis[1], work.axis[2] = unrotate(m, away[0], away[1], away[2])
        radius = hulls[a]["radius"] + obstacle["hull_radius"]
        gap = hull_gap(own, other, T_body_base, pace.need + radius, work.simplex, work.axis)
        gap -= radius
        if gap <= arrays.MARGIN:
            return -1.0
        if gap < pace.need:
            time = time_to_move(pace.speed, pace.bend, gap)
            if acceleration < math.inf:
                normal = rotated(m, (work.axis[0], work.axis[1], work.axis[2]))
                toward = abs(dot(normal, velocity_at(twists, i, center)))
                toward += size * length(cross(vector(twists, i, 3), normal))
                time = max(time, time_to_move(toward, acceleration, gap))
            if time < half:
                cleared = min(cleared, time)
    return cleared
