"""Reads the parts of a URDF document: links with shapes, joints, mimic relations."""

from __future__ import annotations

import difflib
import math
from collections.abc import Collection, Iterable
from dataclasses import dataclass

import numpy as np

import rigid_tree_kinematics.model as model
from rigid_tree_kinematics.arrays import Array
from rigid_tree_kinematics.description.urdf.element import Element
from rigid_tree_kinematics.model.joints import JOINT_TYPES, resolve_mimic

_DEFAULT_AXIS = (1.0, 0.0, 0.0)
_JOINT_CHILDREN = (
    *("origin", "parent", "child", "axis", "limit", "dynamics", "mimic", "calibration"),
    "safety_controller",
)
_MOMENTS = ("ixx", "iyy", "izz", "ixy", "ixz", "iyz")
# Relative to the largest moment. Printed inertias are rounded, and the two smaller moments of a
# flat body add up to exactly the third.
TRIANGLE_TOLERANCE = 1e-3
# Relative to the largest moment: smaller ones are rounded zeros.
ZERO_MOMENT = 1e-12


@dataclass(frozen=True)
class UrdfJoint:
    """A joint with its links' names. ``mimic`` is set later: its source can follow."""

    joint: model.Joint
    parent: str
    child: str
    mimic: model.Mimic | None
    element: Element


def read_joint(element: Element) -> UrdfJoint:
    """Return the joint of a <joint> element."""
    element.check_known(("name", "type"), _JOINT_CHILDREN)
    name, joint_type = element.text("name"), element.text("type")
    if joint_type not in JOINT_TYPES:
        close = difflib.get_close_matches(joint_type.lower(), JOINT_TYPES, n=1)
        hint = f"; did you mean '{close[0]}'?" if close else "."
        known = ", ".join(JOINT_TYPES)
        raise element.error(f"unknown joint type '{joint_type}'{hint} Known: {known}")
    with element.located():
        joint = model.Joint(name, joint_type, _axis(element, joint_type))
        joint.set_fixed_transform(element.origin())
        _read_limits(element, joint)
    _read_details(element, joint)
    mimic = _mimic(element, joint)
    return UrdfJoint(
        joint, _link_of(element, "parent"), _link_of(element, "child"), mimic, element
    )


def _link_of(joint: Element, tag: str) -> str:
    found = joint.all(tag)
    if len(found) != 1:
        count = f"{len(found)} <{tag}> elements" if found else f"no <{tag}>"
        raise joint.error(f'the joint has {count}; write one <{tag} link="..."/>')
    found[0].check_known(("link",))
    return found[0].text("link")


def _axis(joint: Element, joint_type: str) -> tuple[float, ...]:
    element = joint.child("axis")
    if element is None:
        return _DEFAULT_AXIS
    element.check_known(("xyz",))
    axis = element.numbers("xyz", 3)
    if 1e-9 < math.hypot(*axis) < 1e100:
        return axis
    if not JOINT_TYPES[joint_type].has_axis:
        return _DEFAULT_AXIS
    found = element.attributes["xyz"]
    raise element.error(f"xyz '{found}' has no direction; write a unit vector, such as 0 0 1")


def _read_limits(element: Element, joint: model.Joint) -> None:
    limit = element.child("limit")
    is_limited = joint.type in ("revolute", "prismatic")
    if limit is None:
        if is_limited:
            other = "; or make it continuous" if joint.type == "revolute" else ""
            raise element.error(
                f"a {joint.type} joint needs "
                f'<limit lower="..." upper="..." effort="..." velocity="..."/>{other}'
            )
        return
    limit.check_known(("lower", "upper", "effort", "velocity"))
    lower, upper = limit.limit("lower", 0.0), limit.limit("upper", 0.0)
    effort, velocity = limit.limit("effort", math.inf), limit.limit("velocity", math.inf)
    if joint.type == "fixed":
        return
    if is_limited and lower > upper:
        raise limit.error(f"lower ({lower:g}) is above upper ({upper:g}); are they swapped?")
    if is_limited and lower == upper == 0.0:
        other = "continuous or fixed" if joint.type == "revolute" else "fixed"
        limit.remark(
            f"a {joint.type} joint with lower and upper limits of 0 cannot move; should it be "
            f"{other}?"
        )
    missing = [key for key in ("effort", "velocity") if key not in limit.attributes]
    if missing:
        limit.remark(f"<limit> has no {' and no '.join(missing)}; unlimited is used")
    with limit.located():
        if is_limited:
            joint.position_limits = (lower, upper)
        joint.effort_limit = effort
        joint.velocity_limit = velocity


def _read_details(element: Element, joint: model.Joint) -> None:
    """Set the joint's dynamics, calibration and safety controller."""
    if (dynamics := element.child("dynamics")) is not None:
        joint.dynamics = model.JointDynamics(*_numbers(dynamics, ("damping", "friction")))
        if min(joint.dynamics.damping, joint.dynamics.friction) < 0.0:
            dynamics.remark("negative damping or friction")
    if (calibration := element.child("calibration")) is not None:
        calibration.check_known(("rising", "falling"))
        given = [key for key in ("rising", "falling") if key in calibration.attributes]
        joint.calibration = model.Calibration(**{key: calibration.number(key) for key in given})
    if (safety := element.child("safety_controller")) is not None:
        keys = ("soft_lower_limit", "soft_upper_limit", "k_position", "k_velocity")
        joint.safety_controller = model.SafetyController(*_numbers(safety, keys))
        if "k_velocity" not in safety.attributes:
            safety.remark("<safety_controller> has no k_velocity; 0 is used")


def _numbers(element: Element, keys: Collection[str]) -> list[float]:
    """Return the element's attributes, 0 by default."""
    element.check_known(keys)
    return [element.number(key, 0.0) for key in keys]


def _mimic(element: Element, joint: model.Joint) -> model.Mimic | None:
    mimic = element.child("mimic")
    if mimic is None:
        return None
    mimic.check_known(("joint", "multiplier", "offset"))
    source = mimic.text("joint")
    relation = model.Mimic(source, mimic.number("multiplier", 1.0), mimic.number("offset", 0.0))
    if joint.type == "fixed":
        mimic.remark("<mimic> of a fixed joint is ignored")
        return None
    return relation


def set_mimics(tree: model.RigidBodyTree, joints: Iterable[UrdfJoint]) -> None:
    """Set the mimic relations of a tree; remark on contradicting limits."""
    by_name = {joint.name: joint for joint in tree.joints}
    followers = []
    for read in joints:
        if read.mimic is None:
            continue
        name = read.mimic.joint
        if name not in by_name or by_name[name].type == "fixed":
            # Common in copies where a joint was renamed or fixed; the robot is usable.
            state = "is fixed" if name in by_name else "is not in the document"
            read.element.remark(f"mimics joint '{name}', which {state}; moves independently")
            continue
        with read.element.located():
            by_name[read.joint.name].mimic = read.mimic
        followers.append(read)
    for follower in followers:
        joint = by_name[follower.joint.name]
        source, multiplier, offset = resolve_mimic(joint, by_name, tree.name)
        ends = [multiplier * end + offset for end in source.position_limits if multiplier]
        low, high = joint.position_limits
        if ends and (max(ends) < low or min(ends) > high):
            follower.element.remark(
                f"the limits of '{source.name}' move this mimic joint from {min(ends):g} to "
                f"{max(ends):g}, outside its own limits {low:g} to {high:g}; its limits are "
                "ignored"
            )


def read_body(link: Element, materials: Materials) -> model.RigidBody:
    """Return the body of a <link>, with its inertia and shapes."""
    link.check_known(("name",), ("inertial", "visual", "collision", "verbose"))
    body = model.RigidBody(link.text("name"))
    for visual in link.all("visual"):
        material = visual.child("material")
        resolved = None if material is None else materials.resolve(material)
        body.visuals.append(model.Visual(*_placed(visual, "material"), resolved))
    body.collisions = [model.Collision(*_placed(collision)) for collision in link.all("collision")]
    with link.located():
        body.inertia = _inertia(link)
    return body


def _inertia(link: Element) -> model.Inertia | None:
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
    return model.Inertia(mass, origin[:3, 3], 0.5 * turned + 0.5 * turned.T)


def _inertia_matrix(inertial: Element) -> Array:
    """Return the 3x3 matrix of the document, along the axes of the <inertial>'s origin."""
    element = inertial.child("inertia")
    if element is None:
        inertial.remark("<inertial> has no <inertia>; zero is used")
        return np.zeros((3, 3))
    element.check_known(_MOMENTS)
    missing = [key for key in _MOMENTS if key not in element.attributes]
    if missing:
        element.remark(f"<inertia> has no {', '.join(missing)}; 0 is used")
    xx, yy, zz, xy, xz, yz = (element.number(key, 0.0) for key in _MOMENTS)
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
        self._known: dict[str, tuple[model.Material, int]] = {}

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

    def resolve(self, element: Element) -> model.Material:
        """Return the material that a visual's <material> defines or refers to."""
        material = _material(element)
        if material.name in self._known:
            return self._known[material.name][0]
        if material.name and material.color is None and material.texture is None:
            element.remark(f"material '{material.name}' is not defined; it has no color")
        return material


def _material(element: Element) -> model.Material:
    color = texture = None
    if (given := element.child("color")) is not None:
        rgba = given.numbers("rgba", 4)
        red, green, blue, alpha = (min(max(part, 0.0), 1.0) for part in rgba)
        color = (red, green, blue, alpha)
    if (given := element.child("texture")) is not None:
        # CAD exporters write an empty file name for no texture.
        texture = given.attributes.get("filename", "").strip() or None
    return model.Material(element.attributes.get("name", ""), color, texture)


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


def _placed(element: Element, *further: str) -> tuple[model.Geometry, Array, str]:
    """Return the geometry, origin and name of a visual or collision."""
    element.check_known(("name",), ("origin", "geometry", "verbose", *further))
    return _geometry(element), element.origin(), element.attributes.get("name", "")


def _geometry(owner: Element) -> model.Geometry:
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
        return model.Box((x, y, z))
    if shape.tag == "cylinder":
        shape.check_known(("radius", "length"))
        return model.Cylinder(shape.positive("radius")[0], shape.positive("length")[0])
    if shape.tag == "sphere":
        shape.check_known(("radius",))
        return model.Sphere(shape.positive("radius")[0])
    if shape.tag == "mesh":
        shape.check_known(("filename", "scale"))
        filename = shape.text("filename").strip()
        x, y, z = shape.numbers("scale", 3, (1.0, 1.0, 1.0))
        if 0.0 in (x, y, z):
            raise shape.error(f"the scale '{shape.attributes['scale']}' contains a zero")
        return model.Mesh(filename, (x, y, z), shape.document.directory)
    hint = "use box, cylinder, sphere or mesh"
    if shape.tag == "capsule":
        hint = f"write separate <{owner.tag}> elements for a cylinder and the spheres at its ends"
    raise geometry.error(f"the shape <{shape.tag}> is not supported; {hint}")
