"""Converts objects of urdf_parser_py and yourdfpy to trees, and trees to the former.

Both use URDF's attribute names. An object is converted back to elements, with all digits, and
read like a URDF document, which also rejects errors that those parsers accept silently.
"""

import math
from collections.abc import Iterable
from typing import Any

import numpy as np

from rigid_tree_kinematics.description import write_urdf
from rigid_tree_kinematics.description.urdf import CHANGES, Element, read_urdf_elements
from rigid_tree_kinematics.errors import DescriptionError
from rigid_tree_kinematics.model import RigidBodyTree
from rigid_tree_kinematics.model.transforms import matrix_quaternion
from rigid_tree_kinematics.needed_packages import needs

SIZES = {
    "box": ("size",),
    "cylinder": ("radius", "length"),
    "sphere": ("radius",),
    "capsule": ("radius", "length"),
    "mesh": ("filename", "scale"),
}
SOFT_LIMITS = ("soft_lower_limit", "soft_upper_limit")
MOMENTS = ("ixx", "ixy", "ixz", "iyy", "iyz", "izz")
# Child elements of a joint with their attributes.
JOINT_ELEMENTS = {
    "limit": ("lower", "upper", "effort", "velocity", *CHANGES),
    "dynamics": ("damping", "friction"),
    "mimic": ("joint", "multiplier", "offset"),
    "calibration": ("rising", "falling"),
    "safety_controller": (*SOFT_LIMITS, "k_position", "k_velocity"),
}


def from_urdf_parser(robot: Any, directory: str | None = None) -> RigidBodyTree:
    """Return the tree of a ``urdf_parser_py.urdf.Robot``.

    Relative mesh file names are looked up in ``directory``. Raises DescriptionError for other
    objects, and for errors of a URDF file, such as two links of one name.

    Example:
        >>> robot = to_urdf_parser(load_robot("ur5"))
        >>> from_urdf_parser(robot)
        RigidBodyTree('ur5', 10 bodies on 'base_link')
    """
    return _tree_of(robot, "urdf_parser_py robot", directory)


def from_yourdfpy(urdf: Any, directory: str | None = None) -> RigidBodyTree:
    """Return the tree of a ``yourdfpy.URDF`` or its robot; see ``from_urdf_parser``.

    Example:
        >>> import io
        >>> import yourdfpy
        >>> from rigid_tree_kinematics.description import write_urdf
        >>> urdf = yourdfpy.URDF.load(io.StringIO(write_urdf(load_robot("ur5"))))
        >>> from_yourdfpy(urdf)
        RigidBodyTree('ur5', 10 bodies on 'base_link')
    """
    return _tree_of(getattr(urdf, "robot", urdf), "yourdfpy robot", directory)


def to_urdf_parser(tree: RigidBodyTree) -> Any:
    """Return a tree as a ``urdf_parser_py.urdf.Robot``.

    It corresponds to ``description.write_urdf``, with its additional links. Raises
    MissingPackageError without urdf_parser_py.

    Example:
        >>> robot = to_urdf_parser(load_robot("ur5"))
        >>> round(robot.joint_map["elbow_joint"].limit.upper, 3)
        3.142
    """
    with needs("urdf_parser_py", "an object of urdf_parser_py", "pip install urdf-parser-py"):
        from urdf_parser_py.urdf import Robot

    # The parser rejects versions after 1.0.
    robot = Robot.from_xml_string(write_urdf(tree).replace(' version="1.2"', "", 1))
    for joint in tree.joints:
        # The parser sets missing edges and soft limits to zero.
        if joint.calibration is not None:
            calibration = robot.joint_map[joint.name].calibration
            calibration.rising = joint.calibration.rising
            calibration.falling = joint.calibration.falling
        if joint.safety_controller is not None:
            safety = robot.joint_map[joint.name].safety_controller
            for key in SOFT_LIMITS:
                limit = getattr(joint.safety_controller, key)
                setattr(safety, key, limit if math.isfinite(limit) else None)
    return robot


def _tree_of(robot: Any, source: str, directory: str | None) -> RigidBodyTree:
    """Return the tree of a robot object; ``source`` is its name in errors and warnings."""
    try:
        root = _add(None, "robot", name=robot.name, version="1.1")  # quaternions
        for material in _each(robot.materials):
            _add_material(root, material)
        for link in _each(robot.links):
            _add_link(root, link)
        for joint in _each(robot.joints):
            _add_joint(root, joint)
    except (AttributeError, TypeError, ValueError, IndexError) as error:
        raise DescriptionError(
            f"not a urdf_parser_py or yourdfpy robot: {error}", source
        ) from error
    return read_urdf_elements(root, source, directory)


def _add(parent: Element | None, tag: str, **attributes: Any) -> Element:
    """Return a new element in its parent; attributes that are None are left out."""
    texts = {key: _text(value) for key, value in attributes.items() if value is not None}
    element = Element(tag, 0, texts, parent)
    if parent is not None:
        parent.children.append(element)
    return element


def _text(value: Any) -> str:
    if isinstance(value, str):
        return value
    return " ".join(repr(number) for number in np.ravel(value).astype(np.float64).tolist())


def _each(things: Iterable[Any]) -> Iterable[Any]:
    """Return objects without duplicates: urdf_parser_py adds shapes twice."""
    return {id(thing): thing for thing in things}.values()


def _add_link(root: Element, link: Any) -> None:
    element = _add(root, "link", name=link.name)
    if link.inertial is not None:
        inertial, inertia = _add(element, "inertial"), link.inertial.inertia
        _add_origin(inertial, link.inertial.origin)
        if link.inertial.mass is not None:
            _add(inertial, "mass", value=link.inertial.mass)
        if inertia is not None:
            _add(inertial, "inertia", **{key: _moment(inertia, key) for key in MOMENTS})
    for visual in _each(link.visuals):
        shape = _add_shape(element, "visual", visual)
        if visual.material is not None:
            _add_material(shape, visual.material)
    for collision in _each(link.collisions):
        _add_shape(element, "collision", collision)


def _moment(inertia: Any, key: str) -> Any:
    if isinstance(inertia, np.ndarray):
        return inertia["xyz".index(key[1]), "xyz".index(key[2])]
    return getattr(inertia, key)


def _add_shape(link: Element, tag: str, shape: Any) -> Element:
    # ROS 2's urdf_parser_py has no names of shapes.
    element = _add(link, tag, name=getattr(shape, "name", None))
    _add_origin(element, shape.origin)
    geometry = _add(element, "geometry")
    for form, keys in SIZES.items():
        # urdf_parser_py has an object of the shape's class, yourdfpy a record of all shapes.
        found = getattr(shape.geometry, form, None)
        if type(shape.geometry).__name__.lower() == form:
            found = shape.geometry
        if found is not None:
            _add(geometry, form, **{key: _size(found, key) for key in keys})
    return element


def _size(form: Any, key: str) -> Any:
    size = getattr(form, key)
    # yourdfpy has one number for a uniform scale.
    return np.full(3, size) if key == "scale" and size is not None and np.ndim(size) == 0 else size


def _add_origin(element: Element, origin: Any) -> None:
    if isinstance(origin, np.ndarray):
        turn = matrix_quaternion(origin[:3, :3])
        _add(element, "origin", xyz=origin[:3, 3], quat_xyzw=turn)
    elif origin is not None:
        _add(element, "origin", xyz=origin.xyz, rpy=origin.rpy)


def _add_material(parent: Element, material: Any) -> None:
    element = _add(parent, "material", name=material.name)
    if material.color is not None:
        _add(element, "color", rgba=material.color.rgba)
    if material.texture is not None:
        _add(element, "texture", filename=material.texture.filename)


def _add_joint(root: Element, joint: Any) -> None:
    element = _add(root, "joint", name=joint.name, type=joint.type)
    _add_origin(element, joint.origin)
    _add(element, "parent", link=joint.parent)
    _add(element, "child", link=joint.child)
    if joint.axis is not None:
        _add(element, "axis", xyz=joint.axis)
    for tag, keys in JOINT_ELEMENTS.items():
        record = getattr(joint, tag)
        if record is not None:
            values = {key: getattr(record, key, None) for key in keys}
            if all(values.get(key) == 0.0 for key in SOFT_LIMITS):  # not given
                values |= dict.fromkeys(SOFT_LIMITS)
            _add(element, tag, **values)
