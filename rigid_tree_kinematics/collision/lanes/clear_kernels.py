"""Checks that a whole motion satisfies: the spheres around the links stay clear.

Between two samples, a point of a link stays near the chord between its positions: within half of
the chord's length from its middle, plus a bound from its acceleration, the sag.
"""

from typing import Any

from rigid_tree_kinematics.collision.lanes.frame_kernels import STEP, read_frame
from rigid_tree_kinematics.collision.lanes.obstacle_kernels import meets_node, meets_piece
from rigid_tree_kinematics.collision.world.arrays import ConservativeModel, Work
from rigid_tree_kinematics.kernels import inlined
from rigid_tree_kinematics.kernels.lanes import any_less, before, root_of
from rigid_tree_kinematics.kinematics.vectors import dot, minus, transformed, vector

SAG = STEP * STEP / 8.0  # times an acceleration: the maximum deviation from the chord
MOST_SAG = 0.1  # m; faster motions are left to the intervals


@inlined
def _chords(m: Any, spheres: Any, k: int) -> Any:
    """Return the middles of the chords of a sphere's center, and the halves of the chords."""
    x, y, z = transformed(m, vector(spheres, k, 0))
    u, v, w = before(x), before(y), before(z)
    return (0.5 * (x + u), 0.5 * (y + v), 0.5 * (z + w)), (
        0.5 * (x - u), 0.5 * (y - v), 0.5 * (z - w),
    )  # fmt: skip


@inlined
def _is_clear(model: ConservativeModel, work: Work, entity: int) -> bool:
    """Return whether an entity is proven clear of all obstacles along the motion."""
    lanes: Any = model.lanes
    world, tree, joint = model.world, model.world.tree, lanes.carriers[entity]
    sag = SAG * work.accelerations[entity]
    if joint < 0 or not sag < MOST_SAG:
        return False
    m = read_frame(work.lanes, joint)
    around, half = _chords(m, lanes.bounding_spheres, entity)
    size = root_of(dot(half, half)) + (lanes.bounding_spheres[entity, 3] + sag)
    first = model.entities[entity]["first_sphere"]
    last = model.entities[entity]["last_sphere"]
    node = 0
    while node < tree.shape[0]:
        if not meets_node(tree[node], around, size):
            node = tree[node]["next"]
            continue
        for place in range(tree[node]["first"], tree[node]["last"]):
            w = world.order[place]
            if not meets_piece(world, w, around, size, True):
                continue
            for s in range(first, last):
                center, half = _chords(m, lanes.spheres, s)
                radius = root_of(dot(half, half)) + (lanes.spheres[s, 3] + sag)
                if meets_piece(world, w, center, radius, True):
                    return False
        node += 1
    return True


@inlined
def _nearer(p: Any, a: Any, q: Any, b: Any, radius: float) -> bool:
    """Return whether two moving points can come closer to each other than a radius."""
    away, half = minus(p, q), minus(a, b)
    limit = root_of(dot(half, half)) + radius
    return any_less(dot(away, away), limit * limit)


@inlined
def _are_apart(model: ConservativeModel, work: Work, pair: int) -> bool:
    """Return whether a pair of entities is proven apart along the motion."""
    lanes: Any = model.lanes
    entities = model.entities
    one, two = model.pairs[pair]["one"], model.pairs[pair]["two"]
    i, j = lanes.carriers[one], lanes.carriers[two]
    sag = SAG * (work.accelerations[one] + work.accelerations[two])
    if i < 0 or j < 0 or not sag < MOST_SAG:
        return False
    m, n = read_frame(work.lanes, i), read_frame(work.lanes, j)
    p, a = _chords(m, lanes.bounding_spheres, one)
    q, b = _chords(n, lanes.bounding_spheres, two)
    size = lanes.bounding_spheres[two, 3] + sag
    if not _nearer(p, a, q, b, lanes.bounding_spheres[one, 3] + size):
        return True
    for s in range(entities[one]["first_sphere"], entities[one]["last_sphere"]):
        p, a = _chords(m, lanes.spheres, s)
        radius = lanes.spheres[s, 3]
        if not _nearer(p, a, q, b, radius + size):
            continue
        for t in range(entities[two]["first_sphere"], entities[two]["last_sphere"]):
            r, c = _chords(n, lanes.spheres, t)
            if _nearer(p, a, r, c, radius + lanes.spheres[t, 3] + sag):
                return False
    return True


@inlined
def drop_satisfied(model: ConservativeModel, work: Work) -> None:
    """Remove the checks that the whole motion satisfies from the first row of ``work.open``.

    ``work`` has the motion's frames (by ``is_never_free``) and ``write_accelerations``'s bounds.
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
