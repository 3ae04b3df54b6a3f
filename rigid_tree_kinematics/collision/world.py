"""The world as arrays: what an obstacle's shapes become for the conservative level."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.spatial import ConvexHull, QhullError

from rigid_tree_kinematics.collision.conservative_arrays import (
    BOX,
    CLUSTER,
    CYLINDER,
    FIRST,
    INVERSE,
    LAST,
    LEAF_COLUMNS,
    NODE_COLUMNS,
    OBSTACLE_BALL,
    OBSTACLE_COLUMNS,
    OBSTACLE_HULL,
    OBSTACLE_KIND,
    POLYHEDRON,
    SIZE,
    SPHERE,
)
from rigid_tree_kinematics.collision.hulls import Hull, hulls_of
from rigid_tree_kinematics.collision.shapes import (
    PointCloud,
    Prism,
    Shape,
    Triangles,
    Triangulation,
    convex_pieces,
    triangulation,
)
from rigid_tree_kinematics.collision.spheres import as_balls, enclosing_sphere, inside_spheres
from rigid_tree_kinematics.model import Box, Cylinder, Mesh, Sphere
from rigid_tree_kinematics.model.transforms import Array, inverse

LEAVES_A_NODE = 4
MOST_PLANES = 64  # a convex mesh with more faces is searched faster as a cluster
CONVEXITY = 1e-6  # of a mesh's size; what a vertex may lie outside of a face of a convex mesh


@dataclass(frozen=True, eq=False)
class Piece:
    """One convex shape, or one cluster of triangles and balls, in the frame of its shape (m).

    Args:
        kind: BOX, SPHERE, CYLINDER, POLYHEDRON or CLUSTER.
        size: half sizes of a box; radius; radius and half length of a cylinder.
        planes: (L, 4) outward unit normals and offsets of a polyhedron.
        nodes: (K, NODE_COLUMNS) tree of boxes of a cluster.
        leaves: (M, LEAF_COLUMNS) triangles and balls of a cluster.
        hull: what contains a convex piece; None for a cluster.
    """

    kind: int
    size: tuple[float, float, float] = (0.0, 0.0, 0.0)
    planes: Array | None = None
    nodes: Array | None = None
    leaves: Array | None = None
    hull: Hull | None = None


def pieces_of(shape: Shape) -> tuple[Piece, ...]:
    """Return what stands for a shape, the inside of a closed mesh included.

    A concave prism is several pieces, any other shape one. A mesh is a polyhedron if it is
    convex and has at most MOST_PLANES faces, else a cluster, as a point cloud is.

    Raises DescriptionError if a mesh file cannot be read.
    """
    if isinstance(shape, Box):
        x, y, z = shape.size
        return (Piece(BOX, (0.5 * x, 0.5 * y, 0.5 * z), hull=hulls_of(shape)[0]),)
    if isinstance(shape, Sphere):
        return (Piece(SPHERE, (shape.radius, 0.0, 0.0), hull=hulls_of(shape)[0]),)
    if isinstance(shape, Cylinder):
        size = (shape.radius, 0.5 * shape.length, 0.0)
        return (Piece(CYLINDER, size, hull=hulls_of(shape)[0]),)
    if isinstance(shape, Prism):
        parts = zip(convex_pieces(shape), hulls_of(shape), strict=True)
        return tuple(_prism_piece(corners, shape, hull) for corners, hull in parts)
    if isinstance(shape, PointCloud):
        balls = np.column_stack([shape.points, np.full(len(shape.points), shape.radius)])
        return (_cluster(_ball_leaves(balls)),)
    return (_mesh_piece(shape),)


def world_arrays(
    placed: Sequence[tuple[Piece, Array]],
) -> tuple[Array, Array, Array, Array, Array]:
    """Return obstacles, planes, nodes, leaves and world_corners of ``ConservativeModel``.

    ``placed`` holds pieces and the poses (4x4, base frame) of their shapes' frames. The shapes of
    the arrays are (W, OBSTACLE_COLUMNS), (L, 4), (K, NODE_COLUMNS), (M, LEAF_COLUMNS) and (D, 3);
    each may have no row.
    """
    obstacles = np.zeros((len(placed), OBSTACLE_COLUMNS))
    planes: list[Array] = []
    nodes: list[Array] = []
    leaves: list[Array] = []
    corners: list[Array] = []
    plane_count = node_count = leaf_count = corner_count = 0
    for row, (piece, pose) in zip(obstacles, placed, strict=True):
        row[OBSTACLE_KIND] = piece.kind
        row[SIZE : SIZE + 3] = piece.size
        row[INVERSE : INVERSE + 12] = inverse(pose)[:3].ravel()
        if piece.hull is not None:
            here = piece.hull.corners @ pose[:3, :3].T + pose[:3, 3]
            row[OBSTACLE_HULL : OBSTACLE_HULL + 2] = corner_count, corner_count + len(here)
            row[OBSTACLE_BALL : OBSTACLE_BALL + 4] = enclosing_sphere(as_balls(here))
            row[OBSTACLE_BALL + 3] += piece.hull.radius
            row[OBSTACLE_BALL + 4] = piece.hull.radius
            corners.append(here)
            corner_count += len(here)
        if piece.planes is not None:
            row[FIRST], row[LAST] = plane_count, plane_count + len(piece.planes)
            planes.append(piece.planes)
            plane_count += len(piece.planes)
        if piece.nodes is not None and piece.leaves is not None:
            row[FIRST] = node_count
            moved = piece.nodes.copy()
            moved[:, 6:8] += leaf_count
            moved[:, 8] += node_count
            nodes.append(moved)
            leaves.append(piece.leaves)
            node_count += len(moved)
            leaf_count += len(piece.leaves)
    return (
        obstacles,
        np.concatenate(planes) if planes else np.zeros((0, 4)),
        np.concatenate(nodes) if nodes else np.zeros((0, NODE_COLUMNS)),
        np.concatenate(leaves) if leaves else np.zeros((0, LEAF_COLUMNS)),
        np.concatenate([np.zeros((0, 3)), *corners]),
    )


def is_convex(surface: Triangulation) -> bool:
    """Return whether a surface is closed and convex.

    ``surface`` holds vertices (n, 3), m, and faces (m, 3), whose corners turn counter-clockwise
    seen from outside. A vertex may lie CONVEXITY of the surface's size outside of a face. Large
    surfaces (more than 4 million pairs of vertex and face) count as not convex.
    """
    vertices, faces = surface
    corners = vertices[faces]
    normals = np.cross(corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0])
    area = np.linalg.norm(normals, axis=1)
    solid = area > 0.0
    normals = normals[solid] / area[solid, np.newaxis]
    offsets = np.einsum("ij,ij->i", normals, corners[solid, 0])
    size = float(np.ptp(vertices, axis=0).max())
    used = vertices[np.unique(faces)]
    if len(used) * len(normals) > 4_000_000 or not is_closed(faces):
        return False
    return bool((used @ normals.T <= offsets + CONVEXITY * size).all())


def is_closed(faces: NDArray[np.int64]) -> bool:
    """Return whether every edge of the triangles (m, 3), vertex numbers, belongs to two."""
    edges = np.sort(np.concatenate([faces[:, (0, 1)], faces[:, (1, 2)], faces[:, (2, 0)]]), axis=1)
    return bool((np.unique(edges, axis=0, return_counts=True)[1] == 2).all())


def _prism_piece(corners: Array, prism: Prism, hull: Hull) -> Piece:
    along = np.roll(corners, -1, axis=0) - corners
    normals = np.column_stack([along[:, 1], -along[:, 0], np.zeros(len(corners))])
    normals /= np.linalg.norm(normals, axis=1)[:, np.newaxis]
    offsets = np.einsum("ij,ij->i", normals[:, :2], corners)
    sides = np.column_stack([normals, offsets])
    ends = [[0.0, 0.0, 1.0, prism.upper], [0.0, 0.0, -1.0, -prism.lower]]
    return Piece(POLYHEDRON, planes=np.vstack([sides, ends]), hull=hull)


def _mesh_piece(shape: Mesh | Triangles) -> Piece:
    vertices, faces = surface = triangulation(shape)
    if is_convex(surface):
        planes = _hull_planes(vertices)
        if planes is not None:
            return Piece(POLYHEDRON, planes=planes, hull=Hull(vertices[np.unique(faces)]))
    corners = vertices[faces]
    leaves = np.column_stack([corners.reshape(-1, 9), np.zeros(len(corners))])
    return _cluster(np.vstack([leaves, _ball_leaves(inside_spheres(vertices, faces))]))


def _hull_planes(vertices: Array) -> Array | None:
    """Return the distinct planes of the convex hull; None if flat, or if they are many."""
    try:
        equations = ConvexHull(vertices).equations
    except QhullError:
        return None
    planes = np.unique(np.round(equations, 9), axis=0)
    if len(planes) > MOST_PLANES:
        return None
    normals = planes[:, :3] / np.linalg.norm(planes[:, :3], axis=1)[:, np.newaxis]
    # Rounding is made good: every vertex lies on the inner side.
    return np.column_stack([normals, (vertices @ normals.T).max(axis=0)])


def _ball_leaves(balls: Array) -> Array:
    return np.column_stack([balls[:, :3], balls[:, :3], balls[:, :3], balls[:, 3]])


def _cluster(leaves: Array) -> Piece:
    """Build the tree of boxes, halving along the longest side."""
    corners = leaves[:, :9].reshape(-1, 3, 3)
    radius = leaves[:, 9:]
    low, high = corners.min(axis=1) - radius, corners.max(axis=1) + radius
    centres = 0.5 * (low + high)
    nodes: list[list[float]] = []
    order: list[NDArray[np.int64]] = []
    count = 0

    def build(members: NDArray[np.int64]) -> None:
        nonlocal count
        number = len(nodes)
        box = [*low[members].min(axis=0), *high[members].max(axis=0)]
        if len(members) <= LEAVES_A_NODE:
            nodes.append([*box, count, count + len(members), number + 1])
            order.append(members)
            count += len(members)
            return
        nodes.append([])
        axis = int(np.argmax(np.ptp(centres[members], axis=0)))
        split = members[np.argsort(centres[members, axis], kind="stable")]
        build(split[: len(split) // 2])
        build(split[len(split) // 2 :])
        nodes[number] = [*box, 0, 0, len(nodes)]

    build(np.arange(len(leaves)))
    return Piece(CLUSTER, nodes=np.array(nodes), leaves=leaves[np.concatenate(order)])
