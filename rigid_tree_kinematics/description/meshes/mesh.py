"""Mesh files, loaded when somebody needs their triangles.

``trimesh`` reads STL, OBJ and (with pycollada) DAE. As in RViz, a COLLADA file's ``unit`` scales
it to metres while its ``up_axis`` is not applied: what ROS packages ship is drawn that way.
"""

from __future__ import annotations

import re
from functools import lru_cache
from io import BytesIO
from pathlib import Path
from typing import TYPE_CHECKING
from xml.parsers import expat

import numpy as np

from rigid_tree_kinematics.description.meshes.packages import resolve_mesh_path
from rigid_tree_kinematics.errors import DescriptionError
from rigid_tree_kinematics.model import Mesh

if TYPE_CHECKING:
    import trimesh

SUFFIXES = (".stl", ".obj", ".dae")
CACHED_FILES = 128  # a humanoid has some 60, each perhaps for drawing and for collision


def load_mesh(mesh: Mesh) -> trimesh.Trimesh:
    """Return the triangles of a mesh in its own frame, in m, with its scale applied.

    All parts of the file become one mesh; a mirroring scale keeps the faces outward. The result
    is the caller's own; files are read again only when they changed.

    Raises DescriptionError if the file is not found, cannot be read or has no triangles.
    """
    path = resolve_mesh_path(mesh.filename, mesh.directory)
    state = path.stat()
    triangles = _load_file(str(path), state.st_mtime_ns, state.st_size).copy()
    triangles.apply_transform(np.diag([*mesh.scale, 1.0]))
    return triangles


@lru_cache(maxsize=CACHED_FILES)
def _load_file(path: str, modified: int, size: int) -> trimesh.Trimesh:
    """Return the unscaled mesh of a file; time and size are there for the cache."""
    suffix = Path(path).suffix.lower()
    if suffix not in SUFFIXES:
        raise DescriptionError(
            f"mesh files end in {', '.join(SUFFIXES)}, not '{suffix}'; convert the file", path
        )
    import trimesh

    try:
        triangles = _load_collada(path) if suffix == ".dae" else _load_parts(path, suffix[1:])
    except Exception as error:  # each format's reader fails in its own ways
        reason = str(error) or type(error).__name__
        raise DescriptionError(f"the mesh cannot be read: {reason}", path) from error
    if not isinstance(triangles, trimesh.Trimesh) or len(triangles.faces) == 0:
        raise DescriptionError("the mesh has no triangles", path)
    if not np.isfinite(triangles.vertices).all():
        raise DescriptionError("the mesh has vertices that are not finite", path)
    return triangles


def _load_collada(path: str) -> trimesh.Trimesh:
    data = Path(path).read_bytes()
    triangles = _load_parts(data, "dae")
    if not len(triangles.faces):
        # A shape whose material refers to a missing texture is dropped: read it without.
        bare = re.sub(rb"<bind_material>.*?</bind_material>", b"", data, flags=re.DOTALL)
        triangles = _load_parts(bare, "dae")
    return triangles.apply_scale(_collada_unit(data))


def _load_parts(source: str | bytes, file_type: str) -> trimesh.Trimesh:
    """Return all parts of a file (a path, or its content) as one mesh."""
    import trimesh

    opened = BytesIO(source) if isinstance(source, bytes) else source
    scene = trimesh.load_scene(opened, file_type=file_type)
    for part in scene.geometry.values():
        if getattr(part.visual, "kind", None) == "texture":
            # Textures take an image library and are not needed: their main colour stays.
            color = part.visual.material.main_color
            part.visual = trimesh.visual.ColorVisuals(part, face_colors=color)
    return scene.to_mesh()


def _collada_unit(data: bytes) -> float:
    """Return the metres of one unit of a COLLADA file; 1 if it does not say."""
    found: list[float] = []

    def start(tag: str, attributes: dict[str, str]) -> None:
        if tag.rsplit(":")[-1] == "unit" and "meter" in attributes and not found:
            found.append(float(attributes["meter"]))

    parser = expat.ParserCreate()
    parser.StartElementHandler = start
    parser.Parse(data, True)
    unit = found[0] if found else 1.0
    if not (np.isfinite(unit) and unit > 0.0):
        raise ValueError(f"its unit is {unit} m")
    return unit
