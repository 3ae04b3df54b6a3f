"""The parameters of move_group: the planner's, and those with MoveIt's names."""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass
from functools import partial

from rcl_interfaces.msg import ParameterDescriptor
from rclpy.node import Node

from rigid_tree_kinematics.errors import ConfigurationError
from rigid_tree_kinematics.nodes.common.process import parameter
from rigid_tree_kinematics.nodes.planning import PlannerSettings

LIMITS = "robot_description_planning.joint_limits"  # MoveIt's name for joint_limits.yaml
KINEMATICS = "robot_description_kinematics"  # MoveIt's name for kinematics.yaml

execution = partial(parameter, name="trajectory_execution.")


def joint_limits(node: Node, joints: Iterable[str], kind: str) -> dict[str, float]:
    """Return the limits that the parameters of MoveIt's joint_limits.yaml give to joints.

    ``kind`` is velocity, acceleration or jerk. Raises ConfigurationError for invalid ones.
    """
    found = {}
    for joint in joints:
        flag, name = (f"{LIMITS}.{joint}.{key}_{kind}" for key in ("has", "max"))
        if _value(node, f"{flag}_limits", False) is True:
            found[joint] = _positive(name, _value(node, name, 0.0))
    return found


def solver_timeouts(node: Node, groups: Iterable[str]) -> dict[str, float]:
    """Return the timeouts (s) of groups in the parameters of MoveIt's kinematics.yaml.

    Raises ConfigurationError for invalid ones.
    """
    names = {group: f"{KINEMATICS}.{group}.kinematics_solver_timeout" for group in groups}
    values = {group: _value(node, name, 0.0) for group, name in names.items()}
    return {group: _positive(names[group], value) for group, value in values.items() if value}


def _value(node: Node, name: str, default: float | bool) -> float | bool:
    if not node.has_parameter(name):
        words = "As in MoveIt's configuration files."
        descriptor = ParameterDescriptor(description=words, read_only=True, dynamic_typing=True)
        node.declare_parameter(name, default, descriptor)
    value: float | bool = node.get_parameter(name).value
    return value


def _positive(name: str, value: object) -> float:
    if not isinstance(value, (int, float)) or not 0.0 < value < math.inf:
        raise ConfigurationError(f"{name} must be finite and above 0, not '{value}'")
    return float(value)


@dataclass(frozen=True)
class MoveGroupSettings(PlannerSettings):
    """The values of the parameters."""

    start_state_max_bounds_error: float = parameter(
        0.1,
        "Start positions outside the limits by up to this are clamped. 0: all are rejected.",
        low=0.0,
        high=1.0,
        unit="rad or m",
    )
    publish_planning_scene_hz: float = parameter(
        4.0,
        "How often monitored_planning_scene has the state of a moving robot. 0: never.",
        low=0.1,
        high=100.0,
        or_zero=True,
        unit="Hz",
        start_only=True,
    )
    execution_duration_monitoring: bool = execution(
        True, "Whether motions that take too long are stopped."
    )
    allowed_execution_duration_scaling: float = execution(
        1.2,
        "Maximum multiple of a motion's duration, in addition to allowed_goal_duration_margin.",
        low=1.0,
        high=1000.0,
    )
    allowed_goal_duration_margin: float = execution(
        0.5, "See allowed_execution_duration_scaling.", 0.0, 3600.0, unit="s"
    )
