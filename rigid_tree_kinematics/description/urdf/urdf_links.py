"""Reading the links of a URDF document: inertia, visuals, collisions and materials."""

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

# Relative to the largest moment. Printed inertias are rounded, and the two smaller moments of a
# flat body add up to exactly the third.
TRIANGLE_TOLERANCE = 1e-3

# Relative to the largest moment: smaller ones are rounded zeros.
ZERO_MOMENT = 1e-12


def read_inertial(document: UrdfDocument, link: Element) -> Inertia | None:
    """Return a link's inertia about its center of mass, along the link's axes."""
    inertial = document.child(link, "inertial")
    if inertial is None:
        return None
    document.check_known(inertial, (), ("origin", "mass", "inertia"))
    origin = document.origin(inertial)
    mass_element = document.child(inertial, "mass")
    mass = 0.0
    if mass_element is None or "value" not in mass_element.attributes:
        document.remark(inertial, '<inertial> has no <mass value="..."/>; 0 kg is used')
    else:
        document.check_known(mass_element, ("value",))
        mass = document.number(mass_element, "value")
    matrix = _inertia_matrix(document, inertial)
    _check_inertia(document, inertial, mass, matrix)
    # Products of huge numbers can overflow; Inertia rejects non-finite values.
    with np.errstate(over="ignore", invalid="ignore"):
        R = origin[:3, :3]
        turned = R @ matrix @ R.T
        if np.array_equal(R, np.eye(3)):
            turned = matrix
    return Inertia(mass, origin[:3, 3], 0.5 * turned + 0.5 * turned.T)


def _inertia_matrix(document: UrdfDocument, inertial: Element) -> Array:
    """Return the 3x3 matrix of the document, along the axes of the <inertial>'s origin."""
    element = document.child(inertial, "inertia")
    if element is None:
        document.remark(inertial, "<inertial> has no <inertia>; zero is used")
        return np.zeros((3, 3))
    document.check_known(element, (*_MOMENTS, *_PRODUCTS))
    missing = [key for key in (*_MOMENTS, *_PRODUCTS) if key not in element.attributes]
    if missing:
        document.remark(element, f"<inertia> has no {', '.join(missing)}; 0 is used")
    xx, yy, zz, xy, xz, yz = (
        document.number(element, key, 0.0) for key in (*_MOMENTS, *_PRODUCTS)
    )
    return np.array([[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]])


def _check_inertia(document: UrdfDocument, inertial: Element, mass: float, matrix: Array) -> None:
    """Remark on a physically impossible mass or inertia."""
    if mass < 0.0:
        document.remark(inertial, "the mass is negative")
    if np.abs(matrix).max() > 1e100:  # eigenvalues could overflow
        document.remark(inertial, "the moments of inertia are implausibly large")
        return
    low, middle, high = np.linalg.eigvalsh(matrix)
    if low < -TRIANGLE_TOLERANCE * abs(high) or (mass > 0.0 and low <= ZERO_MOMENT * abs(high)):
        document.remark(inertial, "the inertia is not positive definite")
    elif low + middle < high * (1.0 - TRIANGLE_TOLERANCE):
        document.remark(
            inertial,
            "the two smaller principal moments of inertia add up to less than the third",
        )


class Materials:
    """The materials of a document, which visuals define or refer to by name."""

    def __init__(self, document: UrdfDocument) -> None:
        self._document = document
        self._known: dict[str, tuple[Material, int]] = {}

    def define(self, element: Element) -> None:
        """Register a named material; the first definition of a name is used."""
        self._check(element)
        material = self._parse(element)
        if not material.name or (material.color is None and material.texture is None):
            return
        first, line = self._known.setdefault(material.name, (material, element.line))
        if first != material:
            self._document.remark(
                element,
                f"material '{material.name}' has another definition, in line {line}, which "
                "is used; rename one of them",
            )

    def resolve(self, element: Element) -> Material:
        """Return the material that a visual's <material> defines or refers to."""
        material = self._parse(element)
        if material.name in self._known:
            return self._known[material.name][0]
        if material.name and material.color is None and material.texture is None:
            self._document.remark(
                element, f"material '{material.name}' is not defined; it has no color"
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
        # CAD exporters write an empty file name for no texture.
        texture = None
        if texture_element is not None:
            texture = texture_element.attributes.get("filename", "").strip() or None
        return Material(element.attributes.get("name", ""), color, texture)

    def _check(self, element: Element) -> None:
        """Remark on suspicious parts of a <material>."""
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
    """Return a link's visuals in document order."""
    visuals = []
    for element in link.all("visual"):
        document.check_known(element, ("name",), ("origin", "geometry", "material", "verbose"))
        material = document.child(element, "material")
        resolved = None if material is None else materials.resolve(material)
        visuals.append(Visual(*_placed(document, element), resolved))
    return visuals


def read_collisions(document: UrdfDocument, link: Element) -> list[Collision]:
    """Return a link's collision shapes in document order."""
    collisions = []
    for element in link.all("collision"):
        document.check_known(element, ("name",), ("origin", "geometry", "verbose"))
        collisions.append(Collision(*_placed(document, element)))
    return collisions


def _placed(document: UrdfDocument, element: Element) -> tuple[Geometry, Array, str]:
    """Return the geometry, origin and name of a visual or collision."""
    geometry, origin = _geometry(document, element), document.origin(element)
    return geometry, origin, element.attributes.get("name", "")


def _geometry(document: UrdfDocument, owner: Element) -> Geometry:
    geometry = document.child(owner, "geometry")
    if geometry is None:
        raise document.error(
            owner, f"<{owner.tag}> has no <geometry>; add one or remove the element"
        )
    document.check_known(geometry, ("name",), [child.tag for child in geometry.children])
    if len(geometry.children) != 1:
        raise document.error(
            geometry,
            f"<geometry> must have one shape, not {len(geometry.children)}; "
            f"write a <{owner.tag}> for each",
        )
    shape = geometry.children[0]
    if shape.tag == "box":
        document.check_known(shape, ("size",))
        x, y, z = document.positive(shape, "size", 3)
        return Box((x, y, z))
    if shape.tag == "cylinder":
        document.check_known(shape, ("radius", "length"))
        radius, length = (document.positive(shape, key)[0] for key in ("radius", "length"))
        return Cylinder(radius, length)
    if shape.tag == "sphere":
        document.check_known(shape, ("radius",))
        return Sphere(document.positive(shape, "radius")[0])
    if shape.tag == "mesh":
        return _mesh(document, shape)
    hint = "use box, cylinder, sphere or mesh"
    if shape.tag == "capsule":
        hint = f"write a <{owner.tag}> each for a cylinder and the spheres at its ends"
    raise document.error(geometry, f"the shape <{shape.tag}> is not supported; {hint}")


def _mesh(document: UrdfDocument, element: Element) -> Mesh:
    document.check_known(element, ("filename", "scale"))
    filename = document.text(element, "filename").strip()
    x, y, z = document.numbers(element, "scale", 3, (1.0, 1.0, 1.0))
    if 0.0 in (x, y, z):
        raise document.error(element, f"the scale '{element.attributes['scale']}' contains a zero")
    return Mesh(filename, (x, y, z), document.directory)
