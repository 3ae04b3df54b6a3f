"""Trees from objects of urdf_parser_py and yourdfpy.

Both name their attributes like URDF. An object is converted back to elements, with all digits, and
read like a URDF document: errors that those parsers accept silently are rejected.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import numpy as np

from rigid_tree_kinematics.description.urdf import Element, read_urdf_elements
from rigid_tree_kinematics.errors import DescriptionError
from rigid_tree_kinematics.model import RigidBodyTree
from rigid_tree_kinematics.model.transforms import matrix_quaternion

SIZES = {
    "box": ("size",),
    "cylinder": ("radius", "length"),
    "sphere": ("radius",),
    "mesh": ("filename", "scale"),
}
MOMENTS = {
    "ixx": (0, 0),
    "ixy": (0, 1),
    "ixz": (0, 2),
    "iyy": (1, 1),
    "iyz": (1, 2),
    "izz": (2, 2),
}
# Child elements of a joint with their attributes.
JOINT_ELEMENTS = {
    "limit": ("lower", "upper", "effort", "velocity"),
    "dynamics": ("damping", "friction"),
    "mimic": ("joint", "multiplier", "offset"),
    "calibration": ("rising", "falling"),
    "safety_controller": ("soft_lower_limit", "soft_upper_limit", "k_position", "k_velocity"),
}


def tree_of_urdf_objects(robot: Any, source: str, directory: str | None = None) -> RigidBodyTree:
    """Return the tree of a robot object.

    Args:
        robot: a robot of urdf_parser_py or yourdfpy.
        source: its name in errors and warnings.
        directory: folder of relative mesh files.

    Raises DescriptionError for other objects and invalid robots.

    Example:
        >>> robot = urdf_parser_robot(load_robot("ur5"))
        >>> tree_of_urdf_objects(robot, "my robot")
        RigidBodyTree('ur5', 10 bodies on 'base_link')
    """
    try:
        root = _Maker("robot", {"name": robot.name})
        for material in _each(robot.materials):
            _add_material(root, material)
        for link in _each(robot.links):
            _add_link(root, link)
        for joint in _each(robot.joints):
            _add_joint(root, joint)
    except (AttributeError, TypeError, ValueError, IndexError) as error:
        raise DescriptionError(f"this is not a robot of a URDF parser: {error}", source) from error
    return read_urdf_elements(root.element, source, directory)


class _Maker:
    """An element under construction; attributes that are None are left out."""

    def __init__(
        self, tag: str, attributes: dict[str, Any], parent: Element | None = None
    ) -> None:
        texts = {key: _text(value) for key, value in attributes.items() if value is not None}
        self.element = Element(tag, 0, texts, parent)
        if parent is not None:
            parent.children.append(self.element)

    def add(self, tag: str, **attributes: Any) -> _Maker:
        return _Maker(tag, attributes, self.element)


def _text(value: Any) -> str:
    if isinstance(value, str):
        return value
    return " ".join(repr(number) for number in np.ravel(value).astype(np.float64).tolist())


def _each(things: Iterable[Any]) -> Iterable[Any]:
    """Return objects without repetitions: urdf_parser_py adds shapes twice."""
    return {id(thing): thing for thing in things}.values()


def _add_link(root: _Maker, link: Any) -> None:
    maker = root.add("link", name=link.name)
    if link.inertial is not None:
        inertial = maker.add("inertial")
        _add_origin(inertial, link.inertial.origin)
        if link.inertial.mass is not None:
            inertial.add("mass", value=link.inertial.mass)
        inertia = link.inertial.inertia
        if inertia is not None:
            inertial.add("inertia", **{key: _moment(inertia, key) for key in MOMENTS})
    for visual in _each(link.visuals):
        shape = _add_shape(maker, "visual", visual)
        if visual.material is not None:
            _add_material(shape, visual.material)
    for collision in _each(link.collisions):
        _add_shape(maker, "collision", collision)


def _moment(inertia: Any, key: str) -> Any:
    return inertia[MOMENTS[key]] if isinstance(inertia, np.ndarray) else getattr(inertia, key)


def _add_shape(link: _Maker, tag: str, shape: Any) -> _Maker:
    # ROS 2's urdf_parser_py has no names of shapes.
    maker = link.add(tag, name=getattr(shape, "name", None))
    _add_origin(maker, shape.origin)
    geometry = maker.add("geometry")
    for form, keys in SIZES.items():
        # urdf_parser_py has an object of the shape's class, yourdfpy a record of all shapes.
        found = getattr(shape.geometry, form, None)
        if type(shape.geometry).__name__.lower() == form:
            found = shape.geometry
        if found is not None:
            geometry.add(form, **{key: _size(found, key) for key in keys})
    return maker


def _size(form: Any, key: str) -> Any:
    size = getattr(form, key)
    # yourdfpy has one number for a uniform scale.
    return np.full(3, size) if key == "scale" and size is not None and np.ndim(size) == 0 else size


def _add_origin(maker: _Maker, origin: Any) -> None:
    if origin is None:
        return
    if isinstance(origin, np.ndarray):
        maker.add("origin", xyz=origin[:3, 3], quat_xyzw=matrix_quaternion(origin[:3, :3]))
    else:
        maker.add("origin", xyz=origin.xyz, rpy=origin.rpy)


def _add_material(maker: _Maker, material: Any) -> None:
    element = maker.add("material", name=material.name)
    if material.color is not None:
        element.add("color", rgba=material.color.rgba)
    if material.texture is not None:
        element.add("texture", filename=material.texture.filename)


def _add_joint(root: _Maker, joint: Any) -> None:
    maker = root.add("joint", name=joint.name, type=joint.type)
    _add_origin(maker, joint.origin)
    maker.add("parent", link=joint.parent)
    maker.add("child", link=joint.child)
    if joint.axis is not None:
        maker.add("axis", xyz=joint.axis)
    for tag, keys in JOINT_ELEMENTS.items():
        record = getattr(joint, tag)
        if record is not None:
            maker.add(tag, **{key: getattr(record, key) for key in keys})
