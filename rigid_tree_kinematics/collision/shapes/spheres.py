"""Spheres that tightly contain a shape and its interior.

The surface is divided into small triangles and the inside filled with small cubes. Candidates are
spheres around points of the inside, as large as the inside allows plus a tolerance. They are
chosen greedily until every piece is contained in one of them (a sphere contains a triangle or a
cube if it contains its corners). The tolerance grows until few enough spheres suffice. Compare
Hubbard, "Approximating polyhedra with spheres for time-critical collision detection", ACM Trans.
Graph. 15(3), 1996.
"""

import math
from itertools import product
from typing import TypeVar

import numpy as np
from numpy.typing import NDArray

from rigid_tree_kinematics.arrays import Array, Integers, Mask
from rigid_tree_kinematics.collision.shapes.enclosing import ROUNDING, enclosing_sphere
from rigid_tree_kinematics.collision.shapes.obstacle_shapes import (
    PointCloud,
    Prism,
    Shape,
    Triangles,
    circle,
    triangulation,
)
from rigid_tree_kinematics.collision.shapes.sphere_kernels import choose_spheres, farthest_corners
from rigid_tree_kinematics.model import Box, Cylinder, Mesh, Sphere

FITTING_VERSION = 5  # increment when the spheres of a shape change: they are cached on disk

# Maximum protrusion of a sphere beyond the shape, m; the first with few enough spheres is used.
TOLERANCES = (
    0.004, 0.006, 0.008, 0.01, 0.012, 0.015, 0.02, 0.025, 0.03, 0.045, 0.07, 0.1, 0.2, 0.5, 1.0,
)  # fmt: skip
SMALLEST_PART = 0.2  # of the shape's size: larger tolerances are useless
LENGTH_PER_SPHERE = 0.008  # m of the longest side
FEWEST_SPHERES, MOST_SPHERES = 3, 40
MOST_CANDIDATES = 700
CELLS_ALONG = 20  # cubes along the longest side
MOST_CELLS = 2000  # cubes in the box around the shape
MOST_TRIANGLES = 10000  # small ones; more are replaced by boxes around several of them
SAMPLE = 8  # every eighth piece is used to find tolerances that are too small
SMALLEST_CELL = 0.001  # m
CYLINDER_SIDES = 24
SMALL = 0.02  # m; a shape inside a sphere of this radius is represented by it


Number = TypeVar("Number", np.float64, np.int64)


def fit_spheres(shape: Shape) -> Array:
    """Return spheres (k, 4): x, y, z, radius in the shape's frame, that contain the shape.

    A point cloud keeps one sphere for every point.
    """
    if isinstance(shape, Sphere):
        return np.array([[0.0, 0.0, 0.0, shape.radius]])
    if isinstance(shape, PointCloud):
        return np.column_stack([shape.points, np.full(len(shape.points), shape.radius)])
    vertices, faces = surface(shape)
    return _fit(vertices, faces)


def inside_spheres(vertices: Array, faces: Integers) -> Array:
    """Return spheres (k, 4) that contain a surface's interior, except a layer below it.

    The layer is thinner than the spheres: a body in it is in contact with the surface or a sphere
    unless it is even smaller.
    """
    cell = _cell(vertices)
    vertices, faces = small_triangles(vertices, faces, cell)
    inside = _inside_cells(vertices[faces], cell)
    return np.column_stack([inside, np.full(len(inside), 0.5 * math.sqrt(3.0) * cell)])


def surface(shape: Box | Cylinder | Mesh | Triangles | Prism) -> tuple[Array, Integers]:
    """Return corners (n, 3) and triangles (m, 3) that contain the shape."""
    if isinstance(shape, Box):
        from scipy.spatial import ConvexHull

        corners = box_corners(*(0.5 * np.outer((-1.0, 1.0), shape.size)))
        return corners, ConvexHull(corners).simplices.astype(np.int64)
    if isinstance(shape, Cylinder):
        half = 0.5 * shape.length
        return triangulation(Prism(shape.radius * circle(CYLINDER_SIDES), -half, half))
    return triangulation(shape)


def box_corners(low: Array, high: Array) -> Array:
    """Return the corners (..., 8, 3) of boxes given by low and high corners (..., 3)."""
    picks = np.array(list(product((0, 1), repeat=3)))
    return np.stack([low, high], axis=-2)[..., picks, np.arange(3)]


def _fit(vertices: Array, faces: Integers) -> Array:
    from scipy.spatial import cKDTree

    whole = enclosing_sphere(as_spheres(vertices))
    if whole[3] <= SMALL:
        return whole[np.newaxis]
    size = float((vertices.max(axis=0) - vertices.min(axis=0)).max())
    most = int(np.clip(size / LENGTH_PER_SPHERE, FEWEST_SPHERES, MOST_SPHERES))
    cell = _cell(vertices)
    vertices, faces = small_triangles(vertices, faces, cell)
    pieces = vertices[faces]
    inside = _inside_cells(pieces, cell)
    centers = spread(np.concatenate([inside, middles(pieces)]), MOST_CANDIDATES)
    depth = cKDTree(vertices).query(centers)[0]
    cubes = np.stack([inside - 0.5 * cell, inside + 0.5 * cell], axis=1)
    if len(pieces) > MOST_TRIANGLES:
        cubes = np.concatenate([_boxes_around(pieces, 0.25 * cell), cubes])
        pieces = pieces[:0]
    columns, depth = np.ascontiguousarray(centers.T), np.ascontiguousarray(depth)
    tolerances = [tolerance for tolerance in TOLERANCES if tolerance <= SMALLEST_PART * size]
    for step in (SAMPLE, 1):
        some = np.ascontiguousarray(pieces[::step]), np.ascontiguousarray(cubes[::step])
        beyond = np.empty((len(some[0]) + len(some[1]), len(centers)), dtype=np.float32)
        farthest_corners(columns, depth, *some, beyond)
        sizes = (most, *beyond.shape)
        chosen, owners, gains = (np.empty(size, dtype=np.int64) for size in sizes)
        while tolerances:
            count = choose_spheres(beyond, tolerances[0], chosen, owners, gains)
            if count > 0:
                break
            del tolerances[0]
        if not tolerances:
            return whole[np.newaxis]
    corners = _corners(pieces, cubes)
    spheres = (_sphere_around(corners[owners == k], centers[chosen[k]]) for k in range(count))
    return np.array(list(spheres))


def _cell(vertices: Array) -> float:
    """Return the side of the cubes that fill a shape."""
    sides = vertices.max(axis=0) - vertices.min(axis=0)
    volume = float(np.prod(sides))
    return float(max(sides.max() / CELLS_ALONG, (volume / MOST_CELLS) ** (1 / 3), SMALLEST_CELL))


def small_triangles(vertices: Array, faces: Integers, longest: float) -> tuple[Array, Integers]:
    """Halve edges until none is longer than ``longest``; new vertices are appended."""
    done = []
    while len(faces):
        edges = vertices[faces[:, (1, 2, 0)]] - vertices[faces]
        squared = np.einsum("ijk,ijk->ij", edges, edges)
        one, two, three = squared.T
        long = np.maximum(np.maximum(one, two), three) > longest**2
        done.append(faces[~long])
        faces, first = faces[long], squared[long].argmax(axis=1)
        rows = np.arange(len(faces))
        a, b, c = (faces[rows, (first + k) % 3] for k in range(3))
        middle = len(vertices) + rows
        vertices = np.concatenate([vertices, 0.5 * (vertices[a] + vertices[b])])
        halves = np.column_stack([a, middle, c]), np.column_stack([middle, b, c])
        faces = np.concatenate(halves)
    return vertices, np.concatenate(done)


def _inside_cells(pieces: Array, cell: float) -> Array:
    """Return the centers (k, 3) of the cubes inside the surface."""
    corners = np.concatenate([pieces.reshape(-1, 3), middles(pieces)])
    low = corners.min(axis=0) - 1.5 * cell
    index = ((corners - low) / cell).astype(np.int64)
    grid = np.zeros(index.max(axis=0) + 2, dtype=bool)
    grid[tuple(index.T)] = True
    return np.asarray(low + (np.argwhere(~grid & ~_outside(grid)) + 0.5) * cell)


def _outside(grid: Mask) -> Mask:
    """Return the free cubes of a grid that are connected by faces to its first cube."""
    outside = np.zeros_like(grid)
    outside[0, 0, 0] = True
    count = 0
    while count < (count := int(np.count_nonzero(outside))):
        for axis in range(3):
            along, free = np.moveaxis(outside, axis, 0), ~np.moveaxis(grid, axis, 0)
            for k in range(1, len(along)):
                along[k] |= along[k - 1] & free[k]
            for k in range(len(along) - 2, -1, -1):
                along[k] |= along[k + 1] & free[k]
    return outside


def middles(triangles: Array) -> Array:
    """Return the centroids (n, 3) of triangles (n, 3, 3), faster than ``mean``."""
    return np.asarray((triangles[:, 0] + triangles[:, 1] + triangles[:, 2]) / 3.0)


def spread(rows: NDArray[Number], most: int) -> NDArray[Number]:
    """Return at most ``most`` evenly spaced rows."""
    return rows[:: -(-len(rows) // most)]


def _boxes_around(triangles: Array, cell: float) -> Array:
    """Return bounding boxes (k, 2, 3) of the triangles in each small cube."""
    index = np.floor(middles(triangles) / cell).astype(np.int64)
    index -= index.min(axis=0)
    along = index.max(axis=0) + 1
    key = (index[:, 0] * along[1] + index[:, 1]) * along[2] + index[:, 2]
    order = np.argsort(key, kind="stable")
    begins = np.flatnonzero(np.diff(key[order], prepend=-1))
    a, b, c = (triangles[order, k] for k in range(3))
    low = np.minimum.reduceat(np.minimum(np.minimum(a, b), c), begins)
    high = np.maximum.reduceat(np.maximum(np.maximum(a, b), c), begins)
    return np.stack([low, high], axis=1)


def _corners(triangles: Array, boxes: Array) -> Array:
    """Return the corners (triangles + boxes, 8, 3) of pieces; a triangle repeats its own."""
    in_boxes = box_corners(boxes[:, 0], boxes[:, 1])
    return np.concatenate([triangles[:, (0, 1, 2, 0, 0, 0, 0, 0)], in_boxes])


def _sphere_around(corners: Array, center: Array) -> Array:
    """Return the smaller of two spheres that contain all corners."""
    points = corners.reshape(-1, 3)
    radius = math.sqrt(((points - center) ** 2).sum(axis=1).max()) + ROUNDING
    moved = enclosing_sphere(as_spheres(points))
    return moved if moved[3] < radius else np.append(center, radius)


def as_spheres(points: Array, radius: float = 0.0) -> Array:
    """Return points (k, 3) as spheres (k, 4)."""
    return np.column_stack([points, np.full(len(points), radius)])
