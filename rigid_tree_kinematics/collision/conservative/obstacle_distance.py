"""Distances of a point from obstacles, each in its own frame: one function for each kind.

Each returns the distance, negative inside, and a vector along which it grows: (distance, normal).
A normal of zeros is an unknown direction.
"""

import math
from typing import Any

import rigid_tree_kinematics.collision.world.arrays as arrays
from rigid_tree_kinematics.arrays import Array
from rigid_tree_kinematics.collision.shapes.hull_distance import combined, nearest_on_triangle
from rigid_tree_kinematics.collision.world.arrays import Records, WorldArrays
from rigid_tree_kinematics.kernels import inlined
from rigid_tree_kinematics.kinematics.motion import Vector
from rigid_tree_kinematics.kinematics.vectors import dot, length, minus, triple, vector

NOWHERE = (0.0, 0.0, 0.0)


@inlined
def obstacle_distance(
    world: WorldArrays, w: int, point: Vector, limit: float
) -> tuple[float, Vector]:
    """Return the distance of a point from obstacle ``w``, and a normal.

    For clouds and clusters, the distance is ``limit`` or more if nothing is nearer than that.
    """
    obstacle = world.obstacles[w]
    kind, size = obstacle["kind"], triple(obstacle["size"])
    if kind == arrays.BOX:
        return _box(size, point)
    if kind == arrays.SPHERE:
        return length(point) - size[0], point
    if kind == arrays.CYLINDER:
        return _cylinder(size, point)
    if kind == arrays.POLYHEDRON:
        return _polyhedron(world.planes[obstacle["planes"][0] : obstacle["planes"][1]], point)
    nodes = world.nodes[obstacle["nodes"][0] : obstacle["nodes"][1]]
    if kind == arrays.CLOUD:
        points = world.points[obstacle["points"][0] : obstacle["points"][1]]
        return _cloud(nodes, points, point, limit + size[0]) - size[0], NOWHERE
    leaves = world.leaves[obstacle["leaves"][0] : obstacle["leaves"][1]]
    return _cluster(nodes, leaves, point, limit), NOWHERE


@inlined
def _outside(dx: float, dy: float, dz: float) -> float:
    """Return the distance from a box, from those beyond its sides; negative inside."""
    most = max(dx, dy, dz)
    if most <= 0.0:
        return most
    return length((max(dx, 0.0), max(dy, 0.0), max(dz, 0.0)))


@inlined
def _beyond(x: float, side: float) -> float:
    """Return a coordinate's signed distance beyond the sides of a box; 0 between them."""
    return x - side if x > side else x + side if x < -side else 0.0


@inlined
def _box(half: Vector, point: Vector) -> tuple[float, Vector]:
    x, y, z = point
    distance = _outside(abs(x) - half[0], abs(y) - half[1], abs(z) - half[2])
    return distance, (_beyond(x, half[0]), _beyond(y, half[1]), _beyond(z, half[2]))


@inlined
def _cylinder(size: Vector, point: Vector) -> tuple[float, Vector]:
    x, y, z = point
    beyond = math.sqrt(x * x + y * y) - size[0]
    share = max(beyond, 0.0) / max(beyond + size[0], 1e-12)
    distance = _outside(beyond, abs(z) - size[1], -math.inf)
    return distance, (share * x, share * y, _beyond(z, size[1]))


@inlined
def _polyhedron(planes: Array, point: Vector) -> tuple[float, Vector]:
    distance, normal = -math.inf, NOWHERE
    for p in range(planes.shape[0]):
        outward = vector(planes, p, 0)
        beyond = dot(outward, point) - planes[p, 3]
        if beyond > distance:
            distance, normal = beyond, outward
    return distance, normal


@inlined
def squared_distance_from_box(node: Any, point: Vector) -> float:
    """Return the squared distance of a point from the box of a tree's node; 0 inside."""
    x, y, z = point
    low, high = node["low"], node["high"]
    dx = max(low[0] - x, 0.0, x - high[0])
    dy = max(low[1] - y, 0.0, y - high[1])
    dz = max(low[2] - z, 0.0, z - high[2])
    return dx * dx + dy * dy + dz * dz


@inlined
def _leaf_distance(leaves: Array, k: int, point: Vector) -> float:
    """Return the distance from a triangle with a radius."""
    first = vector(leaves, k, 0)
    u, v = minus(vector(leaves, k, 3), first), minus(vector(leaves, k, 6), first)
    a = minus(first, point)
    s, t = nearest_on_triangle(a, u, v)
    return length(combined(a, s, u, t, v)) - leaves[k, 9]


@inlined
def _cluster(nodes: Records, leaves: Array, point: Vector, limit: float) -> float:
    """Return the distance from the nearest leaf of a tree, or ``limit`` if none is nearer."""
    k = 0
    while k < nodes.shape[0]:
        if limit <= 0.0 or squared_distance_from_box(nodes[k], point) >= limit * limit:
            k = nodes[k]["next"]
            continue
        for leaf in range(nodes[k]["first"], nodes[k]["last"]):
            limit = min(limit, _leaf_distance(leaves, leaf, point))
        k += 1
    return limit


@inlined
def _cloud(nodes: Records, points: Array, point: Vector, limit: float) -> float:
    """Return the distance from the nearest point of a cloud, or ``limit`` if none is nearer."""
    k = 0
    squared = limit * limit
    while k < nodes.shape[0]:
        if squared_distance_from_box(nodes[k], point) >= squared:
            k = nodes[k]["next"]
            continue
        for p in range(nodes[k]["first"], nodes[k]["last"]):
            away = minus(vector(points, p, 0), point)
            squared = min(squared, dot(away, away))
        k += 1
    return math.sqrt(squared)
