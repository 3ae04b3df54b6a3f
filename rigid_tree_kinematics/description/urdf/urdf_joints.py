"""Reading the joints of a URDF document, and the mimic relations between them."""

from __future__ import annotations

import difflib
import math
from collections.abc import Collection, Iterable
from dataclasses import dataclass

from rigid_tree_kinematics.description.urdf.element import Element
from rigid_tree_kinematics.model import (
    Calibration,
    Joint,
    JointDynamics,
    Mimic,
    RigidBodyTree,
    SafetyController,
)
from rigid_tree_kinematics.model.joints import JOINT_TYPES, resolve_mimic

_DEFAULT_AXIS = (1.0, 0.0, 0.0)
_CHILDREN = (
    *("origin", "parent", "child", "axis", "limit", "dynamics", "mimic", "calibration"),
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


def read_joint(element: Element) -> UrdfJoint:
    """Return the joint of a <joint> element."""
    element.check_known(("name", "type"), _CHILDREN)
    name, joint_type = element.text("name"), element.text("type")
    if joint_type not in JOINT_TYPES:
        close = difflib.get_close_matches(joint_type.lower(), JOINT_TYPES, n=1)
        hint = f"; did you mean '{close[0]}'?" if close else "."
        known = ", ".join(JOINT_TYPES)
        raise element.error(f"unknown joint type '{joint_type}'{hint} Known: {known}")
    with element.located():
        joint = Joint(name, joint_type, _axis(element, joint_type))
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


def _read_limits(element: Element, joint: Joint) -> None:
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


def _read_details(element: Element, joint: Joint) -> None:
    """Set the joint's dynamics, calibration and safety controller."""
    if (dynamics := element.child("dynamics")) is not None:
        joint.dynamics = JointDynamics(*_numbers(dynamics, ("damping", "friction")))
        if min(joint.dynamics.damping, joint.dynamics.friction) < 0.0:
            dynamics.remark("negative damping or friction")
    if (calibration := element.child("calibration")) is not None:
        calibration.check_known(("rising", "falling"))
        given = [key for key in ("rising", "falling") if key in calibration.attributes]
        joint.calibration = Calibration(**{key: calibration.number(key) for key in given})
    if (safety := element.child("safety_controller")) is not None:
        keys = ("soft_lower_limit", "soft_upper_limit", "k_position", "k_velocity")
        joint.safety_controller = SafetyController(*_numbers(safety, keys))
        if "k_velocity" not in safety.attributes:
            safety.remark("<safety_controller> has no k_velocity; 0 is used")


def _numbers(element: Element, keys: Collection[str]) -> list[float]:
    """Return the element's attributes, 0 by default."""
    element.check_known(keys)
    return [element.number(key, 0.0) for key in keys]


def _mimic(element: Element, joint: Joint) -> Mimic | None:
    mimic = element.child("mimic")
    if mimic is None:
        return None
    mimic.check_known(("joint", "multiplier", "offset"))
    source = mimic.text("joint")
    relation = Mimic(source, mimic.number("multiplier", 1.0), mimic.number("offset", 0.0))
    if joint.type == "fixed":
        mimic.remark("<mimic> of a fixed joint is ignored")
        return None
    return relation


def set_mimics(tree: RigidBodyTree, joints: Iterable[UrdfJoint]) -> None:
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
