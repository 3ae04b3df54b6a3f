"""Motions that are proven in collision: spheres inside the links hit obstacles."""

from typing import Any

import rigid_tree_kinematics.collision.world.arrays as arrays
from rigid_tree_kinematics.arrays import Array
from rigid_tree_kinematics.collision.lanes.frame_kernels import place_joints, read_frame
from rigid_tree_kinematics.collision.lanes.obstacle_kernels import meets_node, meets_piece
from rigid_tree_kinematics.collision.world.arrays import MODEL, WORK, ConservativeModel, Work
from rigid_tree_kinematics.kernels import VECTOR, inlined, kernel, types
from rigid_tree_kinematics.kinematics.vectors import transformed, vector


@inlined
def _joint_meets_world(model: ConservativeModel, work: Work, j: int) -> bool:
    """Return whether a sphere inside a joint's links hits an obstacle at any sample."""
    lanes: Any = model.lanes
    world, tree = model.world, model.world.tree
    first, last = lanes.joints[j]["first_inner"], lanes.joints[j]["last_inner"]
    if first == last:
        return False
    m = read_frame(work.lanes, j + 1)
    around, size = transformed(m, vector(lanes.bounds, j, 0)), lanes.bounds[j, 3]
    node = 0
    while node < tree.shape[0]:
        if not meets_node(tree[node], around, size):
            node = tree[node]["next"]
            continue
        for place in range(tree[node]["first"], tree[node]["last"]):
            w = world.order[place]
            if meets_piece(world, w, around, size, False):
                for sphere in range(first, last):
                    center = transformed(m, vector(lanes.inner_spheres, sphere, 0))
                    if meets_piece(world, w, center, lanes.inner_spheres[sphere, 3], False):
                        work.counts[arrays.SPHERE_MET] = sphere
                        work.counts[arrays.OBSTACLE_MET] = w
                        return True
        node += 1
    return False


@kernel(types.boolean(MODEL, VECTOR, VECTOR, WORK))
def is_never_free(model: ConservativeModel, a: Array, motion: Array, work: Work) -> bool:
    """Return whether a ``motion`` from ``a``, (nq,) each, is found to be in collision.

    The joints farthest from the base are checked first. The joints' frames are written to
    ``work.lanes``, the sphere and the obstacle to ``work.counts``.
    """
    work.counts[arrays.SPHERE_MET] = -1
    work.counts[arrays.CHECKED] += 1
    moving = model.lanes.moving
    place_joints(model, work, a, motion)
    for k in range(moving.shape[0] - 1, -1, -1):
        if _joint_meets_world(model, work, moving[k]):
            return True
    return False
