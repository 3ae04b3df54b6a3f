"""Writing trees as URDF.

URDF has no transform after a joint. If a joint's ``child_to_joint`` is not the identity, the joint
moves an additional link ``<body>_joint_frame``, to which the body is fixed by the joint
``<body>_joint_frame_fixed``. All bodies and joints keep their names and poses.

Armatures are written as the attribute ``armature`` of <dynamics>, and closed loops as the element
<loop> of URDF+; other readers ignore both. Home positions, gravity, excluded contacts, and the
position limits of planar and floating joints are lost; a warning reports lost limits, excluded
contacts and a gravity other than the default. "No limit" is written as the largest float, and read
as such.
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
    tree = with_joint_frames(tree)
    root = ElementTree.Element("robot", name=tree.name)
    materials: dict[str, model.Material] = {}
    _write_link(root, tree.base, materials)
    for body in tree.bodies:
        _write_link(root, body, materials)
    for body in tree.bodies:
        assert body.parent is not None
        _write_joint(root, body.joint, body.parent.name, body.name)
    write_loops(root, tree)
    _warn_of_losses(tree)
    if any(key in limit.attrib for limit in root.iter("limit") for key in CHANGES):
        root.set("version", "1.2")
    _check_characters(root, tree.name)
    ElementTree.indent(root)
    return '<?xml version="1.0"?>\n' + ElementTree.tostring(root, encoding="unicode") + "\n"


def with_joint_frames(tree: model.RigidBodyTree) -> model.RigidBodyTree:
    """Return the tree with the additional links of its URDF; itself if it needs none.

    Example:
        >>> with_joint_frames(load_robot("puma560")).body_names[:2]
        ('link_1_joint_frame', 'link_1')
    """
    if not any(map(_needs_link, tree.bodies)):
        return tree
    twin = model.RigidBodyTree(tree.name, tree.base_name)
    for part in ("inertia", "visuals", "collisions", "excluded_contacts"):
        setattr(twin.base, part, getattr(tree.base, part))
    twin.gravity = tree.gravity
    links, joints = {tree.base_name, *tree.body_names}, {joint.name for joint in tree.joints}
    for body in tree.bodies:
        assert body.parent is not None
        joint, parent = body.joint.copy(), body.parent.name
        joint.mimic = None  # until all joints are there
        if not _needs_link(body):
            twin.add_body(body.copy(joint=joint), parent)
            continue
        between = _free_name(f"{body.name}_joint_frame", links)
        holder = model.Joint(_free_name(f"{between}_fixed", joints))
        holder.set_fixed_transform(joint.child_to_joint)
        joint.set_transforms(joint.joint_to_parent, np.eye(4))
        twin.add_body(model.RigidBody(between, joint), parent)
        twin.add_body(body.copy(joint=holder), between)
    for joint in tree.joints:
        twin.get_joint(joint.name).mimic = joint.mimic
    twin.loops = tree.loops
    return twin


def _needs_link(body: model.RigidBody) -> bool:
    """Return whether a body moves and is not at its joint's frame."""
    moves = body.joint.type != "fixed"
    return moves and not np.array_equal(body.joint.child_to_joint, np.eye(4))


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


def _free_name(wanted: str, taken: set[str]) -> str:
    name, number = wanted, 1
    while name in taken:
        number += 1
        name = f"{wanted}_{number}"
    taken.add(name)
    return name


def _write_joint(root: ElementTree.Element, joint: model.Joint, parent: str, child: str) -> None:
    element = SubElement(root, "joint", name=joint.name, type=joint.type)
    is_plain = np.array_equal(joint.child_to_joint, np.eye(4))  # all but some fixed joints
    before, after = joint.joint_to_parent, joint.child_to_joint
    _write_origin(element, before if is_plain else before @ after)
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
    """Issue one warning with the parts that URDF cannot represent."""
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
    excluded = sum(len(body.excluded_contacts) for body in (tree.base, *tree.bodies))
    if excluded:
        losses.append(f"URDF has no excluded contacts, of which the robot has {excluded}")
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
