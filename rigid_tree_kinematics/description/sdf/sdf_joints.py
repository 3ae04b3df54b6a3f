"""Reads the joints of an SDF model."""

from __future__ import annotations

import math

import numpy as np

from rigid_tree_kinematics.arrays import Array
from rigid_tree_kinematics.description.sdf.sdf_scope import MODEL, Frame, Scope, is_true
from rigid_tree_kinematics.description.urdf import CONTENT, Element
from rigid_tree_kinematics.model import Joint, JointDynamics, Mimic
from rigid_tree_kinematics.text import told_apart

UNLIMITED = 1e16  # as in libsdformat
INFINITIES = {"inf": math.inf, "+inf": math.inf, "-inf": -math.inf}
# The suffixes of the joints that a joint becomes.
SERIES = {
    "ball": ("_x", "_y", "_z"),
    "universal": ("_axis", "_axis2"),
    "revolute2": ("_axis", "_axis2"),
    "screw": ("", "_slide"),
}
ONE_AXIS = ("revolute", "continuous", "prismatic")
CHILDREN = ("parent", "child", "pose", "axis", "axis2", "physics", "sensor", "thread_pitch")


def read_series(scope: Scope, frame: Frame) -> list[tuple[Joint, Mimic | None]]:
    """Return the joints that an SDF joint becomes, without their transforms."""
    element = frame.element
    element.check_known(("name", "type"), (*CHILDREN, "screw_thread_pitch"))
    kind, full = element.text("type"), f"{scope.prefix}{element.text('name')}"
    if kind == "fixed":
        return [(Joint(full), None)]
    names = [full + suffix for suffix in SERIES.get(kind, ("",))]
    if kind == "ball":
        element.remark("a ball joint becomes three revolute joints about x, y and z")
        axes = np.eye(3)
        joints = [Joint(own, "continuous", axis) for own, axis in zip(names, axes, strict=True)]
        return [(joint, None) for joint in joints]
    if kind in ("universal", "revolute2"):
        element.remark(f"a {kind} joint becomes two revolute joints")
        tags = ("axis", "axis2")
        return [_read_axis(scope, frame, *given) for given in zip(names, tags, strict=True)]
    if kind == "screw":
        return _screw(scope, frame, names)
    if kind not in ONE_AXIS:
        known = ", ".join(("fixed", *ONE_AXIS, *SERIES))
        raise element.error(f"a joint of type '{kind}' cannot be read; known: {known}")
    return [_read_axis(scope, frame, full, "axis")]


def _screw(scope: Scope, frame: Frame, names: list[str]) -> list[tuple[Joint, Mimic | None]]:
    """Return a revolute joint and a prismatic one that mimics it."""
    element = frame.element
    turn, mimic = _read_axis(scope, frame, names[0], "axis")
    pitch, old = element.child("screw_thread_pitch"), element.child("thread_pitch")
    slope = 1.0 / (2.0 * math.pi)  # m/rad
    if pitch is not None:
        slope *= pitch.number(CONTENT)
    elif old is not None:
        slope = -1.0 / (old.number(CONTENT) or math.inf)
    element.remark("a screw joint becomes a revolute and a prismatic joint")
    slide = Joint(names[1], "prismatic", turn.axis, (-math.inf, math.inf))
    return [(turn, mimic), (slide, Mimic(turn.name, slope, 0.0))]


def _read_axis(scope: Scope, frame: Frame, name: str, tag: str) -> tuple[Joint, Mimic | None]:
    """Return the joint of an <axis> or <axis2>, and its mimic relation."""
    element = frame.element
    given = element.child(tag)
    kind = "prismatic" if element.attributes["type"] == "prismatic" else "revolute"
    if given is None:
        given = Element(tag, element.line, {}, element)
    given.check_known(
        (), ("xyz", "limit", "dynamics", "mimic", "use_parent_model_frame", "initial_position")
    )
    low, high = _limits(given)
    if kind == "revolute" and math.isinf(low) and math.isinf(high):
        kind = "continuous"
    if element.attributes["type"] == "continuous":
        kind = "continuous"
    with given.located():
        limits = None if kind == "continuous" else (low, high)
        joint = Joint(name, kind, _direction(scope, frame, given), limits)
        limit = given.child("limit")
        if limit is not None:
            effort, velocity = (_limit(limit, key, math.inf) for key in ("effort", "velocity"))
            joint.effort_limit = math.inf if effort < 0.0 else effort
            joint.velocity_limit = math.inf if velocity < 0.0 else velocity
        joint.dynamics = _dynamics(given)
    return joint, _mimic(scope, given)


def _direction(scope: Scope, frame: Frame, axis: Element) -> Array:
    """Return the unit vector of an axis in the joint's frame."""
    xyz = axis.child("xyz")
    direction = np.array((0.0, 0.0, 1.0))
    if xyz is None:
        return direction
    xyz.check_known(("expressed_in",))
    direction = np.array(xyz.numbers(CONTENT, 3))
    if not 1e-9 < np.linalg.norm(direction) < 1e100:
        raise xyz.error(f"xyz '{xyz.content.strip()}' has no direction; write it like 0 0 1")
    version = axis.document.version
    expressed_in = xyz.attributes.get("expressed_in", "")
    if version < (1, 5) or (version < (1, 7) and is_true(axis.child("use_parent_model_frame"))):
        expressed_in = MODEL
    if not expressed_in:
        return direction
    R_model_joint = joint_pose(scope, frame)[:3, :3]
    R_model_frame = scope.pose(scope.named(frame, expressed_in), xyz)[:3, :3]
    return np.asarray(R_model_joint.T @ R_model_frame @ direction)


def joint_pose(scope: Scope, frame: Frame) -> Array:
    """Return T_model_joint (4x4)."""
    return scope.pose(frame.relative_to, frame.element) @ frame.pose


def _limit(limit: Element, tag: str, default: float) -> float:
    """Return a limit; 1e16 and larger numbers are infinite."""
    child = limit.child(tag)
    if child is None or not child.content.strip():
        return default
    word = child.content.strip().lower()
    value = INFINITIES[word] if word in INFINITIES else child.number(CONTENT)
    return math.copysign(math.inf, value) if abs(value) >= UNLIMITED else value


def _limits(axis: Element) -> tuple[float, float]:
    limit = axis.child("limit")
    if limit is None:
        return -math.inf, math.inf
    limit.check_known((), ("lower", "upper", "effort", "velocity", "stiffness", "dissipation"))
    lower, upper = _limit(limit, "lower", -math.inf), _limit(limit, "upper", math.inf)
    if lower > upper:
        low, high = told_apart(upper, lower)
        limit.remark(f"lower ({high}) is above upper ({low}); they are swapped")
        lower, upper = upper, lower
    return lower, upper


def _dynamics(axis: Element) -> JointDynamics | None:
    given = axis.child("dynamics")
    if given is None:
        return None
    springs = ("spring_reference", "spring_stiffness")
    given.check_known((), ("damping", "friction", *springs))
    stiffness = given.child("spring_stiffness")
    if stiffness is not None and stiffness.number(CONTENT):
        given.remark("springs of joints are ignored")
    damping, friction = (number(given, key, 0.0) for key in ("damping", "friction"))
    return JointDynamics(damping, friction) if damping or friction else None


def _mimic(scope: Scope, axis: Element) -> Mimic | None:
    """Return the relation follower = multiplier * (leader - reference) + offset."""
    given = axis.child("mimic")
    if given is None:
        return None
    given.check_known(("joint", "axis"), ("multiplier", "offset", "reference"))
    leader = given.text("joint")
    kind = scope.frames[leader].element.attributes.get("type") if leader in scope.frames else ""
    suffix = ""
    if kind in ("universal", "revolute2"):
        suffix = f"_{given.attributes.get('axis', 'axis')}"
    multiplier, offset = number(given, "multiplier", 1.0), number(given, "offset", 0.0)
    offset -= multiplier * number(given, "reference", 0.0)
    return Mimic(f"{scope.prefix}{leader}{suffix}", multiplier, offset)


def number(parent: Element, tag: str, default: float) -> float:
    """Return the number in a child."""
    child = parent.child(tag)
    return default if child is None or not child.content.strip() else child.number(CONTENT)
