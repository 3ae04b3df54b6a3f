"""Reads the parts of a URDF document: links, joints, mimic relations."""

from __future__ import annotations

import difflib
import math
from collections.abc import Collection, Iterable
from dataclasses import dataclass

import numpy as np

import rigid_tree_kinematics.model as model
from rigid_tree_kinematics.arrays import Array
from rigid_tree_kinematics.description.urdf.element import CHANGES, Element
from rigid_tree_kinematics.description.urdf.urdf_shapes import (
    Materials,
    read_collision,
    read_visual,
)
from rigid_tree_kinematics.model.joints import JOINT_TYPES, resolve_mimic
from rigid_tree_kinematics.text import told_apart

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
        joint = model.Joint(name, joint_type, read_axis(element, joint_type))
        joint.set_fixed_transform(element.origin())
    mimic = None
    if joint_type == "fixed":
        with element.optional("a fixed joint does not need it"):
            _read_limits(element, joint)
            _read_details(element, joint)
            _mimic(element, joint)
    else:
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


def read_axis(joint: Element, joint_type: str) -> tuple[float, ...]:
    """Return the axis of a joint or loop, not normalized."""
    element = joint.child("axis")
    if element is None:
        return _DEFAULT_AXIS
    element.check_known(("xyz",))
    if not JOINT_TYPES[joint_type].has_axis:
        with element.optional(f"a {joint_type} joint does not need it"):
            element.numbers("xyz", 3, _DEFAULT_AXIS)
        return _DEFAULT_AXIS
    axis = element.numbers("xyz", 3)
    if 1e-9 < math.hypot(*axis) < 1e100:
        return axis
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
    limit.check_known(("lower", "upper", "effort", "velocity", *CHANGES))
    if is_limited:
        _read_position_limits(limit, joint)
    else:
        with limit.optional(f"a {joint.type} joint does not need it"):
            limit.limit("lower", 0.0), limit.limit("upper", 0.0)
    effort, velocity = limit.limit("effort", math.inf), limit.limit("velocity", math.inf)
    if joint.type == "fixed":
        return
    if effort < 0.0:
        limit.remark("the effort is negative; unlimited is used")
        effort = math.inf
    if velocity < 0.0:
        limit.remark("the velocity is negative; its absolute value is used, as by MoveIt")
        velocity = -velocity
    missing = [key for key in ("effort", "velocity") if key not in limit.attributes]
    if missing and limit.document.version < (1, 2):
        limit.remark(f"<limit> has no {' and no '.join(missing)}; unlimited is used")
    with limit.located():
        joint.effort_limit = effort
        joint.velocity_limit = velocity
        for key in CHANGES:
            if key in limit.attributes:
                limit.remark_if_newer(key, (1, 2))
                setattr(joint, f"{key}_limit", limit.limit(key, math.inf))
                if getattr(joint, f"{key}_limit") == 0.0:
                    limit.remark(f"a limit of 0 for {key} is taken as unknown")


def _read_position_limits(limit: Element, joint: model.Joint) -> None:
    lower, upper = limit.limit("lower", 0.0), limit.limit("upper", 0.0)
    missing = [key for key in ("lower", "upper") if key not in limit.attributes]
    if missing and limit.document.version >= (1, 2):
        raise limit.error(f"<limit> has no {' and no '.join(missing)}, which URDF 1.2 requires")
    if lower > upper:
        low, high = told_apart(upper, lower)
        limit.remark(f"lower ({high}) is above upper ({low}); they are swapped")
        lower, upper = upper, lower
    if lower == upper == 0.0:
        other = "continuous or fixed" if joint.type == "revolute" else "fixed"
        limit.remark(
            f"a {joint.type} joint with lower and upper limits of 0 cannot move; should it be "
            f"{other}?"
        )
    elif missing:
        limit.remark(f"<limit> has no {missing[0]}; 0 is used")
    with limit.located():
        joint.position_limits = (lower, upper)


def _read_details(element: Element, joint: model.Joint) -> None:
    """Set the joint's dynamics, armature, calibration and safety controller."""
    if (dynamics := element.child("dynamics")) is not None:
        damping, friction, armature = _numbers(dynamics, ("damping", "friction", "armature"))
        joint.dynamics = model.JointDynamics(damping, friction)
        with dynamics.located():
            joint.armature = armature
        if min(joint.dynamics.damping, joint.dynamics.friction) < 0.0:
            dynamics.remark("negative damping or friction")
    if (calibration := element.child("calibration")) is not None:
        calibration.check_known(("rising", "falling"))
        given = [key for key in ("rising", "falling") if key in calibration.attributes]
        with calibration.optional("the calibration is ignored"):
            joint.calibration = model.Calibration(**{k: calibration.number(k) for k in given})
    if (safety := element.child("safety_controller")) is not None:
        _read_safety(safety, joint)


def _read_safety(safety: Element, joint: model.Joint) -> None:
    ends, gains = ("soft_lower_limit", "soft_upper_limit"), ("k_position", "k_velocity")
    safety.check_known((*ends, *gains))
    low, high = safety.limit(ends[0], -math.inf), safety.limit(ends[1], math.inf)
    k_position = k_velocity = 0.0
    with safety.optional("0 is used"):
        k_position, k_velocity = (safety.number(gain, 0.0) for gain in gains)
    if "k_velocity" not in safety.attributes:
        safety.remark("<safety_controller> has no k_velocity; 0 is used")
    joint.safety_controller = model.SafetyController(low, high, k_position, k_velocity)
    if safety.attributes.keys().isdisjoint(ends) or joint.type == "fixed":
        return
    if joint.type not in ("revolute", "prismatic"):
        safety.remark(f"the soft limits of a {joint.type} joint are ignored")
    elif max(low, joint.position_limits[0]) >= min(high, joint.position_limits[1]):
        safety.remark(f"the soft limits {low:g} to {high:g} leave no range and are ignored")


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
        ends = [multiplier * end + offset for end in source.soft_limits if multiplier]
        low, high = joint.soft_limits
        if ends and (max(ends) < low or min(ends) > high):
            first, last, lowest, highest = told_apart(min(ends), max(ends), low, high)
            follower.element.remark(
                f"the limits of '{source.name}' move this mimic joint from {first} to {last}, "
                f"outside its own limits {lowest} to {highest}; its limits are ignored"
            )


def read_body(link: Element, materials: Materials) -> model.RigidBody:
    """Return the body of a <link>, with its inertia and shapes."""
    link.check_known(("name",), ("inertial", "visual", "collision", "verbose"))
    body = model.RigidBody(link.text("name"))
    for visual in link.all("visual"):
        body.visuals += read_visual(visual, materials)
    for collision in link.all("collision"):
        body.collisions += read_collision(collision)
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
    return placed_inertia(inertial, mass, _inertia_matrix(inertial), origin)


def placed_inertia(inertial: Element, mass: float, matrix: Array, origin: Array) -> model.Inertia:
    """Return an inertia along the axes of ``origin`` in the link's; remark on impossible ones."""
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
