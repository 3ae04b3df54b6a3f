"""The parameters of move_group: the planner's, and those named as in MoveIt and Pilz."""

import math
from collections.abc import Iterable
from dataclasses import dataclass
from functools import partial
from typing import Any

from rcl_interfaces.msg import ParameterDescriptor
from rclpy.node import Node

from rigid_tree_kinematics.errors import ConfigurationError
from rigid_tree_kinematics.nodes.common.process import Parameters, parameter
from rigid_tree_kinematics.nodes.planning import Controller, PlannerSettings
from rigid_tree_kinematics.planning import ToolLimits

LIMITS = "robot_description_planning.joint_limits"  # MoveIt's name for joint_limits.yaml
KINEMATICS = "robot_description_kinematics"  # MoveIt's name for kinematics.yaml
CONTROLLERS = "moveit_simple_controller_manager"  # MoveIt's name for moveit_controllers.yaml
TRAJECTORY, GRIPPER = "FollowJointTrajectory", "GripperCommand"  # types of controllers
SLOWEST = 1e-4  # m/s, m/s^2, rad/s

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
        reason = "As in MoveIt's configuration files."
        descriptor = ParameterDescriptor(description=reason, read_only=True, dynamic_typing=True)
        node.declare_parameter(name, default, descriptor)
    value: float | bool = node.get_parameter(name).value
    return value


def _positive(name: str, value: object) -> float:
    if not isinstance(value, (int, float)) or not 0.0 < value < math.inf:
        raise ConfigurationError(f"{name} must be finite and above 0, not '{value}'")
    return float(value)


def declared_controllers(node: Node) -> tuple[Controller, ...]:
    """Return the controllers of moveit_controllers.yaml, preferred ones first.

    Raises ConfigurationError for an incomplete one.
    """
    names: Any = node.declare_parameter(f"{CONTROLLERS}.controller_names", [""]).value
    found = [_controller(node, name) for name in names if name]
    found.sort(key=lambda item: not item[0])
    return tuple(controller for _, controller in found)


def _controller(node: Node, name: str) -> tuple[bool, Controller]:
    """Return whether a controller is preferred to others of its joints, and the controller."""

    def value(key: str, default: Any) -> Any:
        return node.declare_parameter(f"{CONTROLLERS}.{name}.{key}", default).value

    kind, action = value("type", ""), value("action_ns", "")
    joints = tuple(joint for joint in value("joints", [""]) if joint)
    if kind not in (TRAJECTORY, GRIPPER):
        reason = f"{CONTROLLERS}.{name}.type must be {TRAJECTORY} or {GRIPPER}, not '{kind}'"
        raise ConfigurationError(reason)
    if not joints:
        raise ConfigurationError(f"{CONTROLLERS}.{name}.joints names no joints")
    if kind == GRIPPER and not value("parallel", False):
        joints = (value("command_joint", "") or joints[0],)
    return bool(value("default", False)), Controller(
        f"{name}/{action}" if action else name,
        name,
        joints,
        kind == GRIPPER,
        float(value("max_effort", 0.0)),
        bool(value("allow_failure", False)),
    )


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
        "Rate at which monitored_planning_scene gets a moving robot's state. 0: never.",
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


@dataclass(frozen=True)
class ToolSettings(Parameters):
    """Limits of the tool in LIN and CIRC: parameters with Pilz' names and defaults."""

    max_trans_vel: float = parameter(
        1.0, "Velocity of the tool in LIN and CIRC.", SLOWEST, 100.0, unit="m/s"
    )
    max_trans_acc: float = parameter(
        2.25, "Acceleration of the tool in LIN and CIRC.", SLOWEST, 1000.0, unit="m/s^2"
    )
    max_trans_dec: float = parameter(
        -5.0,
        "Deceleration of the tool in LIN and CIRC; its sign is ignored.",
        low=-1000.0,
        high=1000.0,
        unit="m/s^2",
    )
    max_rot_vel: float = parameter(
        1.57, "Angular velocity of the tool in LIN and CIRC.", SLOWEST, 100.0, unit="rad/s"
    )

    def check(self) -> None:
        """Raise ConfigurationError for a deceleration near 0."""
        if abs(self.max_trans_dec) < SLOWEST:
            reason = "the absolute value of parameter 'max_trans_dec' must be at least"
            raise ConfigurationError(
                f"{reason} {SLOWEST:g} m/s^2, not {abs(self.max_trans_dec):g}"
            )

    def limits(self) -> ToolLimits:
        """Return the limits for the library."""
        return ToolLimits(
            velocity=self.max_trans_vel,
            acceleration=self.max_trans_acc,
            deceleration=abs(self.max_trans_dec),
            rotation_velocity=self.max_rot_vel,
        )
