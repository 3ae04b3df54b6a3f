"""Shapes as coal geometries, each with a bounding sphere."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any
from weakref import WeakKeyDictionary, WeakValueDictionary

import numpy as np

from rigid_tree_kinematics.arrays import Array, Integers, Mask
from rigid_tree_kinematics.collision.scene import PlacedShape
from rigid_tree_kinematics.collision.shapes import PointCloud, Prism, Shape, triangulation
from rigid_tree_kinematics.collision.shapes.enclosing import enclosing_sphere
from rigid_tree_kinematics.collision.shapes.fit_cache import cached_fit, shape_fingerprint
from rigid_tree_kinematics.collision.shapes.hulls import convex_hull
from rigid_tree_kinematics.collision.shapes.obstacle_shapes import Triangulation, convex_pieces
from rigid_tree_kinematics.collision.shapes.simplified import widened
from rigid_tree_kinematics.collision.shapes.spheres import as_spheres
from rigid_tree_kinematics.collision.world.pieces import is_closed, is_convex
from rigid_tree_kinematics.description.meshes import merged
from rigid_tree_kinematics.model import Box, Cylinder, Mesh, Sphere
from rigid_tree_kinematics.needed_packages import needs

if TYPE_CHECKING:
    import coal

HULL_VERSION = 2  # increment when the hull of a mesh changes: it is cached on disk
POINT = 1e-7  # m; the size of the triangle that represents a point of a cloud


@dataclass(frozen=True, eq=False)
class Solid:
    """A coal geometry, grown by ``radius``.

    ``bounding_sphere`` (4,) contains it, in its own frame. ``hull`` is convex and contains it,
    too: it is checked first, a hundred times faster than a mesh. ``surface`` is set for a closed
    surface, as coal ignores its interior.
    """

    geometry: Any
    bounding_sphere: Array
    members: Array  # (k, 3) a point of each of its connected parts
    hull: Any
    radius: float = 0.0
    surface: Triangulation | None = None

    @cached_property
    def _box(self) -> tuple[Array, Array]:
        """Low and high corner of the closed surface's bounding box; empty without a surface."""
        if self.surface is None:
            return np.full(3, np.inf), np.full(3, -np.inf)
        return self.surface[0].min(axis=0), self.surface[0].max(axis=0)

    def may_enclose(self, points: Array) -> Mask:
        """Return which points (k, 3) of the solid's frame are in its bounding box."""
        low, high = self._box
        return np.asarray(((points > low) & (points < high)).all(axis=1))

    def encloses(self, point: Array) -> bool:
        """Return whether the surface encloses a point (3,) (Van Oosterom and Strackee, 1983)."""
        if self.surface is None:
            return False
        vertices, faces = self.surface
        a, b, c = (vertices[faces[:, k]] - point for k in range(3))
        la, lb, lc = (np.linalg.norm(side, axis=1) for side in (a, b, c))
        determinant = np.einsum("ij,ij->i", a, np.cross(b, c))
        dots = [np.einsum("ij,ij->i", *pair) for pair in ((a, b), (b, c), (c, a))]
        below = la * lb * lc + dots[0] * lc + dots[1] * la + dots[2] * lb
        turns = np.arctan2(determinant, below).sum() / (2.0 * np.pi)
        return abs(float(turns)) > 0.5


_KNOWN: WeakKeyDictionary[PlacedShape, list[Solid]] = WeakKeyDictionary()
_OF_FILES: WeakValueDictionary[str, Solid] = WeakValueDictionary()


def solids_of(shape: Shape) -> list[Solid]:
    """Return the solids of a shape in its own frame; a concave prism has several.

    Raises DescriptionError if a mesh file is missing or cannot be read.
    """
    with needs("coal", "checking collisions"):
        import coal

    if isinstance(shape, Box):
        half = 0.5 * np.array(shape.size)
        return [_centered(coal.Box(*shape.size), float(np.linalg.norm(half)))]
    if isinstance(shape, Sphere):
        return [_centered(coal.Sphere(shape.radius), shape.radius)]
    if isinstance(shape, Cylinder):
        farthest = float(np.hypot(shape.radius, 0.5 * shape.length))
        return [_centered(coal.Cylinder(shape.radius, shape.length), farthest)]
    if isinstance(shape, PointCloud):
        return [points_solid(shape.points, shape.radius)]
    if isinstance(shape, Prism):
        pieces = [Prism(corners, shape.lower, shape.upper) for corners in convex_pieces(shape)]
        return [_mesh_solid(triangulation(piece), convex=True) for piece in pieces]
    # Several links can share a mesh, such as fingers.
    digest = shape_fingerprint(shape) if isinstance(shape, Mesh) else ""
    solid = _OF_FILES.get(digest)
    if solid is None:
        surface = _mended(triangulation(shape))
        solid = _mesh_solid(surface, is_convex(surface), digest)
        if digest:
            _OF_FILES[digest] = solid
    return [solid]


def solids_of_placed(placed: PlacedShape) -> list[Solid]:
    """Return ``solids_of`` the placed shape, cached."""
    solids = _KNOWN.get(placed)
    if solids is None:
        solids = _KNOWN[placed] = solids_of(placed.shape)
    return solids


def coal_pose(T: Array) -> coal.Transform3s:
    """Return coal's form of a pose (4, 4)."""
    import coal

    return coal.Transform3s(np.array(T[:3, :3]), np.array(T[:3, 3]))


def points_solid(points: Array, radius: float) -> Solid:
    """Return the solid of points (k, 3) grown by a radius (m)."""
    corners = points[:, np.newaxis] + POINT * np.array([[0, 0, 0], [1, 0, 0], [0, 1, 0]])
    faces = np.arange(3 * len(corners)).reshape(-1, 3)
    geometry = _mesh_tree(corners.reshape(-1, 3), faces)
    sphere = enclosing_sphere(as_spheres(points, radius + POINT))
    return Solid(geometry, sphere, points, geometry, radius)


def _mesh_solid(surface: Triangulation, convex: bool, digest: str = "") -> Solid:
    """Return the solid of a surface; with a digest, its hull is cached on disk."""
    vertices, faces = surface
    sphere = enclosing_sphere(as_spheres(vertices))
    if convex:
        geometry = _mesh_tree(vertices, faces)
        geometry.buildConvexRepresentation(False)
        return Solid(geometry.convex, sphere, vertices[faces[0, :1]], geometry.convex)
    # To narrower triangles, and those whose corners coincide, coal computes wrong distances.
    geometry = _mesh_tree(*widened(vertices, faces, POINT)[:2])
    closed = surface if is_closed(faces) else None
    shape = (None, 3)
    hull_faces = (
        cached_fit(f"{digest}-hull-{HULL_VERSION}", lambda: _hull_faces(vertices), np.int64, shape)
        if digest
        else _hull_faces(vertices)
    )
    hull = _convex(vertices, hull_faces) or geometry
    return Solid(geometry, sphere, _member_of_each_part(surface), hull, surface=closed)


def _mended(surface: Triangulation) -> Triangulation:
    """Return a surface, closed if that takes only merged vertices and fewer triangles.

    Mesh files contain triangles twice and triangles without area.
    """
    if is_closed(surface[1]) or (found := merged(surface[0][surface[1]].reshape(-1, 3))) is None:
        return surface
    vertices, faces = found
    corners = np.sort(faces, axis=1)
    single = np.zeros(len(faces), dtype=np.bool_)
    single[np.unique(corners, axis=0, return_index=True)[1]] = True
    faces = faces[single & (corners[:, 1:] != corners[:, :-1]).all(axis=1)]
    for fewer in (faces, _with_area((vertices, faces))):
        if len(fewer) and is_closed(fewer):
            return vertices, fewer
    return surface


def _with_area(surface: Triangulation) -> Integers:
    """Return the faces whose corners are not on one line."""
    vertices, faces = surface
    a, b, c = (vertices[faces[:, k]] for k in range(3))
    return faces[np.cross(b - a, c - a).any(axis=1)]


def _member_of_each_part(surface: Triangulation) -> Array:
    """Return one vertex (k, 3) of each connected part of a mesh."""
    vertices, faces = surface
    label, before = np.arange(len(vertices)), np.empty(0)
    while not np.array_equal(label, before):
        before = label.copy()
        np.minimum.at(label, faces, label[faces].min(axis=1, keepdims=True))
        label = label[label]
    return vertices[np.unique(label[faces])]


def hull_of(vertices: Array) -> Any:
    """Return the convex hull of points (n, 3), m, as a coal geometry; None if it is flat."""
    return _convex(vertices, _hull_faces(vertices))


def _convex(vertices: Array, faces: Integers) -> Any:
    """Return a convex surface as a coal geometry; None without faces."""
    if not len(faces):
        return None
    used, number = np.unique(faces, return_inverse=True)
    tree = _mesh_tree(vertices[used], number.reshape(-1, 3))
    tree.buildConvexRepresentation(False)
    return tree.convex


def _hull_faces(vertices: Array) -> Integers:
    """Return the outward triangles (m, 3) of the hull of points (n, 3); none if it is flat."""
    hull = convex_hull(vertices)
    if hull is None:
        return np.zeros((0, 3), dtype=np.int64)
    # Qhull does not orient its triangles outward, only its planes.
    faces: Integers = hull.simplices.astype(np.int64)
    a, b, c = (vertices[faces[:, k]] for k in range(3))
    inward = np.einsum("ij,ij->i", np.cross(b - a, c - a), hull.equations[:, :3]) < 0.0
    faces[inward] = faces[inward][:, ::-1]
    return faces


def _mesh_tree(vertices: Array, faces: Integers) -> coal.BVHModelOBBRSS:
    import coal

    tree = coal.BVHModelOBBRSS()
    tree.beginModel(len(faces), len(vertices))
    tree.addVertices(np.ascontiguousarray(vertices))
    tree.addTriangles(np.ascontiguousarray(faces))
    tree.endModel()
    return tree


def _centered(geometry: Any, radius: float) -> Solid:
    return Solid(geometry, np.array([0.0, 0.0, 0.0, radius]), np.zeros((1, 3)), geometry)
