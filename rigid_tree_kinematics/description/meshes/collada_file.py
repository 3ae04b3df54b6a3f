"""COLLADA files (.dae), read with the package pycollada."""

from __future__ import annotations

import zipfile
from collections.abc import Iterator
from io import BytesIO
from typing import TYPE_CHECKING, Any
from xml.etree import ElementTree
from xml.parsers import expat

import numpy as np

from rigid_tree_kinematics.arrays import Array, Integers
from rigid_tree_kinematics.description.meshes.polygons import triangulate
from rigid_tree_kinematics.needed_packages import needs

if TYPE_CHECKING:
    import collada

GREY = (0.7, 0.7, 0.72, 1.0)  # without a color
LARGEST_NUMBER = float(np.finfo(np.float32).max)  # pycollada sets larger ones and NaN to zero
WHITE = (1.0, 1.0, 1.0, 1.0)  # of a texture
# Elements that a surface does not need. pycollada drops a shape without its material.
DECORATION = {
    *("library_animations", "library_animation_clips", "library_cameras", "library_effects"),
    *("library_images", "library_lights", "library_materials", "bind_material"),
    *("instance_camera", "instance_light", "extra", "lines", "linestrips"),
}
SURFACES = {"triangles", "trifans", "tristrips", "polylist", "polygons"}


def read_collada(content: bytes) -> tuple[Array, Integers, Array | None]:
    """Return the vertices (n, 3), m, faces (m, 3) and face colors (m, 4) of a COLLADA file.

    The file's unit is applied; its ``up_axis`` is not, like in RViz. Without any color, the colors
    are None.

    Raises ValueError for files that cannot be read entirely.
    """
    if zipfile.is_zipfile(BytesIO(content)):
        raise ValueError("it is a ZIP archive; unpack it")
    _check(content)
    document = _document(content)
    if document.errors:  # without materials, of which something is missing
        document = _document(_without_decoration(content))
    if document.errors:
        raise ValueError(f"a part of it cannot be read: {document.errors[0]}")
    if document.scene is None:
        raise ValueError("it has no scene")
    if any(True for _ in document.scene.objects("controller")):
        raise ValueError("it has a skinned shape (<controller>); export it without its skeleton")
    parts = [
        part
        for shape in document.scene.objects("geometry")
        for primitive in shape.primitives()
        for part in _surface(primitive)
    ]
    unit = document.assetInfo.unitmeter
    unit = 1.0 if unit is None else unit
    if not (np.isfinite(unit) and unit > 0.0):
        raise ValueError(f"its unit is {unit} m")
    starts = np.cumsum([0, *(len(vertices) for vertices, _, _ in parts)])
    faces = [faces + start for (_, faces, _), start in zip(parts, starts[:-1], strict=True)]
    colors = [
        np.broadcast_to(GREY if color is None else color, (len(faces), 4))
        for _, faces, color in parts
    ]
    return (
        unit * np.concatenate([np.zeros((0, 3)), *(vertices for vertices, _, _ in parts)]),
        np.concatenate([np.zeros((0, 3), dtype=np.int64), *faces]),
        np.concatenate(colors) if any(color is not None for _, _, color in parts) else None,
    )


def _check(content: bytes) -> None:
    """Raise ValueError for content that pycollada would change or leave out silently.

    It expands entities, leaves out the holes of polygons, and sets numbers that are not finite or
    beyond 32-bit floats to zero.
    """
    texts: dict[str, list[list[str]]] = {}  # of the arrays of numbers, by source
    open_source = ""
    positions: set[str] = set()

    def start(tag: str, attributes: dict[str, str]) -> None:
        nonlocal open_source
        name = tag.rsplit(":")[-1]
        if name == "source":
            open_source = attributes.get("id", "")
        elif name == "float_array":
            texts.setdefault(open_source, []).append([])
            parser.CharacterDataHandler = texts[open_source][-1].append
        elif name == "input" and attributes.get("semantic") == "POSITION":
            positions.add(attributes.get("source", "").removeprefix("#"))
        elif name == "ph":
            raise ValueError("it has polygons with holes (<ph>); export triangles")

    def end(tag: str) -> None:
        parser.CharacterDataHandler = None
        if tag.rsplit(":")[-1] == "geometry":  # the next one may use the same names
            for array in (array for name in positions for array in texts.get(name, ())):
                numbers = np.array("".join(array).split(), dtype=np.float64)
                if not (np.abs(numbers) <= LARGEST_NUMBER).all():
                    raise ValueError("it has vertices that are not finite")
            texts.clear()
            positions.clear()

    def reject(*_: object) -> None:
        raise ValueError("it declares entities")

    parser = expat.ParserCreate()
    parser.buffer_text = True
    parser.StartElementHandler, parser.EndElementHandler = start, end
    parser.EntityDeclHandler = reject
    parser.Parse(content, True)


def _document(content: bytes) -> collada.Collada:
    with needs("collada", "reading a .dae mesh", "pip install pycollada"):
        import collada

    return collada.Collada(BytesIO(content), ignore=[collada.common.DaeError])


def _without_decoration(content: bytes) -> bytes:
    """Return a document without comments, materials and what else is no surface."""
    root = ElementTree.fromstring(content)
    for parent in root.iter():
        for child in list(parent):
            name = child.tag.rpartition("}")[2]
            if name in DECORATION or (name in SURFACES and child.find("{*}p") is None):
                parent.remove(child)
    return ElementTree.tostring(root)


def _surface(primitive: Any) -> Iterator[tuple[Array, Integers, Array | None]]:
    """Yield the vertices, faces and colors of a primitive, unless it has no triangles."""
    corners = getattr(primitive, "vertex_index", None)
    polygons = getattr(primitive, "polyindex", None)
    if corners is None or (polygons is None and corners.shape[1] != 3):  # lines
        return
    corners = corners.ravel().astype(np.int64)
    if corners.min() < 0:
        raise ValueError("a shape's vertex is not in the file")
    vertices = primitive.vertex.astype(np.float64)
    if polygons is None:
        triangles = np.arange(len(corners)).reshape(-1, 3)
    else:
        triangles = triangulate(vertices[corners], np.diff(polygons).ravel())
    yield vertices, corners[triangles], _color(primitive, triangles)


def _color(primitive: Any, triangles: Integers) -> Array | None:
    """Return the color (4,) of a primitive's material, or those (m, 4) of its triangles."""
    if primitive.material is not None:
        effect = primitive.material.effect
        color = np.append(WHITE if _is_texture(effect.diffuse) else effect.diffuse, 1.0)[:4]
        if effect.transparent is not None and not _is_texture(effect.transparent):
            color[3] = effect.transparent[3]
        return color
    shape = primitive.original
    for offset, _, _, _, source in shape.sources.get("COLOR", ()):
        colors = source.data[shape.index.reshape(-1, shape.nindices)[triangles[:, 0], offset]]
        return np.column_stack([colors, np.ones(len(colors))])[:, :4].astype(np.float64)
    return None


def _is_texture(color: Any) -> bool:
    return color is None or not isinstance(color, (tuple, list, np.ndarray))
