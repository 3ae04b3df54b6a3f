"""Checks of one configuration: the time around it for which entities and pairs are clear."""

import math

import rigid_tree_kinematics.collision.world.arrays as arrays
from rigid_tree_kinematics.collision.conservative.hull_kernels import (
    time_between_hulls,
    time_to_obstacle_hull,
)
from rigid_tree_kinematics.collision.conservative.obstacle_distance import (
    obstacle_distance,
    squared_distance_from_box,
)
from rigid_tree_kinematics.collision.conservative.twist_kernels import (
    Pace,
    distance_moved,
    pace_of,
    speed_of_sphere,
    time_to_move,
    velocity_at,
)
from rigid_tree_kinematics.collision.world.arrays import MODEL, WORK, ConservativeModel, Work
from rigid_tree_kinematics.kernels import inlined, kernel, types
from rigid_tree_kinematics.kinematics.motion import Vector, read_table, twelve, unrotate
from rigid_tree_kinematics.kinematics.vectors import (
    dot,
    length,
    minus,
    rotated,
    transformed,
    vector,
)

# If the spheres prove less than this share of an interval, the slower hulls are checked.
HULLS_BELOW = 0.25


@inlined
def _along(direction: Vector, v: Vector) -> float:
    """Return the length of a vector along a direction, or its whole length if that is zero."""
    norm = length(direction)
    return length(v) if norm == 0.0 else abs(dot(direction, v)) / norm


@inlined
def _time_of_pair(model: ConservativeModel, work: Work, pair: int, half: float) -> float:
    """Return the time for which a pair is clear: infinite if satisfied, -1 if undecided."""
    speed = work.speeds[model.entities.shape[0] + pair]
    need = max(half * speed, 2.0 * arrays.MARGIN)
    found = _distance_between_spheres(model, work, pair, need)
    if found < HULLS_BELOW * need:
        time = time_between_hulls(model, work, pair, half)
        if time >= half:
            return math.inf
        found = max(found, time * speed)
    if found <= arrays.MARGIN:
        return -1.0
    return time_to_move(speed, 0.0, found) if found < need else math.inf


@inlined
def _distance_between_spheres(
    model: ConservativeModel, work: Work, pair: int, need: float
) -> float:
    """Return the distance between the spheres of two entities, or ``need`` if that is less.

    The search stops at the first two that are as near as MARGIN.
    """
    spheres, bounds, entities = model.spheres, model.bounding_spheres, model.entities
    one, two = model.pairs[pair]["one"], model.pairs[pair]["two"]
    m = read_table(work.frames, entities[one]["body"], 0)
    n = read_table(work.frames, entities[two]["body"], 0)
    other, size = transformed(n, vector(bounds, two, 0)), bounds[two, 3]
    away = minus(transformed(m, vector(bounds, one, 0)), other)
    if dot(away, away) >= (need + bounds[one, 3] + size) ** 2:
        return need
    found = need
    for s in range(entities[one]["first_sphere"], entities[one]["last_sphere"]):
        center, radius = transformed(m, vector(spheres, s, 0)), spheres[s, 3]
        away = minus(center, other)
        if dot(away, away) >= (found + radius + size) ** 2:
            continue
        local = unrotate(n, center[0] - n[3], center[1] - n[7], center[2] - n[11])
        for t in range(entities[two]["first_sphere"], entities[two]["last_sphere"]):
            away = minus(local, vector(spheres, t, 0))
            squared = dot(away, away)
            if squared < (max(found, 0.0) + radius + spheres[t, 3]) ** 2:
                found = min(found, math.sqrt(squared) - radius - spheres[t, 3])
        if found <= arrays.MARGIN:
            break
    return found


@inlined
def _time_in_world(model: ConservativeModel, work: Work, entity: int, half: float) -> float:
    """Return the time for which an entity is clear of the obstacles, as for a pair."""
    bounds, tree = model.bounding_spheres, model.world.tree
    body = model.entities[entity]["body"]
    m = read_table(work.frames, body, 0)
    center, size = transformed(m, vector(bounds, entity, 0)), bounds[entity, 3]
    anywhere = work.speeds[entity]
    acceleration, now = math.inf, 0.0
    if anywhere > 0.0 and work.accelerations[entity] < math.inf:
        acceleration = work.accelerations[entity]
        now = speed_of_sphere(work.twists, body, center, size)
    pace = pace_of(anywhere, now, acceleration, half)
    found = pace.need
    node = 0
    while node < tree.shape[0] and found > arrays.MARGIN:
        if squared_distance_from_box(tree[node], center) >= (found + size) ** 2:
            node = tree[node]["next"]
            continue
        for place in range(tree[node]["first"], tree[node]["last"]):
            w = model.world.order[place]
            found = _clearance_from_obstacle(model, work, entity, w, pace, found)
            if found <= arrays.MARGIN:
                work.counts[arrays.OBSTACLE_MET] = w
                return -1.0
        node += 1
    return time_to_move(pace.speed, pace.bend, found) if found < pace.need else math.inf


@inlined
def _clearance_from_obstacle(
    model: ConservativeModel, work: Work, entity: int, w: int, pace: Pace, before: float
) -> float:
    """Return the clearance of an entity from obstacle ``w``, or ``before`` if that is less."""
    body = model.entities[entity]["body"]
    m = read_table(work.frames, body, 0)
    inverse = twelve(model.world.obstacles[w]["inverse"])
    found = before
    # Often the bounding sphere suffices.
    size = model.bounding_spheres[entity, 3]
    local = transformed(inverse, transformed(m, vector(model.bounding_spheres, entity, 0)))
    distance, _ = obstacle_distance(model.world, w, local, found + size)
    if distance - size >= found:
        return before
    for s in range(model.entities[entity]["first_sphere"], model.entities[entity]["last_sphere"]):
        center, radius = transformed(m, vector(model.spheres, s, 0)), model.spheres[s, 3]
        local = transformed(inverse, center)
        distance, normal = obstacle_distance(model.world, w, local, found + radius)
        distance -= radius
        if distance >= found:
            continue
        if pace.acceleration < math.inf and distance > arrays.MARGIN:
            velocity = velocity_at(work.twists, body, center)
            toward = _along(normal, rotated(inverse, velocity))
            time = time_to_move(toward, pace.acceleration, distance)
            distance = max(distance, distance_moved(pace, time))
        found = min(found, distance)
        if found <= arrays.MARGIN:
            break
    if work.counts[arrays.CLOSELY] != 0 and found < before and found < HULLS_BELOW * pace.need:
        time = time_to_obstacle_hull(model, work, entity, w, pace.half, pace.acceleration)
        found = max(found, min(distance_moved(pace, max(time, 0.0)), before))
    return found


@kernel(types.Tuple((types.float64, types.int64))(MODEL, WORK, types.int64, types.float64))
def time_cleared(model: ConservativeModel, work: Work, row: int, half: float) -> tuple[float, int]:
    """Do the checks in a row of ``work.open``: their number, then their indices.

    A check is satisfied by a clearance of at least 2 MARGIN and of the possible approach in the
    time ``half``. Checks that are not satisfied stay in the row.

    Returns the shortest time for which a check is proven clear, infinite if all are satisfied,
    and the first undecided check; -1 if there is none.
    """
    entities, listed = model.entities.shape[0], work.open[row]
    cleared = math.inf
    left = 0
    for k in range(1, listed[0] + 1):
        check = listed[k]
        if check < entities:
            time = _time_in_world(model, work, check, half)
        else:
            time = _time_of_pair(model, work, check - entities, half)
        if time < 0.0:
            return 0.0, check
        if time < math.inf:
            left += 1
            listed[left] = check
            cleared = min(cleared, time)
    listed[0] = left
    return cleared, -1
