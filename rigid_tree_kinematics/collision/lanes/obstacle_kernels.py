"""Checks of spheres at sixteen samples against obstacles; a radius is a number or lanes."""

from typing import Any

import rigid_tree_kinematics.collision.world.arrays as arrays
from rigid_tree_kinematics.arrays import Array
from rigid_tree_kinematics.collision.world.arrays import Records, WorldArrays
from rigid_tree_kinematics.kernels import inlined
from rigid_tree_kinematics.kernels.lanes import above_zero, absolute, any_less, root_of
from rigid_tree_kinematics.kinematics.motion import twelve
from rigid_tree_kinematics.kinematics.vectors import dot, minus, transformed, triple, vector


@inlined
def _meets_box(center: Any, half: Any, radius: Any) -> bool:
    """Return whether spheres around points in a box's frame hit it at any sample."""
    x = above_zero(absolute(center[0]) - half[0])
    y = above_zero(absolute(center[1]) - half[1])
    z = above_zero(absolute(center[2]) - half[2])
    return any_less(x * x + y * y + z * z, radius * radius)


@inlined
def meets_node(node: Any, center: Any, radius: Any) -> bool:
    """Return whether a sphere hits the box of a tree's node at any sample."""
    x0, y0, z0 = triple(node["low"])
    x1, y1, z1 = triple(node["high"])
    away = (
        center[0] - 0.5 * (x0 + x1),
        center[1] - 0.5 * (y0 + y1),
        center[2] - 0.5 * (z0 + z1),
    )
    return _meets_box(away, (0.5 * (x1 - x0), 0.5 * (y1 - y0), 0.5 * (z1 - z0)), radius)


@inlined
def _meets_cloud(nodes: Records, points: Array, center: Any, radius: Any) -> bool:
    """Return whether spheres around points in a cloud's frame hit one of its points."""
    k = 0
    while k < nodes.shape[0]:
        if not meets_node(nodes[k], center, radius):
            k = nodes[k]["next"]
            continue
        for p in range(nodes[k]["first"], nodes[k]["last"]):
            away = minus(center, vector(points, p, 0))
            if any_less(dot(away, away), radius * radius):
                return True
        k += 1
    return False


@inlined
def meets_piece(world: WorldArrays, w: int, center: Any, radius: Any, otherwise: bool) -> bool:
    """Return whether a sphere hits piece ``w`` at any sample; ``otherwise`` for UNKNOWN kinds."""
    piece: Any = world.pieces[w]
    size, kind = triple(piece["size"]), piece["kind"]
    local = transformed(twelve(piece["inverse"]), center)
    if kind == arrays.BOX:
        return _meets_box(local, size, radius)
    if kind == arrays.SPHERE:
        limit = radius + size[0]
        return any_less(dot(local, local), limit * limit)
    if kind == arrays.CYLINDER:
        beyond = above_zero(root_of(local[0] * local[0] + local[1] * local[1]) - size[0])
        z = above_zero(absolute(local[2]) - size[1])
        return any_less(beyond * beyond + z * z, radius * radius)
    if kind == arrays.CLOUD:
        obstacle = world.obstacles[w]
        nodes = world.nodes[obstacle["nodes"][0] : obstacle["nodes"][1]]
        points = world.points[obstacle["points"][0] : obstacle["points"][1]]
        return _meets_cloud(nodes, points, local, radius + size[0])
    return otherwise
