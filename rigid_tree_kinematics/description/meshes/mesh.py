"""Loading mesh files, and visuals as colored triangles.

``trimesh`` reads STL, OBJ and (with pycollada) DAE. Like in RViz, a COLLADA file's ``unit`` is
applied and its ``up_axis`` is not: the meshes of ROS packages are made for that.
"""

from __future__ import annotations

import contextlib
import os
import re
import zipfile
from functools import lru_cache
from io import BytesIO
from pathlib import Path
from typing import TYPE_CHECKING, Any
from xml.parsers import expat

import numpy as np

from rigid_tree_kinematics.arrays import Array, Integers
from rigid_tree_kinematics.description.meshes.packages import resolve_mesh_path
from rigid_tree_kinematics.description.meshes.simple_files import (
    HEADER,
    LARGEST_OBJ,
    TRIANGLE,
    read_binary_stl,
    read_obj,
)
from rigid_tree_kinematics.errors import DescriptionError
from rigid_tree_kinematics.files import read_plain_file
from rigid_tree_kinematics.model import Box, Cylinder, Mesh, Sphere, Visual

if TYPE_CHECKING:
    import trimesh

SUFFIXES = (".stl", ".obj", ".dae")
LARGEST_FILE, LARGEST_MATERIALS = 256 << 20, 1 << 20  # bytes
MOST_TRIANGLES = 2_000_000
MOST_POINTS = 5_000_000  # of a cloud
FARTHEST = 1e6  # m, of a vertex from the mesh's frame
LARGEST_STL = HEADER + MOST_TRIANGLES * TRIANGLE.itemsize  # bytes
# Readers without a mesh library, up to a size; they return None for unsupported content.
_READERS = {".stl": (read_binary_stl, LARGEST_STL), ".obj": (read_obj, LARGEST_OBJ)}
GREY = (0.7, 0.7, 0.72, 1.0)  # without a color
CACHED_FILES = 128  # a humanoid has about 60


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

    Binary STL and small OBJ files are read without a mesh library, whose import takes longer than
    reading the file.
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
        raise DescriptionError(
            f"the mesh's vertices must be within {FARTHEST:g} m, not {farthest:g}", path
        )


@lru_cache(maxsize=CACHED_FILES)
def _digest_of_file(path: str, modified: int, size: int) -> str:
    import hashlib  # not at the top: it loads OpenSSL, 3.5 MB

    suffix = Path(path).suffix.lower()
    try:
        return suffix + hashlib.sha256(read_plain_file(path, LARGEST_FILE)).hexdigest()
    except OSError as error:
        raise DescriptionError(f"the mesh cannot be read: {error}", path) from error


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
        content = read_plain_file(path, LARGEST_FILE)
        if suffix == ".dae":
            triangles = _load_collada(content)
        else:
            triangles = _load_parts(content, suffix[1:], _Materials(os.path.dirname(path)))
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


class _Materials:
    """Resolves material files in or below an OBJ file's folder; textures are not loaded."""

    def __init__(self, folder: str) -> None:
        self._folder = folder

    def get(self, name: str) -> bytes:
        """Return a material file's content; raises OSError for other files."""
        inside = not os.path.isabs(name) and ".." not in Path(name).parts
        if not (inside and name.lower().endswith(".mtl")):
            raise FileNotFoundError(name)
        return read_plain_file(os.path.join(self._folder, name), LARGEST_MATERIALS)

    __getitem__ = get


def _load_collada(data: bytes) -> trimesh.Trimesh:
    if zipfile.is_zipfile(BytesIO(data)):
        raise ValueError("it is a ZIP archive; unpack it")
    unit = _collada_unit(data)
    triangles = _load_parts(data, "dae")
    if not len(triangles.faces):
        # Shapes with a missing texture are dropped: read them without materials.
        bare = re.sub(rb"<bind_material>.*?</bind_material>", b"", data, flags=re.DOTALL)
        triangles = _load_parts(bare, "dae")
    triangles.apply_scale(unit)
    return triangles


def _load_parts(content: bytes, file_type: str, resolver: Any = None) -> trimesh.Trimesh:
    """Return all parts of a file as one mesh."""
    import trimesh

    scene = trimesh.load_scene(
        BytesIO(content), file_type=file_type, resolver=resolver, process=False
    )
    for part in scene.geometry.values():
        # trimesh would drop them silently.
        if not np.isfinite(getattr(part, "vertices", 0.0)).all():
            raise ValueError("it has vertices that are not finite")
        part.process()
        if getattr(part.visual, "kind", None) == "texture":
            # Textures are replaced by their main color, which needs no image library.
            color = part.visual.material.main_color
            part.visual = trimesh.visual.ColorVisuals(part, face_colors=color)
    mesh: trimesh.Trimesh = scene.to_mesh()
    return mesh


def _collada_unit(data: bytes) -> float:
    """Return the length of a COLLADA file's unit (m), 1 by default.

    Raises ValueError for entities, which pycollada would expand, and for positions beyond 32-bit
    floats, which it would set to zero.
    """
    found: list[float] = []
    texts: dict[str, list[str]] = {"": []}  # by source
    open_source = ""
    positions: set[str] = set()

    def start(tag: str, attributes: dict[str, str]) -> None:
        nonlocal open_source
        name = tag.rsplit(":")[-1]
        if name == "unit" and "meter" in attributes and not found:
            found.append(float(attributes["meter"]))
        elif name == "source":
            open_source = attributes.get("id", "")
        elif name == "float_array":
            parser.CharacterDataHandler = texts.setdefault(open_source, []).append
        elif name == "input" and attributes.get("semantic") == "POSITION":
            positions.add(attributes.get("source", "").removeprefix("#"))

    def end(tag: str) -> None:
        parser.CharacterDataHandler = None

    def refuse(*_: object) -> None:
        raise ValueError("it declares entities")

    parser = expat.ParserCreate()
    parser.buffer_text = True
    parser.StartElementHandler, parser.EndElementHandler = start, end
    parser.EntityDeclHandler = refuse
    parser.Parse(data, True)
    unit = found[0] if found else 1.0
    if not (np.isfinite(unit) and unit > 0.0):
        raise ValueError(f"its unit is {unit} m")
    for name in positions:
        numbers = np.array("".join(texts.get(name, [])).split(), dtype=np.float64)
        if not (np.abs(numbers) <= np.finfo(np.float32).max).all():
            raise ValueError("it has vertices that are not finite")
    return unit


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
