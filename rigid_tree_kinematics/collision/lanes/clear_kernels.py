"""Checks that a whole motion satisfies: spheres around the links stay clear all along.

Between two moments a point of a link keeps near the chord between its places: within half of the
chord's length of its middle, and then within a bound that its acceleration gives.
"""

from __future__ import annotations

from typing import Any

from rigid_tree_kinematics.collision.lanes.frame_kernels import STEP, read_frame
from rigid_tree_kinematics.collision.lanes.obstacle_kernels import meets_node, meets_piece
from rigid_tree_kinematics.collision.shapes.vectors import dot, minus, transformed, vector
from rigid_tree_kinematics.collision.world.arrays import (
    FIRST_SPHERE,
    LAST_SPHERE,
    NODE_FIRST,
    NODE_LAST,
    NODE_NEXT,
    ONE,
    TWO,
    ConservativeModel,
    Work,
)
from rigid_tree_kinematics.kernels import inlined
from rigid_tree_kinematics.kernels.lanes import any_less, before, root_of

SAG = STEP * STEP / 8.0  # of an acceleration: how far a point strays from the chord
MOST_SAG = 0.1  # m; faster motions are left to the intervals


@inlined
def _chords(m: Any, balls: Any, k: int) -> Any:
    """Return the middles of the chords of a ball's centre, and the halves of the chords."""
    x, y, z = transformed(m, vector(balls, k, 0))
    u, v, w = before(x), before(y), before(z)
    return (0.5 * (x + u), 0.5 * (y + v), 0.5 * (z + w)), (
        0.5 * (x - u), 0.5 * (y - v), 0.5 * (z - w),
    )  # fmt: skip


@inlined
def _is_clear(model: ConservativeModel, work: Work, entity: int) -> bool:
    """Return whether an entity is proven clear of all obstacles along the motion."""
    lanes: Any = model.lanes
    world, joint = model.world, lanes.carriers[entity]
    sag = SAG * work.accelerations[entity]
    if joint < 0 or not sag < MOST_SAG:
        return False
    m = read_frame(work.lanes, joint)
    around, half = _chords(m, lanes.balls, entity)
    size = root_of(dot(half, half)) + (lanes.balls[entity, 3] + sag)
    first, last = model.entities[entity, FIRST_SPHERE], model.entities[entity, LAST_SPHERE]
    node = 0
    while node < world.tree.shape[0]:
        if not meets_node(world.tree, node, around, size):
            node = int(world.tree[node, NODE_NEXT])
            continue
        for place in range(int(world.tree[node, NODE_FIRST]), int(world.tree[node, NODE_LAST])):
            piece = world.order[place]
            if not meets_piece(world, piece, around, size, True):
                continue
            for s in range(first, last):
                centre, half = _chords(m, lanes.spheres, s)
                radius = root_of(dot(half, half)) + (lanes.spheres[s, 3] + sag)
                if meets_piece(world, piece, centre, radius, True):
                    return False
        node += 1
    return True


@inlined
def _nearer(p: Any, a: Any, q: Any, b: Any, radius: float) -> bool:
    """Return whether two points with chords can come nearer to each other than a radius."""
    away, half = minus(p, q), minus(a, b)
    limit = root_of(dot(half, half)) + radius
    return any_less(dot(away, away), limit * limit)


@inlined
def _are_apart(model: ConservativeModel, work: Work, pair: int) -> bool:
    """Return whether a pair of entities is proven apart along the motion."""
    lanes: Any = model.lanes
    entities = model.entities
    one, two = model.pairs[pair, ONE], model.pairs[pair, TWO]
    i, j = lanes.carriers[one], lanes.carriers[two]
    sag = SAG * (work.accelerations[one] + work.accelerations[two])
    if i < 0 or j < 0 or not sag < MOST_SAG:
        return False
    m, n = read_frame(work.lanes, i), read_frame(work.lanes, j)
    p, a = _chords(m, lanes.balls, one)
    q, b = _chords(n, lanes.balls, two)
    size = lanes.balls[two, 3] + sag
    if not _nearer(p, a, q, b, lanes.balls[one, 3] + size):
        return True
    for s in range(entities[one, FIRST_SPHERE], entities[one, LAST_SPHERE]):
        p, a = _chords(m, lanes.spheres, s)
        radius = lanes.spheres[s, 3]
        if not _nearer(p, a, q, b, radius + size):
            continue
        for t in range(entities[two, FIRST_SPHERE], entities[two, LAST_SPHERE]):
            r, c = _chords(n, lanes.spheres, t)
            if _nearer(p, a, r, c, radius + lanes.spheres[t, 3] + sag):
                return False
    return True


@inlined
def drop_satisfied(model: ConservativeModel, work: Work) -> None:
    """Take the checks that the whole motion satisfies out of the first row of ``work.open``.

    ``is_never_free`` wrote the frames of this motion, ``write_accelerations`` its accelerations.
    """
    listed, entities = work.open[0], model.entities.shape[0]
    left = 0
    for k in range(1, listed[0] + 1):
        check = listed[k]
        if check < entities:
            satisfied = _is_clear(model, work, check)
        else:
            satisfied = _are_apart(model, work, check - entities)
        if not satisfied:
            left += 1
            listed[left] = check
    listed[0] = left
