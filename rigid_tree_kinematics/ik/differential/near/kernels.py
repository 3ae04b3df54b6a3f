"""Rows of near bodies: distances of hulls, their gradients, and bounds of the distances.

The checker's hulls and spheres contain the shapes, so all distances are lower bounds.
"""

import math

import rigid_tree_kinematics.collision.world.arrays as arrays
from rigid_tree_kinematics.arrays import Array
from rigid_tree_kinematics.collision.conservative.obstacle_distance import (
    obstacle_distance,
    squared_distance_from_box,
)
from rigid_tree_kinematics.ik.differential.near.closest_points import closest_points
from rigid_tree_kinematics.ik.differential.near.near_arrays import (
    BODIES,
    MINIMUM,
    NEAR,
    PERIOD,
    RATE,
    ROBOT_PAIR,
    SCENE_MINIMUM,
    WITHIN,
    Bodies,
    NearRows,
)
from rigid_tree_kinematics.ik.differential.steps.task_kernels import POINT, allowed_approach
from rigid_tree_kinematics.kernels import (
    BATCH,
    MATRIX,
    READ_1D,
    TABLE,
    VECTOR,
    inlined,
    kernel,
    types,
)
from rigid_tree_kinematics.kinematics.kernels import body_transforms
from rigid_tree_kinematics.kinematics.motion import (
    IDENTITY,
    Vector,
    read_transform,
    rotate,
    twelve,
    unrotate,
    velocity_axis,
    velocity_count,
)
from rigid_tree_kinematics.kinematics.topology import (
    copy_numbers,
    write_difference,
    write_displacement,
)
from rigid_tree_kinematics.kinematics.vectors import (
    cross,
    dot,
    minus,
    relative,
    rotated,
    transformed,
    triple,
    vector,
)
from rigid_tree_kinematics.model.columns import KIND, PARENT, VELOCITY

NUMBER = types.float64
SLACK = 1e-5  # m, added to the minimum: distances are not linear in a step
ALSO_NEAR = 0.02  # m, beyond the nearest sphere: others with a row
RESERVED = 16  # rows that only ``add_found`` uses
PROBE = 1e-5  # m, for the direction of the distance from a cloud or a cluster


@kernel(types.void(TABLE, READ_1D, BATCH, types.int64, POINT, POINT, MATRIX, types.int64))
def add_gradient(
    table: Array,
    q: Array,
    frames: Array,
    body: int,
    point: Vector,
    normal: Vector,
    out: Array,
    row: int,
) -> None:
    """Add the rate at which a point of a body moves along a normal to a row of ``out`` (P, nv)."""
    moment = cross(point, normal)
    i = body
    while i > 0:
        m = read_transform(frames, i)
        first = int(table[i, VELOCITY])
        for k in range(velocity_count(int(table[i, KIND]))):
            turns, ax, ay, az, px, py, pz = velocity_axis(table, q, i, k)
            axis = rotate(m, ax, ay, az)
            if turns != 0.0:
                joint = transformed(m, (px, py, pz))
                out[row, first + k] += dot(axis, minus(moment, cross(joint, normal)))
            else:
                out[row, first + k] += dot(axis, normal)
        i = int(table[i, PARENT])


@inlined
def _write_row(
    bodies: Bodies, near: NearRows, q: Array, row: int, pair: tuple[int, int, int]
) -> None:
    """Write the bodies of a row, and the gradient of their distance."""
    first, second, obstacle = pair
    near.bodies[row, 0], near.bodies[row, 1], near.bodies[row, 2] = first, second, obstacle
    for k in range(near.gradients.shape[1]):
        near.gradients[row, k] = 0.0
    x, y, z = vector(near.points, 0, 0)
    normal = (near.axis[0], near.axis[1], near.axis[2])
    add_gradient(bodies.table, q, near.frames, first, (x, y, z), normal, near.gradients, row)
    away = (-normal[0], -normal[1], -normal[2])
    other = vector(near.points, 1, 0)
    add_gradient(bodies.table, q, near.frames, second, other, away, near.gradients, row)


@inlined
def _add_row(
    bodies: Bodies, near: NearRows, q: Array, first: int, second: int, obstacle: int, room: float
) -> None:
    """Add the row of two bodies; ``near.points`` and ``near.axis`` are in the base frame."""
    row, most = near.counts[0], near.low.shape[0] - RESERVED
    if row == most:  # replace the farthest one
        row = 0
        for k in range(1, most):
            if near.low[k] > near.low[row]:
                row = k
        if near.low[row] <= room - SLACK:
            return
    else:
        near.counts[0] = row + 1
    _write_row(bodies, near, q, row, (first, second, obstacle))
    near.low[row] = room - SLACK  # the speed is written when all rows are known


@inlined
def _to_base(near: NearRows, body: int) -> None:
    """Rotate and move ``near.axis`` (made a unit) and ``near.points`` from a body's frame."""
    m = read_transform(near.frames, body)
    v = (near.axis[0], near.axis[1], near.axis[2])
    scale = 1.0 / math.sqrt(dot(v, v))
    near.axis[0], near.axis[1], near.axis[2] = rotated(
        m, (v[0] * scale, v[1] * scale, v[2] * scale)
    )
    for k in range(2):
        x, y, z = transformed(m, vector(near.points, k, 0))
        near.points[k, 0], near.points[k, 1], near.points[k, 2] = x, y, z


@inlined
def _check_pair(bodies: Bodies, near: NearRows, q: Array, pair: int) -> float:
    """Add the rows of a pair's near hulls; return a lower bound of its distance."""
    entities, hulls, within = bodies.entities, bodies.hulls, near.settings[WITHIN]
    one, two = bodies.pairs[pair]["one"], bodies.pairs[pair]["two"]
    first, second = entities[one]["body"], entities[two]["body"]
    m, n = read_transform(near.frames, first), read_transform(near.frames, second)
    spheres = bodies.bounding_spheres
    away = minus(transformed(m, vector(spheres, one, 0)), transformed(n, vector(spheres, two, 0)))
    found = math.sqrt(dot(away, away)) - spheres[one, 3] - spheres[two, 3]
    if found > within:
        return float(found)
    T = relative(m, n)
    found = math.inf
    for a in range(entities[one]["first_hull"], entities[one]["last_hull"]):
        own = bodies.corners[hulls[a]["first_corner"] : hulls[a]["last_corner"]]
        for b in range(entities[two]["first_hull"], entities[two]["last_hull"]):
            away = minus(triple(hulls[a]["sphere"]), transformed(T, triple(hulls[b]["sphere"])))
            gap = math.sqrt(dot(away, away)) - hulls[a]["sphere"][3] - hulls[b]["sphere"][3]
            if gap <= within:
                begin, end = hulls[b]["first_corner"], hulls[b]["last_corner"]
                other = bodies.corners[begin:end]
                radius = hulls[a]["radius"] + hulls[b]["radius"]
                for c in range(3):
                    near.axis[c] = near.axes[pair, c]
                gap = closest_points(
                    own, other, T, 2.0 * within + radius, near.simplex, near.axis, near.points
                )
                for c in range(3):
                    near.axes[pair, c] = near.axis[c]
                gap -= radius
                if arrays.MARGIN < gap <= within:
                    _to_base(near, first)
                    floor = near.floors[pair]
                    if floor == math.inf:
                        floor = min(near.settings[MINIMUM], gap - SLACK)
                    _add_row(bodies, near, q, first, second, ROBOT_PAIR, gap - floor)
            found = min(found, gap)
    return float(found)


@inlined
def _check_obstacle_hull(bodies: Bodies, near: NearRows, q: Array, entity: int, w: int) -> float:
    """Add the rows of an entity's hulls near an obstacle's hull; return a bound of the gap."""
    entities, hulls, within = bodies.entities, bodies.hulls, near.settings[WITHIN]
    obstacles, body = bodies.world.obstacles, entities[entity]["body"]
    m = read_transform(near.frames, body)
    T = relative(m, IDENTITY)
    middle = triple(obstacles[w]["sphere"])
    corners = obstacles[w]["corners"]
    other = bodies.world.corners[corners[0] : corners[1]]
    found = math.inf
    for a in range(entities[entity]["first_hull"], entities[entity]["last_hull"]):
        away = minus(transformed(m, triple(hulls[a]["sphere"])), middle)
        gap = math.sqrt(dot(away, away)) - hulls[a]["sphere"][3] - obstacles[w]["sphere"][3]
        if gap <= within:
            own = bodies.corners[hulls[a]["first_corner"] : hulls[a]["last_corner"]]
            radius = hulls[a]["radius"] + obstacles[w]["hull_radius"]
            near.axis[0], near.axis[1], near.axis[2] = unrotate(m, away[0], away[1], away[2])
            gap = closest_points(
                own, other, T, 2.0 * within + radius, near.simplex, near.axis, near.points
            )
            gap -= radius
            if arrays.MARGIN < gap <= within:
                _to_base(near, body)
                _add_row(bodies, near, q, body, 0, w, gap - near.settings[SCENE_MINIMUM])
        found = min(found, gap)
    return float(found)


@inlined
def _check_obstacle_spheres(
    bodies: Bodies, near: NearRows, q: Array, entity: int, w: int
) -> float:
    """Add rows of an entity's spheres near a cloud or cluster; return a bound of the gap."""
    entities, within, body = (
        bodies.entities,
        near.settings[WITHIN],
        bodies.entities[entity]["body"],
    )
    m = read_transform(near.frames, body)
    inverse = twelve(bodies.world.obstacles[w]["inverse"])
    found, first = 2.0 * within, entities[entity]["first_sphere"]
    last = entities[entity]["last_sphere"]
    for s in range(first, last):
        local = transformed(inverse, transformed(m, vector(bodies.spheres, s, 0)))
        gap, _ = obstacle_distance(bodies.world, w, local, found + bodies.spheres[s, 3])
        found = min(found, gap - bodies.spheres[s, 3])
    if not arrays.MARGIN < found <= within:
        return float(found)
    for s in range(first, last):
        center, radius = transformed(m, vector(bodies.spheres, s, 0)), bodies.spheres[s, 3]
        limit = found + ALSO_NEAR + radius
        gap, _ = obstacle_distance(bodies.world, w, transformed(inverse, center), limit)
        if gap >= limit:
            continue
        for c in range(3):
            x, y, z = center
            x, y, z = (
                x + (PROBE if c == 0 else 0.0),
                y + (PROBE if c == 1 else 0.0),
                z + (PROBE if c == 2 else 0.0),
            )
            local = transformed(inverse, (x, y, z))
            beyond, _ = obstacle_distance(bodies.world, w, local, gap + 2.0 * PROBE)
            near.axis[c] = (beyond - gap) / PROBE
            near.points[0, c] = near.points[1, c] = center[c]
        v = (near.axis[0], near.axis[1], near.axis[2])
        size = max(math.sqrt(dot(v, v)), 1e-12)
        for c in range(3):
            near.axis[c] = v[c] / size
        room = gap - radius - near.settings[SCENE_MINIMUM]
        _add_row(bodies, near, q, body, 0, w, room)
    return float(found)


@inlined
def _check_world(bodies: Bodies, near: NearRows, q: Array, entity: int) -> float:
    """Add the rows of an entity near obstacles; return a lower bound of its distance."""
    within, tree = near.settings[WITHIN], bodies.world.tree
    m = read_transform(near.frames, bodies.entities[entity]["body"])
    center = transformed(m, vector(bodies.bounding_spheres, entity, 0))
    size = bodies.bounding_spheres[entity, 3]
    found, node = 2.0 * within, 0
    while node < tree.shape[0]:
        if squared_distance_from_box(tree[node], center) >= (2.0 * within + size) ** 2:
            node = tree[node]["next"]
            continue
        for place in range(tree[node]["first"], tree[node]["last"]):
            w = bodies.world.order[place]
            corners = bodies.world.obstacles[w]["corners"]
            has_hull = corners[0] < corners[1]
            has_hull &= (
                bodies.entities[entity]["first_hull"] < bodies.entities[entity]["last_hull"]
            )
            if has_hull:
                gap = _check_obstacle_hull(bodies, near, q, entity, w)
            else:
                gap = _check_obstacle_spheres(bodies, near, q, entity, w)
            found = min(found, gap)
        node += 1
    return float(found)


@inlined
def _approach(reach: Array, row: int, shift: Array) -> float:
    """Return how much a distance can shrink by a displacement (nq,)."""
    total = 0.0
    for k in range(shift.shape[0]):
        if shift[k] != 0.0:  # the reach of a position without limits is infinite
            total += reach[row, k] * abs(shift[k])
    return float(total)


@kernel(types.boolean(BODIES, NEAR, READ_1D, VECTOR))
def find_near(bodies: Bodies, near: NearRows, state: Array, out: Array) -> bool:
    """Write the rows at the start of a step, and their number to ``out`` (1,); return True.

    Only bodies that can be near since their distance was last computed are looked at.
    """
    nq, nv, entities = near.last.shape[0], near.gradients.shape[1], bodies.entities.shape[0]
    q, within = state[:nq], near.settings[WITHIN]
    body_transforms(bodies.table, q, near.frames)
    write_difference(bodies.kinds, near.last, q, near.shift)
    copy_numbers(q, near.last)
    near.counts[0] = 0
    for entity in range(entities):
        near.clear[entity] -= _approach(bodies.reach, entity, near.shift)
        is_checked = bodies.entities[entity]["in_world"] != 0
        if is_checked and bodies.world.tree.shape[0] > 0 and not near.clear[entity] > within:
            near.clear[entity] = _check_world(bodies, near, q, entity)
    for pair in range(bodies.pairs.shape[0]):
        near.clear[entities + pair] -= _approach(bodies.pair_reach, pair, near.shift)
        if not near.clear[entities + pair] > within:
            near.clear[entities + pair] = _check_pair(bodies, near, q, pair)
        if near.floors[pair] == math.inf:  # bodies that start nearer keep that distance
            near.floors[pair] = min(near.settings[MINIMUM], near.clear[entities + pair] - SLACK)
    period = near.settings[PERIOD]
    time = period + _stopping_time(near, state[nq : nq + nv])
    for row in range(near.counts[0]):
        near.low[row] = -allowed_approach(near.low[row], near.settings[RATE], period, time)
    out[0] = near.counts[0]
    return True


@inlined
def _stopping_time(near: NearRows, v: Array) -> float:
    time = 0.0
    for k in range(v.shape[0]):
        time = max(time, abs(v[k]) / near.accelerations[k])
    return float(time)


@kernel(types.void(BODIES, NEAR, READ_1D, types.int64, types.int64, types.int64, NUMBER))
def add_found(
    bodies: Bodies,
    near: NearRows,
    state: Array,
    first: int,
    second: int,
    obstacle: int,
    room: float,
) -> None:
    """Add the row of two bodies by their ``near.points`` and the unit vector ``near.axis``."""
    nq, nv, row = near.last.shape[0], near.gradients.shape[1], near.counts[0]
    if row < near.low.shape[0]:
        near.counts[0] = row + 1
        _write_row(bodies, near, state[:nq], row, (first, second, obstacle))
        period = near.settings[PERIOD]
        time = period + _stopping_time(near, state[nq : nq + nv])
        near.low[row] = -allowed_approach(room, near.settings[RATE], period, time)


@kernel(types.boolean(BODIES, NEAR, READ_1D, VECTOR))
def is_clear(bodies: Bodies, near: NearRows, state: Array, out: Array) -> bool:
    """Return whether the step to ``state`` and a stop after it are proven to be free.

    The step starts where ``find_near`` was called. A distance shrinks at most by the reach of
    the motions. Writes 1 to ``out`` (1,).
    """
    out[0] = 1.0
    nq, nv, entities = near.last.shape[0], near.gradients.shape[1], bodies.entities.shape[0]
    v = state[nq : nq + nv]
    # The step is the velocity times the period, and the stop at most half the stopping time.
    write_displacement(bodies.table, state[:nq], v, near.shift)
    time = near.settings[PERIOD] + 0.5 * _stopping_time(near, v)
    for k in range(nq):
        near.shift[k] *= time
    for entity in range(entities):
        is_checked = bodies.entities[entity]["in_world"] != 0
        if is_checked and bodies.world.tree.shape[0] > 0:
            approach = _approach(bodies.reach, entity, near.shift)
            if not near.clear[entity] - approach > arrays.MARGIN:
                return False
    for pair in range(bodies.pairs.shape[0]):
        approach = _approach(bodies.pair_reach, pair, near.shift)
        if not near.clear[entities + pair] - approach > arrays.MARGIN:
            return False
    return True
