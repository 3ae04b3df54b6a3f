"""The elements of a URDF joint."""

from __future__ import annotations

import difflib
import math
from dataclasses import dataclass

from rigid_tree_kinematics.description.urdf.urdf_document import UrdfDocument
from rigid_tree_kinematics.description.urdf.xml_source import Element
from rigid_tree_kinematics.model import Calibration, Joint, JointDynamics, Mimic, SafetyController
from rigid_tree_kinematics.model.joints import JOINT_TYPES

_DEFAULT_AXIS = (1.0, 0.0, 0.0)
_CHILDREN = (
    "origin",
    "parent",
    "child",
    "axis",
    "limit",
    "dynamics",
    "mimic",
    "calibration",
    "safety_controller",
)


@dataclass(frozen=True)
class UrdfJoint:
    """A joint with the links it names. ``mimic`` is kept apart: its source may come later."""

    joint: Joint
    parent: str
    child: str
    mimic: Mimic | None
    element: Element


def read_joint(document: UrdfDocument, element: Element) -> UrdfJoint:
    """Return what a <joint> element says."""
    document.check_known(element, ("name", "type"), _CHILDREN)
    name = document.text(element, "name")
    joint_type = document.text(element, "type")
    if joint_type not in JOINT_TYPES:
        close = difflib.get_close_matches(joint_type.lower(), JOINT_TYPES, n=1)
        hint = f"did you mean '{close[0]}'? " if close else ""
        known = ", ".join(JOINT_TYPES)
        raise document.error(element, f"unknown joint type '{joint_type}'; {hint}Known: {known}")
    with document.located(element):
        joint = Joint(name, joint_type, _axis(document, element, joint_type))
        joint.set_fixed_transform(document.origin(element))
        _read_limits(document, element, joint)
    joint.dynamics = _dynamics(document, element)
    joint.calibration = _calibration(document, element)
    joint.safety_controller = _safety_controller(document, element)
    return UrdfJoint(
        joint,
        _link_of(document, element, "parent"),
        _link_of(document, element, "child"),
        _mimic(document, element, joint),
        element,
    )


def _link_of(document: UrdfDocument, joint: Element, tag: str) -> str:
    found = joint.all(tag)
    if len(found) != 1:
        count = f"{len(found)} <{tag}> elements" if found else f"no <{tag}>"
        raise document.error(joint, f'the joint has {count}; write one <{tag} link="..."/>')
    document.check_known(found[0], ("link",))
    return document.text(found[0], "link")


def _axis(document: UrdfDocument, joint: Element, joint_type: str) -> tuple[float, ...]:
    element = document.child(joint, "axis")
    if element is None:
        return _DEFAULT_AXIS
    document.check_known(element, ("xyz",))
    axis = document.numbers(element, "xyz", 3)
    length = math.hypot(*axis)
    if 1e-9 < length < 1e100:
        return axis
    if not JOINT_TYPES[joint_type].has_axis:
        return _DEFAULT_AXIS
    found = element.attributes["xyz"]
    raise document.error(
        element, f"xyz '{found}' gives no direction; write the axis as a unit vector, like 0 0 1"
    )


def _read_limits(document: UrdfDocument, element: Element, joint: Joint) -> None:
    limit = document.child(element, "limit")
    if limit is None:
        if joint.type in ("revolute", "prismatic"):
            other = "; or make it continuous" if joint.type == "revolute" else ""
            raise document.error(
                element,
                f"a {joint.type} joint needs "
                f'<limit lower="..." upper="..." effort="..." velocity="..."/>{other}',
            )
        return
    document.check_known(limit, ("lower", "upper", "effort", "velocity"))
    lower = document.limit(limit, "lower", 0.0)
    upper = document.limit(limit, "upper", 0.0)
    effort = document.limit(limit, "effort", math.inf)
    velocity = document.limit(limit, "velocity", math.inf)
    if joint.type == "fixed":
        return
    if joint.type in ("revolute", "prismatic"):
        _set_position_limits(document, limit, joint, lower, upper)
    missing = [key for key in ("effort", "velocity") if key not in limit.attributes]
    if missing:
        document.remark(limit, f"<limit> has no {' and no '.join(missing)}, taken as unlimited")
    with document.located(limit):
        joint.effort_limit = effort
        joint.velocity_limit = velocity


def _set_position_limits(
    document: UrdfDocument, limit: Element, joint: Joint, lower: float, upper: float
) -> None:
    if lower > upper:
        raise document.error(
            limit, f"lower ({lower:g}) is above upper ({upper:g}); are they interchanged?"
        )
    if lower == upper == 0.0:
        other = "continuous or fixed" if joint.type == "revolute" else "fixed"
        document.remark(
            limit,
            f"a {joint.type} joint whose lower and upper limits are 0 cannot move; is it meant to "
            f"be {other}?",
        )
    with document.located(limit):
        joint.position_limits = (lower, upper)


def _dynamics(document: UrdfDocument, joint: Element) -> JointDynamics | None:
    element = document.child(joint, "dynamics")
    if element is None:
        return None
    document.check_known(element, ("damping", "friction"))
    damping = document.number(element, "damping", 0.0)
    friction = document.number(element, "friction", 0.0)
    if min(damping, friction) < 0.0:
        document.remark(element, "a negative damping or friction drives the joint")
    return JointDynamics(damping, friction)


def _calibration(document: UrdfDocument, joint: Element) -> Calibration | None:
    element = document.child(joint, "calibration")
    if element is None:
        return None
    document.check_known(element, ("rising", "falling"))
    rising, falling = (
        document.number(element, key) if key in element.attributes else None
        for key in ("rising", "falling")
    )
    return Calibration(rising, falling)


def _safety_controller(document: UrdfDocument, joint: Element) -> SafetyController | None:
    element = document.child(joint, "safety_controller")
    if element is None:
        return None
    keys = ("soft_lower_limit", "soft_upper_limit", "k_position", "k_velocity")
    document.check_known(element, keys)
    if "k_velocity" not in element.attributes:
        document.remark(element, "<safety_controller> has no k_velocity, taken as 0")
    lower, upper, k_position, k_velocity = (document.number(element, key, 0.0) for key in keys)
    return SafetyController(lower, upper, k_position, k_velocity)


def _mimic(document: UrdfDocument, element: Element, joint: Joint) -> Mimic | None:
    mimic = document.child(element, "mimic")
    if mimic is None:
        return None
    document.check_known(mimic, ("joint", "multiplier", "offset"))
    source = document.text(mimic, "joint")
    multiplier = document.number(mimic, "multiplier", 1.0)
    offset = document.number(mimic, "offset", 0.0)
    if joint.type == "fixed":
        document.remark(mimic, "a fixed joint cannot mimic another, ignored")
        return None
    return Mimic(source, multiplier, offset)
