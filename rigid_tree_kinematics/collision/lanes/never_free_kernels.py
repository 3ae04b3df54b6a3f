"""Motions that are never free: balls inside the links meet obstacles at a moment."""

from __future__ import annotations

from typing import Any

from rigid_tree_kinematics.arrays import Array
from rigid_tree_kinematics.collision.lanes.frame_kernels import place_joints, read_frame
from rigid_tree_kinematics.collision.lanes.obstacle_kernels import meets_node, meets_piece
from rigid_tree_kinematics.collision.shapes.vectors import transformed, vector
from rigid_tree_kinematics.collision.world.arrays import (
    CHECKED,
    FIRST_BALL,
    LAST_BALL,
    MODEL,
    NODE_FIRST,
    NODE_LAST,
    NODE_NEXT,
    WORK,
    ConservativeModel,
    Work,
)
from rigid_tree_kinematics.kernels import VECTOR, inlined, kernel, types


@inlined
def _joint_meets_world(model: ConservativeModel, work: Work, j: int) -> bool:
    """Return whether a ball that a joint carries meets an obstacle at any moment."""
    lanes: Any = model.lanes
    world = model.world
    first, last = lanes.joints[j, FIRST_BALL], lanes.joints[j, LAST_BALL]
    if first == last:
        return False
    m = read_frame(work.lanes, j + 1)
    around, size = transformed(m, vector(lanes.bounds, j, 0)), lanes.bounds[j, 3]
    node = 0
    while node < world.tree.shape[0]:
        if not meets_node(world.tree, node, around, size):
            node = int(world.tree[node, NODE_NEXT])
            continue
        for place in range(int(world.tree[node, NODE_FIRST]), int(world.tree[node, NODE_LAST])):
            piece = world.order[place]
            if meets_piece(world, piece, around, size, False):
                for ball in range(first, last):
                    centre = transformed(m, vector(lanes.inner_balls, ball, 0))
                    if meets_piece(world, piece, centre, lanes.inner_balls[ball, 3], False):
                        return True
        node += 1
    return False


@kernel(types.boolean(MODEL, VECTOR, VECTOR, WORK), allocates=False)
def is_never_free(model: ConservativeModel, a: Array, way: Array, work: Work) -> bool:
    """Return whether the motion from ``a`` along ``way`` is found to be in collision.

    The joints farthest from the base come first. Writes the frames of the joints into
    ``work.lanes``.
    """
    work.counts[CHECKED] += 1
    moving = model.lanes.moving
    place_joints(model, work, a, way)
    for k in range(moving.shape[0] - 1, -1, -1):
        if _joint_meets_world(model, work, moving[k]):
            return True
    return False
