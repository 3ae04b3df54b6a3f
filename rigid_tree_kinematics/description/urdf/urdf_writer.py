"""Writing trees as URDF.

URDF has no transform after a joint. If a joint's ``child_to_joint`` is not the identity, the joint
moves an additional link ``<body>_joint_frame``, to which the body is fixed by the joint
``<body>_joint_frame_fixed``. All bodies and joints keep their names and poses.

Armatures are written as the attribute ``armature`` of <dynamics>, and closed loops as the element
<loop> of URDF+; other readers ignore both. Home positions, gravity, and the position limits of
planar and floating joints are lost; a warning reports lost limits and a gravity other than the
default. "No limit" is written as the largest float, and read as such.
"""

import math
import re
import warnings
from collections.abc import Iterable
from pathlib import Path
from xml.etree import ElementTree
from xml.etree.ElementTree import SubElement

import numpy as np

import rigid_tree_kinematics.model as model
from rigid_tree_kinematics.arrays import Array
from rigid_tree_kinematics.description.urdf.element import CHANGES, UNLIMITED
from rigid_tree_kinematics.description.urdf.urdf_loops import write_loops
from rigid_tree_kinematics.errors import DescriptionError, DescriptionWarning
from rigid_tree_kinematics.model.transforms import matrix_rpy

URDF_LIMITS = ("revolute", "prismatic")  # joints with position limits
_NOT_IN_XML = re.compile("[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")


def write_urdf(tree: model.RigidBodyTree) -> str:
    """Return the tree as a URDF document.

    Relative mesh files get their full path, if the folder is known. Raises DescriptionError for a
    name with characters that XML cannot represent.

    Example:
        >>> text = write_urdf(load_robot("planar_two_link"))
        >>> read_urdf(text).joint_names
        ('joint_1', 'joint_2')
    """
    root = ElementTree.Element("robot", name=tree.name)
    materials: dict[str, model.Material] = {}
    links = {tree.base_name, *tree.body_names}
    joints = {joint.name for joint in tree.joints}
    _write_link(root, tree.base, materials)
    for body in tree.bodies:
        _write_link(root, body, materials)
    for body in tree.bodies:
        assert body.parent is not None
        _write_connection(root, body, body.parent.name, links, joints)
    write_loops(root, tree)
    _warn_of_losses(tree)
    if any(key in limit.attrib for limit in root.iter("limit") for key in CHANGES):
        root.set("version", "1.2")
    _check_characters(root, tree.name)
    ElementTree.indent(root)
    return '<?xml version="1.0"?>\n' + ElementTree.tostring(root, encoding="unicode") + "\n"


def _write_link(
    root: ElementTree.Element, body: model.RigidBody, materials: dict[str, model.Material]
) -> None:
    link = SubElement(root, "link", name=body.name)
    if body.inertia is not None:
        _write_inertia(link, body.inertia)
    for visual in body.visuals:
        element = _write_shape(link, "visual", visual)
        if visual.material is not None:
            _write_material(element, visual.material, materials)
    for collision in body.collisions:
        _write_shape(link, "collision", collision)


def _write_inertia(link: ElementTree.Element, inertia: model.Inertia) -> None:
    element = SubElement(link, "inertial")
    if inertia.center_of_mass.any():
        SubElement(element, "origin", xyz=_numbers(inertia.center_of_mass))
    SubElement(element, "mass", value=_number(inertia.mass))
    keys = ("ixx", "iyy", "izz", "ixy", "ixz", "iyz")
    matrix = 0.5 * inertia.matrix + 0.5 * inertia.matrix.T
    values = matrix[(0, 1, 2, 0, 0, 1), (0, 1, 2, 1, 2, 2)]
    numbers = {key: _number(value) for key, value in zip(keys, values, strict=True)}
    SubElement(element, "inertia", numbers)


def _write_shape(
    link: ElementTree.Element, tag: str, shape: model.Visual | model.Collision
) -> ElementTree.Element:
    element = SubElement(link, tag, {"name": shape.name} if shape.name else {})
    _write_origin(element, shape.origin)
    geometry = SubElement(element, "geometry")
    form = shape.geometry
    if isinstance(form, model.Box):
        SubElement(geometry, "box", size=_numbers(form.size))
    elif isinstance(form, model.Cylinder):
        radius, length = _number(form.radius), _number(form.length)
        SubElement(geometry, "cylinder", radius=radius, length=length)
    elif isinstance(form, model.Sphere):
        SubElement(geometry, "sphere", radius=_number(form.radius))
    elif isinstance(form, model.Mesh):
        name = form.filename
        if form.directory is not None and "://" not in name:
            name = Path(form.directory, name).absolute().as_uri()
        mesh = SubElement(geometry, "mesh", filename=name)
        if tuple(form.scale) != (1.0, 1.0, 1.0):
            mesh.set("scale", _numbers(form.scale))
    return element


def _write_material(
    visual: ElementTree.Element, material: model.Material, written: dict[str, model.Material]
) -> None:
    """Write a material; a name that another material already uses gets a number."""
    name = material.name
    if name:
        number = 1
        while written.setdefault(name, material) != material:
            number += 1
            name = f"{material.name}_{number}"
    element = SubElement(visual, "material", name=name)
    if material.color is not None:
        SubElement(element, "color", rgba=_numbers(material.color))
    if material.texture is not None:
        SubElement(element, "texture", filename=material.texture)


def _write_connection(
    root: ElementTree.Element,
    body: model.RigidBody,
    parent: str,
    links: set[str],
    joints: set[str],
) -> None:
    """Write a body's joint, with an additional link if the body's frame is not the joint's."""
    joint = body.joint
    is_fixed = joint.type == "fixed"
    if is_fixed or np.array_equal(joint.child_to_joint, np.eye(4)):
        before, after = joint.joint_to_parent, joint.child_to_joint
        _write_joint(root, joint, parent, body.name, before @ after if is_fixed else before)
        return
    between = _free_name(f"{body.name}_joint_frame", links)
    SubElement(root, "link", name=between)
    _write_joint(root, joint, parent, between, joint.joint_to_parent)
    holder = model.Joint(_free_name(f"{between}_fixed", joints))
    _write_joint(root, holder, between, body.name, joint.child_to_joint)


def _free_name(wanted: str, taken: set[str]) -> str:
    name, number = wanted, 1
    while name in taken:
        number += 1
        name = f"{wanted}_{number}"
    taken.add(name)
    return name


def _write_joint(
    root: ElementTree.Element, joint: model.Joint, parent: str, child: str, origin: Array
) -> None:
    element = SubElement(root, "joint", name=joint.name, type=joint.type)
    _write_origin(element, origin)
    SubElement(element, "parent", link=parent)
    SubElement(element, "child", link=child)
    if joint.layout.has_axis:
        SubElement(element, "axis", xyz=_numbers(joint.axis))
    _write_limit(element, joint)
    _write_dynamics(element, joint)
    for tag in ("mimic", "calibration", "safety_controller"):
        record = getattr(joint, tag)
        if record is not None:
            given = {k: v for k, v in vars(record).items() if v not in (None, -math.inf, math.inf)}
            texts = {k: v if isinstance(v, str) else _number(v) for k, v in given.items()}
            SubElement(element, tag, texts)


def _write_dynamics(element: ElementTree.Element, joint: model.Joint) -> None:
    if joint.dynamics is None and not joint.armature:
        return
    given = joint.dynamics or model.JointDynamics()  # urdfdom requires one of its attributes
    texts = {"damping": _number(given.damping), "friction": _number(given.friction)}
    if joint.armature:
        texts["armature"] = _number(joint.armature)
    SubElement(element, "dynamics", texts)


def _write_limit(element: ElementTree.Element, joint: model.Joint) -> None:
    if joint.type == "fixed":
        return
    numbers = {}
    low, high = joint.position_limits
    if joint.type in URDF_LIMITS:
        numbers = {"lower": _number(low), "upper": _number(high)}
    changes = {
        key: _number(getattr(joint, f"{key}_limit"))
        for key in CHANGES
        if math.isfinite(getattr(joint, f"{key}_limit"))
    }
    if numbers or changes or math.isfinite(min(joint.effort_limit, joint.velocity_limit)):
        numbers["effort"] = _number(joint.effort_limit)
        numbers["velocity"] = _number(joint.velocity_limit)
        numbers |= changes
        SubElement(element, "limit", numbers)


def _warn_of_losses(tree: model.RigidBodyTree) -> None:
    """Issue one warning with the limits and the gravity that URDF cannot represent."""
    limited = [
        f"'{joint.name}'"
        for joint in tree.joints
        if joint.type not in URDF_LIMITS and np.isfinite(joint.position_limits).any()
    ]
    losses = []
    if limited:
        what = "position limits of planar and floating joints"
        losses.append(f"URDF has no {what}, which {', '.join(limited)} lose")
    if not np.array_equal(tree.gravity, model.RigidBodyTree().gravity):
        losses.append(f"URDF has no gravity; set {_numbers(tree.gravity)} m/s^2 after reading")
    if losses:
        message = f"robot '{tree.name}': {'; '.join(losses)}"
        warnings.warn(DescriptionWarning(message), stacklevel=3)


def _write_origin(element: ElementTree.Element, origin: Array) -> None:
    if not np.array_equal(origin, np.eye(4)):
        xyz, rpy = origin[:3, 3], matrix_rpy(origin[:3, :3])
        SubElement(element, "origin", xyz=_numbers(xyz), rpy=_numbers(rpy))


def _number(value: float) -> str:
    """Return the shortest text of a float that preserves its value."""
    value = float(value) + 0.0  # makes -0.0 a plain 0
    if math.isinf(value):
        value = math.copysign(UNLIMITED, value)
    return repr(value).removesuffix(".0")


def _numbers(values: Iterable[float]) -> str:
    return " ".join(_number(value) for value in values)


def _check_characters(root: ElementTree.Element, robot: str) -> None:
    for element in root.iter():
        for key, value in element.attrib.items():
            if _NOT_IN_XML.search(value):
                raise DescriptionError(
                    f"robot '{robot}': the {key} {value!r} of a <{element.tag}> has a character "
                    "that XML cannot represent; rename it"
                )
