"""Shapes of obstacles as pieces for the conservative level."""

import math
from dataclasses import dataclass, field
from weakref import WeakKeyDictionary

import numpy as np

import rigid_tree_kinematics.collision.world.arrays as arrays
from rigid_tree_kinematics.arrays import Array, Integers
from rigid_tree_kinematics.collision.scene import PlacedShape
from rigid_tree_kinematics.collision.shapes import (
    Hull,
    PointCloud,
    Prism,
    Shape,
    Triangles,
    triangulation,
)
from rigid_tree_kinematics.collision.shapes.enclosing import enclosing_sphere
from rigid_tree_kinematics.collision.shapes.hulls import convex_hull, hulls_of
from rigid_tree_kinematics.collision.shapes.obstacle_shapes import Triangulation, convex_pieces
from rigid_tree_kinematics.collision.shapes.simplified import simplified, widened
from rigid_tree_kinematics.collision.shapes.spheres import as_spheres, inside_spheres, spread
from rigid_tree_kinematics.collision.world.arrays import Records
from rigid_tree_kinematics.collision.world.box_tree import build_tree
from rigid_tree_kinematics.model import Box, Cylinder, Mesh, Sphere

LEAVES_A_NODE = 4
POINTS_A_NODE = 16
MOST_FACES = 2800  # of a mesh checked for convexity: each vertex is compared with each face
FEW_VERTICES = 50
MOST_PLANES = 64  # a convex mesh with more faces is searched faster as a cluster
NARROWEST, NARROW = 1e-7, 1e-5  # m, and of its longest side: the least width of a triangle
CONVEXITY = 1e-6  # of a mesh's size: the tolerance for a vertex outside of a face


Sizes = tuple[float, ...]  # 3 numbers


@dataclass(frozen=True, eq=False)
class Piece:
    """One convex shape, cluster of triangles and spheres, or cloud, in its shape's frame (m)."""

    kind: int  # BOX, SPHERE, CYLINDER, POLYHEDRON, CLUSTER or CLOUD
    size: Sizes  # half sizes; or radius, half length
    box: Array  # low and high corner (6,)
    bounding_sphere: Array  # (4,) around it
    hull: Hull | None = None  # contains a convex piece
    planes: Array = field(default_factory=lambda: np.zeros((0, 4)))  # normals and offsets
    nodes: Records = field(default_factory=lambda: np.zeros(0, arrays.NODE))  # tree of the next:
    leaves: Array = field(default_factory=lambda: np.zeros((0, arrays.LEAF_COLUMNS)))
    points: Array = field(default_factory=lambda: np.zeros((0, 3)))  # of a cloud

    @property
    def corners(self) -> Array:
        """The hull's corners, (k, 3)."""
        return np.zeros((0, 3)) if self.hull is None else self.hull.corners


_KNOWN: WeakKeyDictionary[PlacedShape, tuple[Piece, ...]] = WeakKeyDictionary()


def pieces_of_placed(placed: PlacedShape) -> tuple[Piece, ...]:
    """Return ``pieces_of`` its shape, cached: a shape never changes."""
    pieces = _KNOWN.get(placed)
    if pieces is None:
        pieces = _KNOWN[placed] = pieces_of(placed.shape)
    return pieces


def pieces_of(shape: Shape) -> tuple[Piece, ...]:
    """Return the pieces of a shape, including the interior of a closed mesh.

    A concave prism is several pieces, any other shape one. A mesh is a polyhedron if it is
    convex and has at most MOST_PLANES faces, else a cluster.

    Raises DescriptionError if a mesh file cannot be read.
    """
    if isinstance(shape, Box):
        x, y, z = half = tuple(0.5 * side for side in shape.size)
        return (_centered(arrays.BOX, half, half, math.sqrt(x * x + y * y + z * z), shape),)
    if isinstance(shape, Sphere):
        r = shape.radius
        return (_centered(arrays.SPHERE, (r, 0.0, 0.0), (r, r, r), r, shape),)
    if isinstance(shape, Cylinder):
        r, z = shape.radius, 0.5 * shape.length
        return (_centered(arrays.CYLINDER, (r, z, 0.0), (r, r, z), math.hypot(r, z), shape),)
    if isinstance(shape, Prism):
        parts = zip(convex_pieces(shape), hulls_of(shape), strict=True)
        return tuple(_prism_piece(corners, shape, hull) for corners, hull in parts)
    if isinstance(shape, PointCloud):
        return (_cloud(shape),)
    return (_mesh_piece(shape),)


def is_convex(surface: Triangulation) -> bool:
    """Return whether a surface is closed and convex.

    ``surface`` is vertices (n, 3), m, and faces (m, 3), counterclockwise seen from outside. A
    vertex may be outside of a face by CONVEXITY times the surface's size. Surfaces of more than
    MOST_FACES are reported as not convex.
    """
    vertices, faces = surface
    if len(faces) > MOST_FACES or not is_closed(faces):
        return False
    corners = vertices[faces]
    normals = np.cross(corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0])
    area = np.linalg.norm(normals, axis=1)
    solid = area > 0.0
    normals = normals[solid] / area[solid, np.newaxis]
    offsets = np.einsum("ij,ij->i", normals, corners[solid, 0])
    size = float(np.ptp(vertices, axis=0).max())
    used = vertices[np.unique(faces)]
    # A few vertices suffice to reject most concave surfaces.
    return all(
        (some @ normals.T <= offsets + CONVEXITY * size).all()
        for some in (spread(used, FEW_VERTICES), used)
    )


def is_closed(faces: Integers) -> bool:
    """Return whether every edge of the triangles (m, 3), vertex numbers, belongs to two."""
    count = int(faces.max()) + 1
    ends = ((faces[:, i], faces[:, j]) for i, j in ((0, 1), (1, 2), (0, 2)))
    edges = np.concatenate([np.minimum(a, b) * count + np.maximum(a, b) for a, b in ends])
    edges.sort()
    one, two = edges[::2], edges[1::2]
    return len(one) == len(two) and bool((one == two).all() and (two[:-1] != one[1:]).all())


def _centered(
    kind: int, size: Sizes, half: Sizes, radius: float, shape: Box | Sphere | Cylinder
) -> Piece:
    """Return a piece with half sizes ``half`` and a bounding sphere around its origin."""
    box = np.concatenate([np.negative(half), half])
    sphere = np.array([0.0, 0.0, 0.0, radius])
    return Piece(kind, size, box, sphere, hull=hulls_of(shape)[0])


def _polyhedron(planes: Array, hull: Hull) -> Piece:
    corners = hull.corners
    box = np.concatenate([corners.min(axis=0), corners.max(axis=0)])
    sphere = enclosing_sphere(as_spheres(corners))
    return Piece(arrays.POLYHEDRON, (0.0, 0.0, 0.0), box, sphere, planes=planes, hull=hull)


def _prism_piece(corners: Array, prism: Prism, hull: Hull) -> Piece:
    along = np.roll(corners, -1, axis=0) - corners
    normals = np.column_stack([along[:, 1], -along[:, 0], np.zeros(len(corners))])
    normals /= np.linalg.norm(normals, axis=1)[:, np.newaxis]
    offsets = np.einsum("ij,ij->i", normals[:, :2], corners)
    sides = np.column_stack([normals, offsets])
    ends = [[0.0, 0.0, 1.0, prism.upper], [0.0, 0.0, -1.0, -prism.lower]]
    return _polyhedron(np.vstack([sides, ends]), hull)


def _mesh_piece(shape: Mesh | Triangles) -> Piece:
    vertices, faces = surface = triangulation(shape)
    if is_convex(surface):
        planes = _hull_planes(vertices)
        if planes is not None:
            return _polyhedron(planes, Hull(vertices[np.unique(faces)]))
    vertices, faces, radii = simplified(vertices, faces)
    # Rounding dominates the kernels' distances to narrower triangles.
    corners, triangles, growth = widened(vertices, faces, NARROWEST, NARROW)
    leaves = np.column_stack([corners[triangles].reshape(-1, 9), radii + growth])
    inside = inside_spheres(vertices, faces)[:, [0, 1, 2, 0, 1, 2, 0, 1, 2, 3]]
    return _cluster(np.vstack([leaves, inside]))


def _hull_planes(vertices: Array) -> Array | None:
    """Return the distinct planes of the convex hull; None if flat, or if they are many."""
    hull = convex_hull(vertices)
    planes = None if hull is None else np.unique(hull.equations.round(9), axis=0)
    if planes is None or len(planes) > MOST_PLANES:
        return None
    normals = planes[:, :3] / np.linalg.norm(planes[:, :3], axis=1)[:, np.newaxis]
    # Despite rounding, every vertex is on the inner side.
    return np.column_stack([normals, (vertices @ normals.T).max(axis=0)])


def _cluster(leaves: Array) -> Piece:
    """Build the tree of boxes around triangles and spheres."""
    corners, radii = leaves[:, :9].reshape(-1, 3, 3), leaves[:, 9:]
    boxes = np.hstack([corners.min(axis=1) - radii, corners.max(axis=1) + radii])
    order = np.arange(len(leaves))
    nodes = build_tree(boxes, order, LEAVES_A_NODE)
    spheres = np.column_stack([corners.reshape(-1, 3), np.repeat(leaves[:, 9], 3)])
    size, sphere = (0.0, 0.0, 0.0), enclosing_sphere(spheres)
    box = np.concatenate([nodes[0]["low"], nodes[0]["high"]])
    return Piece(arrays.CLUSTER, size, box, sphere, nodes=nodes, leaves=leaves[order])


def _cloud(cloud: PointCloud) -> Piece:
    """Build the tree of boxes around points; only the piece's bounds include their radius."""
    order = np.arange(len(cloud.points))
    nodes = build_tree(np.hstack([cloud.points, cloud.points]), order, POINTS_A_NODE)
    low, high, radius = nodes[0]["low"], nodes[0]["high"], cloud.radius
    around = np.append(0.5 * (low + high), 0.5 * np.linalg.norm(high - low) + radius)
    box = np.concatenate([low - radius, high + radius])
    size = (radius, 0.0, 0.0)
    return Piece(arrays.CLOUD, size, box, around, nodes=nodes, points=cloud.points[order])
