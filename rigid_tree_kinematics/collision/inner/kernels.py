"""The kernel that finds motions which are never free, at sixteen moments at once.

Each lane is a moment of the motion. Balls inside the links are compared with boxes, spheres and
cylinders; what is not found here is for the conservative level.
"""

from __future__ import annotations

import math
from typing import Any

from rigid_tree_kinematics.arrays import Array
from rigid_tree_kinematics.collision.shapes.vectors import dot, transformed, vector
from rigid_tree_kinematics.collision.world.arrays import (
    ABOVE,
    BOX,
    CHECKED,
    CYLINDER,
    FIRST_BALL,
    LAST_BALL,
    MODEL,
    NODE_FIRST,
    NODE_LAST,
    NODE_NEXT,
    PIECE_KIND,
    PIECE_SIZE,
    SLIDES,
    SOURCE,
    SPHERE,
    WORK,
    ConservativeModel,
    Work,
    WorldArrays,
)
from rigid_tree_kinematics.kernels import VECTOR, inlined, kernel, types
from rigid_tree_kinematics.kernels.lanes import (
    WIDE,
    above_zero,
    absolute,
    any_less,
    floor_of,
    load_lanes,
    root_of,
    sixteen,
    store_lanes,
)
from rigid_tree_kinematics.kinematics.motion import compose, read_table, turn_z

TURN = 2.0 * math.pi


@inlined
def _read_frame(lanes: Any, number: int) -> Any:
    """Return a joint's frame at all moments; 0 is the base."""
    k = 12 * WIDE * number
    return (
        load_lanes(lanes, k), load_lanes(lanes, k + 16), load_lanes(lanes, k + 32),
        load_lanes(lanes, k + 48), load_lanes(lanes, k + 64), load_lanes(lanes, k + 80),
        load_lanes(lanes, k + 96), load_lanes(lanes, k + 112), load_lanes(lanes, k + 128),
        load_lanes(lanes, k + 144), load_lanes(lanes, k + 160), load_lanes(lanes, k + 176),
    )  # fmt: skip


@inlined
def _sincos(turns: Any) -> Any:
    """Return sine and cosine of angles in turns, by Taylor series of half the angle."""
    h = (turns - floor_of(turns + 0.5)) * math.pi
    z = h * h
    s = 1.0 - z * (1.0 / 72.0 - z * (1.0 / 7920.0 - z * (1.0 / 1235520.0)))
    s = h * (1.0 - z * (1.0 / 6.0 - z * (1.0 / 120.0 - z * (1.0 / 5040.0) * s)))
    c = 1.0 - z * (1.0 / 56.0 - z * (1.0 / 5040.0 - z * (1.0 / 665280.0)))
    c = 1.0 - z * (0.5 - z * (1.0 / 24.0 - z * (1.0 / 720.0) * c))
    return 2.0 * s * c, 1.0 - 2.0 * s * s


@inlined
def _place_joint(model: ConservativeModel, work: Work, j: int, a: Array, way: Array) -> None:
    """Write the frames of joint ``j`` at all moments, the last of which is the motion's end."""
    inner: Any = model.inner
    at, rate = inner.joints[j, SOURCE], inner.rates[j, 0]
    start, step = rate * a[at] + inner.rates[j, 1], rate * way[at] / WIDE
    above = _read_frame(work.lanes, inner.joints[j, ABOVE])
    m = compose(above, read_table(inner.placements, j, 0))
    if inner.joints[j, SLIDES] == 1:
        x = sixteen(start + step, step)
        m = (
            m[0], m[1], m[2], m[2] * x + m[3], m[4], m[5], m[6], m[6] * x + m[7],
            m[8], m[9], m[10], m[10] * x + m[11],
        )  # fmt: skip
    else:
        first = start / TURN
        s, c = _sincos(sixteen(first - math.floor(first) + step / TURN, step / TURN))
        m = turn_z(m, c, s)
    for k in range(12):
        store_lanes(work.lanes, (12 * (j + 1) + k) * WIDE, m[k])


@inlined
def _meets_box(centre: Any, half: Any, radius: float) -> bool:
    """Return whether balls around points in a box's frame meet it at any moment."""
    x = above_zero(absolute(centre[0]) - half[0])
    y = above_zero(absolute(centre[1]) - half[1])
    z = above_zero(absolute(centre[2]) - half[2])
    return any_less(x * x + y * y + z * z, radius * radius)


@inlined
def _meets_piece(world: WorldArrays, piece: int, centre: Any, radius: float) -> bool:
    """Return whether a ball meets a piece of an obstacle at any moment."""
    pieces: Any = world.pieces
    size, kind = vector(pieces, piece, PIECE_SIZE), int(pieces[piece, PIECE_KIND])
    local = transformed(read_table(pieces, piece, 0), centre)
    if kind == BOX:
        return _meets_box(local, size, radius)
    if kind == SPHERE:
        return any_less(dot(local, local), (radius + size[0]) ** 2)
    if kind == CYLINDER:
        beyond = above_zero(root_of(local[0] * local[0] + local[1] * local[1]) - size[0])
        z = above_zero(absolute(local[2]) - size[1])
        return any_less(beyond * beyond + z * z, radius * radius)
    return False


@inlined
def _meets_node(tree: Array, node: int, centre: Any, radius: float) -> bool:
    """Return whether a ball meets the box of a tree's node at any moment."""
    x0, y0, z0 = vector(tree, node, 0)
    x1, y1, z1 = vector(tree, node, 3)
    away = (
        centre[0] - 0.5 * (x0 + x1),
        centre[1] - 0.5 * (y0 + y1),
        centre[2] - 0.5 * (z0 + z1),
    )
    return _meets_box(away, (0.5 * (x1 - x0), 0.5 * (y1 - y0), 0.5 * (z1 - z0)), radius)


@inlined
def _joint_meets_world(model: ConservativeModel, work: Work, j: int) -> bool:
    """Return whether a ball that a joint carries meets an obstacle at any moment."""
    inner: Any = model.inner
    world = model.world
    first, last = inner.joints[j, FIRST_BALL], inner.joints[j, LAST_BALL]
    if first == last:
        return False
    m = _read_frame(work.lanes, j + 1)
    around, size = transformed(m, vector(inner.bounds, j, 0)), inner.bounds[j, 3]
    node = 0
    while node < world.tree.shape[0]:
        if not _meets_node(world.tree, node, around, size):
            node = int(world.tree[node, NODE_NEXT])
            continue
        for place in range(int(world.tree[node, NODE_FIRST]), int(world.tree[node, NODE_LAST])):
            piece = world.order[place]
            if _meets_piece(world, piece, around, size):
                for ball in range(first, last):
                    centre = transformed(m, vector(inner.balls, ball, 0))
                    if _meets_piece(world, piece, centre, inner.balls[ball, 3]):
                        return True
        node += 1
    return False


@kernel(types.boolean(MODEL, VECTOR, VECTOR, WORK), allocates=False)
def is_never_free(model: ConservativeModel, a: Array, way: Array, work: Work) -> bool:
    """Return whether the motion from ``a`` along ``way`` is found to be in collision.

    ``motion_verdict`` is then DOUBT for certain. The joints farthest from the base come first.
    """
    work.counts[CHECKED] += 1
    moving = model.inner.moving
    for k in range(moving.shape[0]):
        _place_joint(model, work, moving[k], a, way)
    for k in range(moving.shape[0] - 1, -1, -1):
        if _joint_meets_world(model, work, moving[k]):
            return True
    return False
