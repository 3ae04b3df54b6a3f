"""Loading mesh files, and visuals as colored triangles.

STL, OBJ, DAE, PLY, OFF and glTF (.glb, .gltf) files are read. Like in RViz, a COLLADA file's
``unit`` is applied, and no file's up axis: the meshes of ROS packages are made for that.
"""

from __future__ import annotations

import contextlib
import logging
import os
from functools import lru_cache
from io import BytesIO
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from rigid_tree_kinematics.arrays import Array, Integers
from rigid_tree_kinematics.description.meshes.collada_file import GREY, read_collada
from rigid_tree_kinematics.description.meshes.packages import resolve_mesh_path
from rigid_tree_kinematics.description.meshes.polygon_files import read_off, read_ply
from rigid_tree_kinematics.description.meshes.simple_files import (
    HEADER,
    LARGEST_OBJ,
    TRIANGLE,
    merged_in_order,
    read_binary_stl,
    read_obj,
    triangulated_obj,
)
from rigid_tree_kinematics.errors import DescriptionError, RigidTreeError
from rigid_tree_kinematics.files import read_plain_file
from rigid_tree_kinematics.model import Box, Cylinder, Mesh, Sphere, Visual
from rigid_tree_kinematics.text import told_apart

if TYPE_CHECKING:
    import trimesh

SUFFIXES = (".stl", ".obj", ".dae", ".ply", ".off", ".glb", ".gltf")
LARGEST_FILE = 256 << 20  # bytes
# Files that OBJ and glTF files refer to, and their largest sizes; textures are not loaded.
LARGEST_PARTS = {".mtl": 1 << 20, ".bin": LARGEST_FILE}  # bytes
MOST_TRIANGLES = 2_000_000
MOST_POINTS = 5_000_000  # of a cloud
FARTHEST = 1e6  # m, of a vertex from the mesh's frame
LARGEST_STL = HEADER + MOST_TRIANGLES * TRIANGLE.itemsize  # bytes
# Raised when a format's triangles change: caches on disk are named by mesh_digest.
READER_VERSIONS = {".obj": 2, ".dae": 2}
CACHED_FILES = 128  # a humanoid has about 60
# trimesh logs tracebacks of, for example, missing textures, which Python prints without a handler.
logging.getLogger("trimesh").addHandler(logging.NullHandler())


def load_mesh(mesh: Mesh) -> trimesh.Trimesh:
    """Return the scaled triangles of a mesh in its own frame (m).

    All parts of the file become one mesh; faces point outward, also with a mirroring scale. The
    result is a copy; a file is read again if it has changed.

    Raises DescriptionError if the file is not found, cannot be read, has no triangles, or exceeds
    the limits above.

    Example:
        >>> import trimesh
        >>> from rigid_tree_kinematics.model import Mesh
        >>> text = trimesh.creation.box((200, 100, 50)).export("part.stl")  # mm
        >>> print(load_mesh(Mesh("part.stl", scale=(0.001,) * 3, directory=".")).extents)
        [0.2  0.1  0.05]
    """
    file = _file_of(mesh)
    triangles = _load_file(*file).copy()
    triangles.apply_transform(np.diag([*mesh.scale, 1.0]))
    _check_farthest(triangles.vertices, file[0])
    return triangles


def load_triangles(mesh: Mesh) -> tuple[Array, Integers]:
    """Return the vertices (n, 3), m, and the faces (m, 3) of ``load_mesh``.

    Binary STL, COLLADA and small OBJ files are read without trimesh, whose import takes longer
    than reading the file.
    """
    file = _file_of(mesh)
    vertices, faces = _triangles_of_file(*file)
    vertices = vertices * mesh.scale
    _check_farthest(vertices, file[0])
    return vertices, faces[:, ::-1].copy() if np.prod(mesh.scale) < 0.0 else faces.copy()


def mesh_digest(mesh: Mesh) -> str:
    """Return a digest of a mesh's file and scale.

    Raises DescriptionError if the file is not found or cannot be read.
    """
    return f"{_digest_of_file(*_file_of(mesh))} {[float(scale) for scale in mesh.scale]}"


def _file_of(mesh: Mesh) -> tuple[str, int, int]:
    """Return a file's path, time and size: the keys of the caches."""
    path = resolve_mesh_path(mesh.filename, mesh.directory)
    state = path.stat()
    return str(path), state.st_mtime_ns, state.st_size


def _check_farthest(vertices: Array, path: str) -> None:
    farthest = float(np.abs(vertices).max())
    if not farthest <= FARTHEST:
        found, most = told_apart(farthest, FARTHEST)
        raise DescriptionError(f"the mesh's vertices must be within {most} m, not {found}", path)


@lru_cache(maxsize=CACHED_FILES)
def _digest_of_file(path: str, modified: int, size: int) -> str:
    import hashlib  # not at the top: it loads OpenSSL, 3.5 MB

    suffix = Path(path).suffix.lower()
    try:
        content = read_plain_file(path, LARGEST_FILE)
        return f"{suffix}{READER_VERSIONS.get(suffix, '')}{hashlib.sha256(content).hexdigest()}"
    except OSError as error:
        raise DescriptionError(f"the mesh cannot be read: {error}", path) from error


def _collada_triangles(content: bytes) -> tuple[Array, Integers] | None:
    """Return the vertices and faces of a COLLADA file; None for ``_load_file`` to reject."""
    try:
        vertices, faces, _ = read_collada(content)
        _check_vertices(vertices)
    except Exception:  # pycollada can raise any exception
        return None
    return merged_in_order(vertices, faces) if 0 < len(faces) <= MOST_TRIANGLES else None


# Readers without trimesh, up to a size; they return None for unsupported content.
_READERS = {
    ".stl": (read_binary_stl, LARGEST_STL),
    ".obj": (read_obj, LARGEST_OBJ),
    ".dae": (_collada_triangles, LARGEST_FILE),
}


@lru_cache(maxsize=CACHED_FILES)
def _triangles_of_file(path: str, modified: int, size: int) -> tuple[Array, Integers]:
    """Return the unscaled vertices and faces of a file."""
    found = None
    read, largest = _READERS.get(Path(path).suffix.lower(), (None, 0))
    if read is not None and size <= largest:
        with contextlib.suppress(OSError):  # reported by the general reader
            found = read(read_plain_file(path, largest))
    if found is None:
        mesh = _load_file(path, modified, size)
        found = np.array(mesh.vertices, dtype=np.float64), np.array(mesh.faces, dtype=np.int64)
    return found


@lru_cache(maxsize=CACHED_FILES)
def _load_file(path: str, modified: int, size: int) -> trimesh.Trimesh:
    """Return the unscaled mesh of a file."""
    suffix = Path(path).suffix.lower()
    if suffix not in SUFFIXES:
        raise DescriptionError(
            f"mesh files must end in {', '.join(SUFFIXES)}, not '{suffix}'; convert the file", path
        )
    import trimesh

    try:
        with np.errstate(all="ignore"):
            triangles = _read(read_plain_file(path, LARGEST_FILE), suffix, path)
    except RigidTreeError:
        raise
    except Exception as error:  # format readers can raise any exception
        reason = str(error) or type(error).__name__
        raise DescriptionError(f"the mesh cannot be read: {reason}", path) from error
    if not isinstance(triangles, trimesh.Trimesh) or len(triangles.faces) == 0:
        raise DescriptionError("the mesh has no triangles", path)
    if len(triangles.faces) > MOST_TRIANGLES:
        raise DescriptionError(
            f"the mesh has {len(triangles.faces)} triangles, more than {MOST_TRIANGLES}", path
        )
    return triangles


def _read(content: bytes, suffix: str, path: str) -> trimesh.Trimesh:
    """Return all triangles of a file's content as one mesh."""
    if suffix == ".dae":
        vertices, faces, colors = read_collada(content)
        return _mesh(vertices, faces, face_colors=colors)
    if suffix == ".ply":
        vertices, faces, colors = read_ply(content)
        return _mesh(vertices, faces, vertex_colors=colors)
    if suffix == ".off":
        return _mesh(*read_off(content))
    if suffix == ".stl" and (found := read_binary_stl(content)) is not None:
        return _mesh(*found)
    if suffix == ".obj":
        content = triangulated_obj(content)
    return _load_parts(content, suffix[1:], _Parts(os.path.dirname(path)))


def _mesh(
    vertices: Array,
    faces: Integers,
    face_colors: Array | None = None,
    vertex_colors: Array | None = None,
) -> trimesh.Trimesh:
    """Return a mesh with equal vertices merged; colors of faces are between 0 and 1."""
    import trimesh

    _check_vertices(vertices)
    if face_colors is not None:
        face_colors = np.round(255.0 * face_colors.clip(0.0, 1.0)).astype(np.uint8)
    if vertex_colors is not None:
        vertex_colors = vertex_colors.clip(0.0, 255.0).astype(np.uint8)
    return trimesh.Trimesh(vertices, faces, face_colors=face_colors, vertex_colors=vertex_colors)


def _check_vertices(vertices: Array) -> None:
    if vertices.ndim != 2 or vertices.shape[1] != 3:
        raise ValueError("its vertices must have x, y and z")
    if not np.isfinite(vertices).all():
        raise ValueError("it has vertices that are not finite")


class _Parts:
    """Resolves the files that a mesh file refers to, in or below its folder."""

    def __init__(self, folder: str) -> None:
        self._folder = folder

    def get(self, name: str) -> bytes:
        """Return a file's content; raises OSError for files that are not loaded."""
        inside = not os.path.isabs(name) and ".." not in Path(name).parts
        largest = LARGEST_PARTS.get(Path(name).suffix.lower())
        if not inside or largest is None:
            raise FileNotFoundError(name)
        return read_plain_file(os.path.join(self._folder, name), largest)

    __getitem__ = get


def _load_parts(content: bytes, file_type: str, resolver: Any) -> trimesh.Trimesh:
    """Return all parts of a file that trimesh reads as one mesh."""
    import trimesh

    scene = trimesh.load_scene(
        BytesIO(content), file_type=file_type, resolver=resolver, process=False
    )
    for name, part in list(scene.geometry.items()):
        if not isinstance(part, trimesh.Trimesh):
            scene.delete_geometry(name)  # points and lines
            continue
        # trimesh would drop vertices that are not finite silently.
        _check_vertices(np.asarray(part.vertices))
        part.process()
        visual: Any = part.visual
        if getattr(visual, "kind", None) == "texture":
            # Textures are replaced by their main color, which needs no image library.
            color = visual.material.main_color
            part.visual = trimesh.visual.ColorVisuals(part, face_colors=color)
    mesh: trimesh.Trimesh = scene.to_mesh()
    return mesh


def visual_mesh(visual: Visual) -> trimesh.Trimesh:
    """Return the colored triangles of a visual in its body's frame (m).

    A material's color replaces those of a mesh file; textures become their main color. Raises
    DescriptionError for a mesh file that cannot be read.
    """
    import trimesh

    geometry = visual.geometry
    triangles: trimesh.Trimesh
    if isinstance(geometry, Box):
        triangles = trimesh.creation.box(geometry.size)
    elif isinstance(geometry, Cylinder):
        triangles = trimesh.creation.cylinder(geometry.radius, geometry.length)
    elif isinstance(geometry, Sphere):
        triangles = trimesh.creation.icosphere(radius=geometry.radius)
    else:
        triangles = load_mesh(geometry)
    color = visual.material.color if visual.material is not None else None
    if color is not None or not (
        isinstance(geometry, Mesh) and getattr(triangles.visual, "defined", False)
    ):
        triangles.visual = trimesh.visual.ColorVisuals(
            triangles, face_colors=[round(255 * part) for part in color or GREY]
        )
    triangles.apply_transform(visual.origin)
    return triangles
