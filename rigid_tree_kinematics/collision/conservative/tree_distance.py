"""Distances of a point from the triangles and points of an obstacle, by its tree of boxes."""

from __future__ import annotations

import math
from typing import Any

from rigid_tree_kinematics.collision.shapes.hull_distance import nearest_on_triangle
from rigid_tree_kinematics.collision.world.arrays import NODE_FIRST, NODE_LAST, NODE_NEXT
from rigid_tree_kinematics.kernels import inlined


@inlined
def _leaf_distance(leaves: Any, k: int, x: float, y: float, z: float) -> float:
    """Return the distance to a triangle with a radius."""
    ax, ay, az = leaves[k, 0], leaves[k, 1], leaves[k, 2]
    ux, uy, uz = leaves[k, 3] - ax, leaves[k, 4] - ay, leaves[k, 5] - az
    vx, vy, vz = leaves[k, 6] - ax, leaves[k, 7] - ay, leaves[k, 8] - az
    px, py, pz = x - ax, y - ay, z - az
    s, t = nearest_on_triangle(-px, -py, -pz, ux, uy, uz, vx, vy, vz)
    dx, dy, dz = px - s * ux - t * vx, py - s * uy - t * vy, pz - s * uz - t * vz
    return math.sqrt(dx * dx + dy * dy + dz * dz) - leaves[k, 9]


@inlined
def cluster_distance(
    nodes: Any, leaves: Any, root: int, x: float, y: float, z: float, limit: float
) -> float:
    """Return the distance to the nearest leaf of a tree, or ``limit`` if none is nearer."""
    k, end = root, int(nodes[root, NODE_NEXT])
    while k < end:
        dx = max(nodes[k, 0] - x, 0.0, x - nodes[k, 3])
        dy = max(nodes[k, 1] - y, 0.0, y - nodes[k, 4])
        dz = max(nodes[k, 2] - z, 0.0, z - nodes[k, 5])
        if limit <= 0.0 or dx * dx + dy * dy + dz * dz >= limit * limit:
            k = int(nodes[k, NODE_NEXT])
            continue
        for leaf in range(int(nodes[k, NODE_FIRST]), int(nodes[k, NODE_LAST])):
            limit = min(limit, _leaf_distance(leaves, leaf, x, y, z))
        k += 1
    return limit


@inlined
def cloud_distance(
    nodes: Any, points: Any, root: int, x: float, y: float, z: float, limit: float
) -> float:
    """Return the distance to the nearest point of a cloud, or ``limit`` if none is nearer."""
    k, end = root, int(nodes[root, NODE_NEXT])
    squared = limit * limit
    while k < end:
        dx = max(nodes[k, 0] - x, 0.0, x - nodes[k, 3])
        dy = max(nodes[k, 1] - y, 0.0, y - nodes[k, 4])
        dz = max(nodes[k, 2] - z, 0.0, z - nodes[k, 5])
        if dx * dx + dy * dy + dz * dz >= squared:
            k = int(nodes[k, NODE_NEXT])
            continue
        for p in range(int(nodes[k, NODE_FIRST]), int(nodes[k, NODE_LAST])):
            dx, dy, dz = points[p, 0] - x, points[p, 1] - y, points[p, 2] - z
            squared = min(squared, dx * dx + dy * dy + dz * dz)
        k += 1
    return math.sqrt(squared)
