"""Reading the joints of a URDF document."""

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
    """A joint with its links' names. ``mimic`` is set later: its source can follow."""

    joint: Joint
    parent: str
    child: str
    mimic: Mimic | None
    element: Element


def read_joint(document: UrdfDocument, element: Element) -> UrdfJoint:
    """Return the joint of a <joint> element."""
    document.check_known(element, ("name", "type"), _CHILDREN)
    name = document.text(element, "name")
    joint_type = document.text(element, "type")
    if joint_type not in JOINT_TYPES:
        close = difflib.get_close_matches(joint_type.lower(), JOINT_TYPES, n=1)
        hint = f"; did you mean '{close[0]}'?" if close else "."
        known = ", ".join(JOINT_TYPES)
        raise document.error(element, f"unknown joint type '{joint_type}'{hint} Known: {known}")
    with document.located(element):
        joint = Joint(name, joint_type, _axis(document, element, joint_type))
        joint.set_fixed_transform(document.origin(element))
        _read_limits(document, element, joint)
    mimic = _read_rest(document, element, joint)
    parent, child = (_link_of(document, element, tag) for tag in ("parent", "child"))
    return UrdfJoint(joint, parent, child, mimic, element)


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
        element, f"xyz '{found}' has no direction; write a unit vector, such as 0 0 1"
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
        document.remark(limit, f"<limit> has no {' and no '.join(missing)}; unlimited is used")
    with document.located(limit):
        joint.effort_limit = effort
        joint.velocity_limit = velocity


def _set_position_limits(
    document: UrdfDocument, limit: Element, joint: Joint, lower: float, upper: float
) -> None:
    if lower > upper:
        raise document.error(
            limit, f"lower ({lower:g}) is above upper ({upper:g}); are they swapped?"
        )
    if lower == upper == 0.0:
        other = "continuous or fixed" if joint.type == "revolute" else "fixed"
        document.remark(
            limit,
            f"a {joint.type} joint with lower and upper limits of 0 cannot move; should it be "
            f"{other}?",
        )
    with document.located(limit):
        joint.position_limits = (lower, upper)


def _read_rest(document: UrdfDocument, element: Element, joint: Joint) -> Mimic | None:
    """Set the joint's dynamics, calibration and safety controller; return its mimic relation."""
    dynamics = _numbers(document, element, "dynamics", {"damping": 0.0, "friction": 0.0})
    if dynamics is not None:
        joint.dynamics = JointDynamics(*dynamics.values())
        if min(dynamics.values()) < 0.0:
            document.remark(element.all("dynamics")[0], "negative damping or friction")
    calibration = document.child(element, "calibration")
    if calibration is not None:
        document.check_known(calibration, ("rising", "falling"))
        given = [key for key in ("rising", "falling") if key in calibration.attributes]
        joint.calibration = Calibration(**{k: document.number(calibration, k) for k in given})
    soft = dict.fromkeys(("soft_lower_limit", "soft_upper_limit", "k_position", "k_velocity"), 0.0)
    safety = _numbers(document, element, "safety_controller", soft)
    if safety is not None:
        controller = element.all("safety_controller")[0]
        if "k_velocity" not in controller.attributes:
            document.remark(controller, "<safety_controller> has no k_velocity; 0 is used")
        joint.safety_controller = SafetyController(*safety.values())
    return _mimic(document, element, joint)


def _numbers(
    document: UrdfDocument, joint: Element, tag: str, defaults: dict[str, float]
) -> dict[str, float] | None:
    """Return the numbers of a joint's child element by attribute, None without the element."""
    element = document.child(joint, tag)
    if element is None:
        return None
    document.check_known(element, defaults.keys())
    return {key: document.number(element, key, default) for key, default in defaults.items()}


def _mimic(document: UrdfDocument, element: Element, joint: Joint) -> Mimic | None:
    mimic = document.child(element, "mimic")
    if mimic is None:
        return None
    document.check_known(mimic, ("joint", "multiplier", "offset"))
    source = document.text(mimic, "joint")
    multiplier = document.number(mimic, "multiplier", 1.0)
    offset = document.number(mimic, "offset", 0.0)
    if joint.type == "fixed":
        document.remark(mimic, "<mimic> of a fixed joint is ignored")
        return None
    return Mimic(source, multiplier, offset)
