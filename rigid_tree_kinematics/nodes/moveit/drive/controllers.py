"""The controllers that parameters name, in the form of moveit_controllers.yaml."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from rclpy.node import Node

from rigid_tree_kinematics.errors import ConfigurationError

PREFIX = "moveit_simple_controller_manager"
TRAJECTORY, GRIPPER = "FollowJointTrajectory", "GripperCommand"


@dataclass(frozen=True)
class Controller:
    """A controller and its joints.

    Args:
        name: of the controller.
        action: the name of its action.
        gripper: whether that is a GripperCommand, which gets the last point only.
        joints: that it moves; the positions of a gripper's joints are added.
        max_effort: N, for a gripper.
        allow_failure: whether a gripper that does not arrive succeeds nevertheless.
        preferred: whether it is used before others of the same joints (``default``).
    """

    name: str
    action: str
    gripper: bool
    joints: tuple[str, ...]
    max_effort: float = 0.0
    allow_failure: bool = False
    preferred: bool = False


def declared_controllers(node: Node) -> tuple[Controller, ...]:
    """Return the controllers of a node's parameters, the preferred ones first.

    Raises ConfigurationError for an incomplete one.
    """
    names = _declared(node, "controller_names", [""])
    controllers = [_controller(node, name) for name in names if name]
    return tuple(sorted(controllers, key=lambda controller: not controller.preferred))


def _controller(node: Node, name: str) -> Controller:
    def value(key: str, default: Any) -> Any:
        return _declared(node, f"{name}.{key}", default)

    kind, place = value("type", ""), value("action_ns", "")
    joints = tuple(joint for joint in value("joints", [""]) if joint)
    if kind not in (TRAJECTORY, GRIPPER):
        raise ConfigurationError(
            f"{PREFIX}.{name}.type is {TRAJECTORY} or {GRIPPER}, not '{kind}'"
        )
    if not joints:
        raise ConfigurationError(f"{PREFIX}.{name}.joints names no joints")
    if kind == GRIPPER and not value("parallel", False):
        joints = (value("command_joint", "") or joints[0],)
    return Controller(
        name,
        f"{name}/{place}" if place else name,
        kind == GRIPPER,
        joints,
        float(value("max_effort", 0.0)),
        bool(value("allow_failure", False)),
        bool(value("default", False)),
    )


def _declared(node: Node, key: str, default: Any) -> Any:
    return node.declare_parameter(f"{PREFIX}.{key}", default).value
