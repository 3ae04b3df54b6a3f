"""Reads the shapes and materials of a URDF document.

A faulty visual is left out with a remark, as no answer needs it. A faulty collision is an error,
unless it has no shape or the shape has no extent.
"""

from __future__ import annotations

from collections.abc import Sequence

import rigid_tree_kinematics.model as model
from rigid_tree_kinematics.arrays import Array
from rigid_tree_kinematics.description.urdf.element import Element
from rigid_tree_kinematics.model.transforms import transform

# Sizes of each shape, with the count of numbers.
SIZES = {
    "box": {"size": 3},
    "cylinder": {"radius": 1, "length": 1},
    "sphere": {"radius": 1},
    "capsule": {"radius": 1, "length": 1},  # URDF 1.1; the length is that of its cylinder
}
SHAPES = (*SIZES, "mesh")
THINNEST = 1e-4  # m, in place of a size of zero


class Materials:
    """The materials of a document, which visuals define or refer to by name."""

    def __init__(self) -> None:
        self._known: dict[str, tuple[model.Material, int]] = {}
        self._read: dict[Element, model.Material] = {}

    def define(self, element: Element) -> None:
        """Read a material; the first definition of a name is used."""
        material = self._read[element] = _material(element)
        if not material.name or (material.color is None and material.texture is None):
            return
        first, line = self._known.setdefault(material.name, (material, element.line))
        if first != material:
            element.remark(
                f"material '{material.name}' has another definition, in line {line}, which is "
                "used; rename one of them"
            )

    def resolve(self, element: Element) -> model.Material:
        """Return the material that a visual's <material> defines or refers to."""
        material = self._read[element]
        if material.name in self._known:
            return self._known[material.name][0]
        if material.name and material.texture is None and not element.all("color"):
            element.remark(f"material '{material.name}' is not defined; it has no color")
        return material


def _material(element: Element) -> model.Material:
    element.check_known(("name",), ("color", "texture"))
    if "name" not in element.attributes:
        element.remark("a material has no name")
    color = texture = None
    if (given := element.child("color")) is not None:
        given.check_known(("rgba",))
        with given.optional("no color is used"):
            rgba = given.numbers("rgba", 4)
            if min(rgba) < 0.0 or max(rgba) > 1.0:
                given.remark(f"rgba '{given.attributes['rgba']}' is not within 0 to 1")
            red, green, blue, alpha = (min(max(part, 0.0), 1.0) for part in rgba)
            color = (red, green, blue, alpha)
    if (given := element.child("texture")) is not None:
        given.check_known(("filename",))
        # CAD exporters write an empty file name for no texture.
        texture = given.attributes.get("filename", "").strip() or None
    return model.Material(element.attributes.get("name", ""), color, texture)


def read_visual(element: Element, materials: Materials) -> list[model.Visual]:
    """Return the shapes of a <visual>: one, none, or the three parts of a capsule."""
    child = element.child("material")
    material = None if child is None else materials.resolve(child)
    with element.optional("the visual is left out"):
        return [model.Visual(*shape, material) for shape in _placed(element, "material")]
    return []


def read_collision(element: Element) -> list[model.Collision]:
    """Return the shapes of a <collision>: one, none, or the three parts of a capsule."""
    return [model.Collision(*shape) for shape in _placed(element)]


def _placed(element: Element, *further: str) -> list[tuple[model.Geometry, Array, str]]:
    """Return the shapes of a visual or collision, with their origins and names."""
    element.check_known(("name",), ("origin", "geometry", "verbose", *further))
    origin, name, shape = element.origin(), element.attributes.get("name", ""), _shape(element)
    if shape is None:
        return []
    if shape.tag == "mesh":
        return [(mesh, origin, name) for mesh in _mesh(shape, element.tag)]
    shape.check_known(SIZES[shape.tag])
    keys = SIZES[shape.tag].items()
    sizes = with_extent(shape, [size for key, n in keys for size in shape.sizes(key, n)], element)
    if shape.tag == "capsule":
        shape.remark_if_newer("<capsule>", (1, 1))
    return [(*placed, name) for placed in placed_solids(shape.tag, sizes, origin)]


def placed_solids(
    kind: str, sizes: Sequence[float], origin: Array
) -> list[tuple[model.Geometry, Array]]:
    """Return the shapes of a box, sphere, cylinder or capsule; a capsule becomes three.

    The sizes are the edges, or the radius and the length; none: the shape has no extent.
    """
    if not sizes:
        return []
    if kind == "box":
        x, y, z = sizes
        return [(model.Box((x, y, z)), origin)]
    if kind == "sphere":
        return [(model.Sphere(*sizes), origin)]
    shapes: list[tuple[model.Geometry, Array]] = [(model.Cylinder(*sizes), origin)]
    if kind == "capsule":
        radius, length = sizes
        for end in (-0.5 * length, 0.5 * length):
            shapes.append((model.Sphere(radius), origin @ transform((0.0, 0.0, end))))
    return shapes


def _shape(owner: Element) -> Element | None:
    """Return the first shape of a visual or collision, None if it has none."""
    left_out = f"the {owner.tag} is left out"
    geometry = owner.child("geometry")
    if geometry is None:
        owner.remark(f"<{owner.tag}> has no <geometry>; {left_out}")
        return None
    shapes = [child for child in geometry.children if child.tag in SHAPES]
    if not shapes:
        others = ", ".join(f"<{child.tag}>" for child in geometry.children)
        found = f"has {others}, which is no shape of URDF" if others else "is empty"
        geometry.remark(f"<geometry> {found}; {left_out}")
        return None
    geometry.check_known(("name",), SHAPES)
    for shape in shapes[1:]:
        shape.remark("a second shape in <geometry>; the first one is used")
    return shapes[0]


def with_extent(shape: Element, sizes: Sequence[float], owner: Element) -> tuple[float, ...]:
    """Return the sizes of a shape other than a mesh; none if it has no extent."""
    if not any(sizes):
        shape.remark(f"a <{shape.tag}> of size zero; the {owner.tag} is left out")
        return ()
    if 0.0 in sizes:
        shape.remark(f"a <{shape.tag}> with a size of zero; {THINNEST:g} m is used")
    return tuple(size or THINNEST for size in sizes)


def _mesh(shape: Element, owner: str) -> list[model.Mesh]:
    """Return the mesh, or none if it has no file or no extent."""
    shape.check_known(("filename", "scale"))
    filename = shape.attributes.get("filename", "").strip()
    if not filename:
        shape.remark(f"a <mesh> without a filename; the {owner} is left out")
        return []
    words = shape.attributes.get("scale", "1 1 1").split()
    if len(words) != 3 and len(set(words)) == 1:
        found = shape.attributes["scale"]
        shape.remark(f"scale '{found}' is not three numbers; {words[0]} is used for all axes")
        scale = shape.numbers("scale", len(words))[:1] * 3
    else:
        scale = shape.numbers("scale", 3, (1.0, 1.0, 1.0))
    if not any(scale):
        shape.remark(f"a <mesh> with scale zero; the {owner} is left out")
        return []
    if 0.0 in scale:
        raise shape.error(f"the scale '{shape.attributes['scale']}' contains a zero")
    x, y, z = scale
    return [model.Mesh(filename, (x, y, z), shape.document.directory)]
