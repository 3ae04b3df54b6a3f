"""Distances of a point from obstacles, each in its own frame: one function for each kind.

Each returns the distance, negative inside, and a vector along which it grows: (distance, normal).
A normal of zeros is an unknown direction.
"""

import math

import rigid_tree_kinematics.collision.world.arrays as arrays
from rigid_tree_kinematics.arrays import Array
from rigid_tree_kinematics.collision.shapes.hull_distance import combined, nearest_on_triangle
from rigid_tree_kinematics.collision.world.arrays import WorldArrays
from rigid_tree_kinematics.kernels import inlined
from rigid_tree_kinematics.kinematics.motion import Vector
from rigid_tree_kinematics.kinematics.vectors import dot, length, minus, vector

NOWHERE = (0.0, 0.0, 0.0)


@inlined
def obstacle_distance(
    world: WorldArrays, w: int, point: Vector, limit: float
) -> tuple[float, Vector]:
    """Return the distance of a point from obstacle ``w``, and a normal.

    For clouds and clusters, the distance is ``limit`` or more if nothing is nearer than that.
    """
    kind = int(world.obstacles[w, arrays.OBSTACLE_KIND])
    size = vector(world.obstacles, w, arrays.SIZE)
    first, last = int(world.obstacles[w, arrays.FIRST]), int(world.obstacles[w, arrays.LAST])
    if kind == arrays.BOX:
        return _box(size, point)
    if kind == arrays.SPHERE:
        return length(point) - size[0], point
    if kind == arrays.CYLINDER:
        return _cylinder(size, point)
    if kind == arrays.POLYHEDRON:
        return _polyhedron(world.planes, first, last, point)
    if kind == arrays.CLOUD:
        return _cloud(world.nodes, world.points, first, point, limit + size[0]) - size[0], NOWHERE
    return _cluster(world.nodes, world.leaves, first, point, limit), NOWHERE


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
def _polyhedron(planes: Array, first: int, last: int, point: Vector) -> tuple[float, Vector]:
    distance, normal = -math.inf, NOWHERE
    for p in range(first, last):
        outward = vector(planes, p, 0)
        beyond = dot(outward, point) - planes[p, 3]
        if beyond > distance:
            distance, normal = beyond, outward
    return distance, normal


@inlined
def squared_distance_from_box(nodes: Array, k: int, point: Vector) -> float:
    """Return the squared distance of a point from the box of a tree's node; 0 inside."""
    x, y, z = point
    dx = max(nodes[k, 0] - x, 0.0, x - nodes[k, 3])
    dy = max(nodes[k, 1] - y, 0.0, y - nodes[k, 4])
    dz = max(nodes[k, 2] - z, 0.0, z - nodes[k, 5])
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
def _cluster(nodes: Array, leaves: Array, root: int, point: Vector, limit: float) -> float:
    """Return the distance from the nearest leaf of a tree, or ``limit`` if none is nearer."""
    k, end = root, int(nodes[root, arrays.NODE_NEXT])
    while k < end:
        if limit <= 0.0 or squared_distance_from_box(nodes, k, point) >= limit * limit:
            k = int(nodes[k, arrays.NODE_NEXT])
            continue
        for leaf in range(int(nodes[k, arrays.NODE_FIRST]), int(nodes[k, arrays.NODE_LAST])):
            limit = min(limit, _leaf_distance(leaves, leaf, point))
        k += 1
    return limit


@inlined
def _cloud(nodes: Array, points: Array, root: int, point: Vector, limit: float) -> float:
    """Return the distance from the nearest point of a cloud, or ``limit`` if none is nearer."""
    k, end = root, int(nodes[root, arrays.NODE_NEXT])
    squared = limit * limit
    while k < end:
        if squared_distance_from_box(nodes, k, point) >= squared:
            k = int(nodes[k, arrays.NODE_NEXT])
            continue
        for p in range(int(nodes[k, arrays.NODE_FIRST]), int(nodes[k, arrays.NODE_LAST])):
            away = minus(vector(points, p, 0), point)
            squared = min(squared, dot(away, away))
        k += 1
    return math.sqrt(squared)
