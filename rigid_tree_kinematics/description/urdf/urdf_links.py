"""Reading the links of a URDF document: inertia, visuals, collisions and materials."""

from __future__ import annotations

import numpy as np

from rigid_tree_kinematics.arrays import Array
from rigid_tree_kinematics.description.urdf.element import Element
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


def read_inertial(link: Element) -> Inertia | None:
    """Return a link's inertia about its center of mass, along the link's axes."""
    inertial = link.child("inertial")
    if inertial is None:
        return None
    inertial.check_known((), ("origin", "mass", "inertia"))
    origin = inertial.origin()
    mass_element = inertial.child("mass")
    mass = 0.0
    if mass_element is None or "value" not in mass_element.attributes:
        inertial.remark('<inertial> has no <mass value="..."/>; 0 kg is used')
    else:
        mass_element.check_known(("value",))
        mass = mass_element.number("value")
    matrix = _inertia_matrix(inertial)
    _check_inertia(inertial, mass, matrix)
    # Products of huge numbers can overflow; Inertia rejects non-finite values.
    with np.errstate(over="ignore", invalid="ignore"):
        R = origin[:3, :3]
        turned = R @ matrix @ R.T
        if np.array_equal(R, np.eye(3)):
            turned = matrix
    return Inertia(mass, origin[:3, 3], 0.5 * turned + 0.5 * turned.T)


def _inertia_matrix(inertial: Element) -> Array:
    """Return the 3x3 matrix of the document, along the axes of the <inertial>'s origin."""
    element = inertial.child("inertia")
    if element is None:
        inertial.remark("<inertial> has no <inertia>; zero is used")
        return np.zeros((3, 3))
    element.check_known((*_MOMENTS, *_PRODUCTS))
    missing = [key for key in (*_MOMENTS, *_PRODUCTS) if key not in element.attributes]
    if missing:
        element.remark(f"<inertia> has no {', '.join(missing)}; 0 is used")
    xx, yy, zz, xy, xz, yz = (element.number(key, 0.0) for key in (*_MOMENTS, *_PRODUCTS))
    return np.array([[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]])


def _check_inertia(inertial: Element, mass: float, matrix: Array) -> None:
    """Remark on a physically impossible mass or inertia."""
    if mass < 0.0:
        inertial.remark("the mass is negative")
    if np.abs(matrix).max() > 1e100:  # eigenvalues could overflow
        inertial.remark("the moments of inertia are implausibly large")
        return
    low, middle, high = np.linalg.eigvalsh(matrix)
    if low < -TRIANGLE_TOLERANCE * abs(high) or (mass > 0.0 and low <= ZERO_MOMENT * abs(high)):
        inertial.remark("the inertia is not positive definite")
    elif low + middle < high * (1.0 - TRIANGLE_TOLERANCE):
        inertial.remark(
            "the two smaller principal moments of inertia add up to less than the third"
        )


class Materials:
    """The materials of a document, which visuals define or refer to by name."""

    def __init__(self) -> None:
        self._known: dict[str, tuple[Material, int]] = {}

    def define(self, element: Element) -> None:
        """Register a named material; the first definition of a name is used."""
        _check_material(element)
        material = _material(element)
        if not material.name or (material.color is None and material.texture is None):
            return
        first, line = self._known.setdefault(material.name, (material, element.line))
        if first != material:
            element.remark(
                f"material '{material.name}' has another definition, in line {line}, which is "
                "used; rename one of them"
            )

    def resolve(self, element: Element) -> Material:
        """Return the material that a visual's <material> defines or refers to."""
        material = _material(element)
        if material.name in self._known:
            return self._known[material.name][0]
        if material.name and material.color is None and material.texture is None:
            element.remark(f"material '{material.name}' is not defined; it has no color")
        return material


def _material(element: Element) -> Material:
    color = texture = None
    if (given := element.child("color")) is not None:
        red, green, blue, alpha = given.numbers("rgba", 4)
        color = (red, green, blue, alpha)
    if (given := element.child("texture")) is not None:
        # CAD exporters write an empty file name for no texture.
        texture = given.attributes.get("filename", "").strip() or None
    return Material(element.attributes.get("name", ""), color, texture)


def _check_material(element: Element) -> None:
    """Remark on suspicious parts of a <material>."""
    element.check_known(("name",), ("color", "texture"))
    if "name" not in element.attributes:
        element.remark("a material has no name")
    for color in element.all("color"):
        color.check_known(("rgba",))
        values = color.numbers("rgba", 4)
        if min(values) < 0.0 or max(values) > 1.0:
            color.remark(f"rgba '{color.attributes['rgba']}' is not within 0 to 1")
    for texture in element.all("texture"):
        texture.check_known(("filename",))


def read_visuals(link: Element, materials: Materials) -> list[Visual]:
    """Return a link's visuals in document order."""
    visuals = []
    for element in link.all("visual"):
        element.check_known(("name",), ("origin", "geometry", "material", "verbose"))
        material = element.child("material")
        resolved = None if material is None else materials.resolve(material)
        visuals.append(Visual(*_placed(element), resolved))
    return visuals


def read_collisions(link: Element) -> list[Collision]:
    """Return a link's collision shapes in document order."""
    collisions = []
    for element in link.all("collision"):
        element.check_known(("name",), ("origin", "geometry", "verbose"))
        collisions.append(Collision(*_placed(element)))
    return collisions


def _placed(element: Element) -> tuple[Geometry, Array, str]:
    """Return the geometry, origin and name of a visual or collision."""
    geometry, origin = _geometry(element), element.origin()
    return geometry, origin, element.attributes.get("name", "")


def _geometry(owner: Element) -> Geometry:
    geometry = owner.child("geometry")
    if geometry is None:
        raise owner.error(f"<{owner.tag}> has no <geometry>; add one or remove the element")
    geometry.check_known(("name",), [child.tag for child in geometry.children])
    if len(geometry.children) != 1:
        raise geometry.error(
            f"<geometry> must have one shape, not {len(geometry.children)}; write a "
            f"<{owner.tag}> for each"
        )
    shape = geometry.children[0]
    if shape.tag == "box":
        shape.check_known(("size",))
        x, y, z = shape.positive("size", 3)
        return Box((x, y, z))
    if shape.tag == "cylinder":
        shape.check_known(("radius", "length"))
        radius, length = (shape.positive(key)[0] for key in ("radius", "length"))
        return Cylinder(radius, length)
    if shape.tag == "sphere":
        shape.check_known(("radius",))
        return Sphere(shape.positive("radius")[0])
    if shape.tag == "mesh":
        shape.check_known(("filename", "scale"))
        filename = shape.text("filename").strip()
        x, y, z = shape.numbers("scale", 3, (1.0, 1.0, 1.0))
        if 0.0 in (x, y, z):
            raise shape.error(f"the scale '{shape.attributes['scale']}' contains a zero")
        return Mesh(filename, (x, y, z), shape.document.directory)
    hint = "use box, cylinder, sphere or mesh"
    if shape.tag == "capsule":
        hint = f"write a <{owner.tag}> each for a cylinder and the spheres at its ends"
    raise geometry.error(f"the shape <{shape.tag}> is not supported; {hint}")
