"""The elements of a URDF link: inertia, visuals, collisions, shapes and materials."""

from __future__ import annotations

import numpy as np

from rigid_tree_kinematics.arrays import Array
from rigid_tree_kinematics.description.urdf.urdf_document import UrdfDocument
from rigid_tree_kinematics.description.urdf.xml_source import Element
from rigid_tree_kinematics.model import (
    Box,
    Collision,
    Cylinder,
    Geometry,
    Inertia,
    Material,
    Mesh,
    Sphere,
    Visual,
)

_MOMENTS = ("ixx", "iyy", "izz")
_PRODUCTS = ("ixy", "ixz", "iyz")

# Printed inertias are rounded, and for a flat body two moments add up to exactly the third:
# only an excess above this part of the largest moment breaks the triangle inequality.
TRIANGLE_TOLERANCE = 1e-3

# A smallest moment below this part of the largest is a zero with rounding on it.
ZERO_MOMENT = 1e-12


def read_inertial(document: UrdfDocument, link: Element) -> Inertia | None:
    """Return the inertia of a link about its centre of mass along the link's axes."""
    inertial = document.child(link, "inertial")
    if inertial is None:
        return None
    document.check_known(inertial, (), ("origin", "mass", "inertia"))
    origin = document.origin(inertial)
    mass_element = document.child(inertial, "mass")
    mass = 0.0
    if mass_element is None or "value" not in mass_element.attributes:
        document.remark(inertial, 'an <inertial> has no <mass value="..."/>, taken as 0 kg')
    else:
        document.check_known(mass_element, ("value",))
        mass = document.number(mass_element, "value")
    matrix = _inertia_matrix(document, inertial)
    _judge_inertia(document, inertial, mass, matrix)
    # The products of huge numbers may overflow; Inertia refuses what is not finite.
    with np.errstate(over="ignore", invalid="ignore"):
        R = origin[:3, :3]
        turned = R @ matrix @ R.T
        if np.array_equal(R, np.eye(3)):
            turned = matrix
    return Inertia(mass, origin[:3, 3], 0.5 * turned + 0.5 * turned.T)


def _inertia_matrix(document: UrdfDocument, inertial: Element) -> Array:
    """Return the 3x3 matrix as written, along the axes of the inertial's own origin."""
    element = document.child(inertial, "inertia")
    if element is None:
        document.remark(inertial, "an <inertial> has no <inertia>, taken as zero")
        return np.zeros((3, 3))
    document.check_known(element, (*_MOMENTS, *_PRODUCTS))
    missing = [key for key in (*_MOMENTS, *_PRODUCTS) if key not in element.attributes]
    if missing:
        document.remark(element, f"<inertia> has no {', '.join(missing)}, taken as 0")
    xx, yy, zz, xy, xz, yz = (
        document.number(element, key, 0.0) for key in (*_MOMENTS, *_PRODUCTS)
    )
    return np.array([[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]])


def _judge_inertia(document: UrdfDocument, inertial: Element, mass: float, matrix: Array) -> None:
    """Note a mass or an inertia that no rigid body can have."""
    if mass < 0.0:
        document.remark(inertial, "the mass is negative")
    if np.abs(matrix).max() > 1e100:  # eigenvalues could overflow; nothing to judge any more
        document.remark(inertial, "the moments of inertia are absurdly large")
        return
    low, middle, high = np.linalg.eigvalsh(matrix)
    if low < -TRIANGLE_TOLERANCE * abs(high) or (mass > 0.0 and low <= ZERO_MOMENT * abs(high)):
        document.remark(inertial, "the inertia is not positive definite")
    elif low + middle < high * (1.0 - TRIANGLE_TOLERANCE):
        document.remark(
            inertial,
            "two principal moments of inertia add up to less than the third, as in no rigid body",
        )


class Materials:
    """The materials of a document by name, which visuals may define or refer to."""

    def __init__(self, document: UrdfDocument) -> None:
        self._document = document
        self._known: dict[str, tuple[Material, int]] = {}

    def define(self, element: Element) -> None:
        """Register a material that has a name and a content; the first of a name stands."""
        self._judge(element)
        material = self._parse(element)
        if not material.name or (material.color is None and material.texture is None):
            return
        first, line = self._known.setdefault(material.name, (material, element.line))
        if first != material:
            self._document.remark(
                element,
                f"material '{material.name}' is defined otherwise in line {line}, which stands; "
                "give one of them another name",
            )

    def resolve(self, element: Element) -> Material:
        """Return the material that a visual's <material> defines or refers to."""
        material = self._parse(element)
        if material.name in self._known:
            return self._known[material.name][0]
        if material.name and material.color is None and material.texture is None:
            self._document.remark(
                element, f"material '{material.name}' is defined nowhere; it has no colour"
            )
        return material

    def _parse(self, element: Element) -> Material:
        document = self._document
        color_element = document.child(element, "color")
        color = None
        if color_element is not None:
            red, green, blue, alpha = document.numbers(color_element, "rgba", 4)
            color = (red, green, blue, alpha)
        texture_element = document.child(element, "texture")
        # CAD exporters write an empty file name where there is no texture.
        texture = None
        if texture_element is not None:
            texture = texture_element.attributes.get("filename", "").strip() or None
        return Material(element.attributes.get("name", ""), color, texture)

    def _judge(self, element: Element) -> None:
        """Note what is odd about a <material>."""
        document = self._document
        document.check_known(element, ("name",), ("color", "texture"))
        if "name" not in element.attributes:
            document.remark(element, "a material has no name")
        for color in element.all("color"):
            document.check_known(color, ("rgba",))
            values = document.numbers(color, "rgba", 4)
            if min(values) < 0.0 or max(values) > 1.0:
                document.remark(color, f"rgba '{color.attributes['rgba']}' is not within 0 to 1")
        for texture in element.all("texture"):
            document.check_known(texture, ("filename",))


def read_visuals(document: UrdfDocument, link: Element, materials: Materials) -> list[Visual]:
    """Return the shapes to draw of a link, in document order."""
    visuals = []
    for element in link.all("visual"):
        document.check_known(element, ("name",), ("origin", "geometry", "material", "verbose"))
        material_element = document.child(element, "material")
        material = None if material_element is None else materials.resolve(material_element)
        visuals.append(
            Visual(
                _geometry(document, element),
                document.origin(element),
                element.attributes.get("name", ""),
                material,
            )
        )
    return visuals


def read_collisions(document: UrdfDocument, link: Element) -> list[Collision]:
    """Return the shapes to collide with of a link, in document order."""
    collisions = []
    for element in link.all("collision"):
        document.check_known(element, ("name",), ("origin", "geometry", "verbose"))
        collisions.append(
            Collision(
                _geometry(document, element),
                document.origin(element),
                element.attributes.get("name", ""),
            )
        )
    return collisions


def _geometry(document: UrdfDocument, owner: Element) -> Geometry:
    geometry = document.child(owner, "geometry")
    if geometry is None:
        raise document.error(owner, f"<{owner.tag}> has no <geometry>; add one, or remove it")
    document.check_known(geometry, ("name",), [child.tag for child in geometry.children])
    if len(geometry.children) != 1:
        raise document.error(
            geometry,
            f"<geometry> holds one shape, not {len(geometry.children)}; "
            f"write a <{owner.tag}> for each",
        )
    shape = geometry.children[0]
    if shape.tag == "box":
        document.check_known(shape, ("size",))
        x, y, z = document.positive(shape, "size", 3)
        return Box((x, y, z))
    if shape.tag == "cylinder":
        document.check_known(shape, ("radius", "length"))
        return Cylinder(
            document.positive(shape, "radius")[0], document.positive(shape, "length")[0]
        )
    if shape.tag == "sphere":
        document.check_known(shape, ("radius",))
        return Sphere(document.positive(shape, "radius")[0])
    if shape.tag == "mesh":
        return _mesh(document, shape)
    cure = "use box, cylinder, sphere or mesh"
    if shape.tag == "capsule":
        cure = f"write a <{owner.tag}> with a cylinder and one with a sphere at either end"
    raise document.error(geometry, f"the shape <{shape.tag}> is not supported; {cure}")


def _mesh(document: UrdfDocument, element: Element) -> Mesh:
    document.check_known(element, ("filename", "scale"))
    filename = document.text(element, "filename").strip()
    x, y, z = document.numbers(element, "scale", 3, (1.0, 1.0, 1.0))
    if 0.0 in (x, y, z):
        raise document.error(element, f"the scale '{element.attributes['scale']}' holds a zero")
    return Mesh(filename, (x, y, z), document.directory)
