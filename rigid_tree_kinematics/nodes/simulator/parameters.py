"""The parameters of the simulator, besides those that name its robot."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, fields, replace
from typing import Any

from rcl_interfaces.msg import ParameterDescriptor
from rclpy.node import Node

from rigid_tree_kinematics.dynamics.driven_robot import CONTROLLERS, MODES
from rigid_tree_kinematics.errors import ConfigurationError
from rigid_tree_kinematics.nodes.common.parameters import (
    declare_flag,
    declare_number,
    declare_text,
    number,
)

# name: (default, lowest, highest, what it is)
NUMBERS: dict[str, tuple[float, float, float, str]] = {
    "rate": (100.0, 1.0, 1000.0, "Joint states a second, Hz."),
    "real_time_factor": (
        1.0,
        0.01,
        100.0,
        "How many seconds of the simulation pass in one second.",
    ),
    "bandwidth": (
        20.0,
        1.0,
        200.0,
        "How quickly the controller of mode dynamic corrects errors, rad/s.",
    ),
    "path_tolerance": (
        0.0,
        0.0,
        100.0,
        "How far a joint may be off its trajectory, rad or m, where a goal does not say. 0: any.",
    ),
    "goal_tolerance": (
        0.01,
        0.0,
        100.0,
        "How far a joint may be off at the end, rad or m, where a goal does not say. 0: any.",
    ),
    "stopped_velocity_tolerance": (
        0.01,
        0.0,
        100.0,
        "At which velocity a joint has arrived, rad/s or m/s. 0: any.",
    ),
    "goal_time": (
        5.0,
        0.0,
        3600.0,
        "How long after the end of its trajectory a joint may arrive, s. 0: for ever.",
    ),
}
TEXTS: dict[str, tuple[str, str]] = {
    "mode": (
        "kinematic",
        "kinematic: the robot is where its trajectory is, within the velocity limits. dynamic: "
        "motors of limited effort move it. free: no motors, it falls.",
    ),
    "controller": (
        "computed_torque",
        "Of mode dynamic: computed_torque, or pd_gravity, which is softer.",
    ),
}
CHOICES = {"mode": MODES, "controller": CONTROLLERS}


@dataclass(frozen=True)
class SimulatorSettings:
    """The values of the parameters; units and meaning are in the tables above."""

    rate: float
    real_time_factor: float
    bandwidth: float
    path_tolerance: float
    goal_tolerance: float
    stopped_velocity_tolerance: float
    goal_time: float
    mode: str
    controller: str
    paused: bool
    publish_clock: bool
    controllers: tuple[str, ...]


SETTINGS = frozenset(field.name for field in fields(SimulatorSettings))
FIXED = ("paused", "publish_clock", "controllers")


def declare_settings(node: Node) -> SimulatorSettings:
    """Declare the parameters; ConfigurationError or a parameter exception if one is bad."""
    values: dict[str, Any] = {}
    for name, (default, low, high, text) in NUMBERS.items():
        values[name] = declare_number(node, name, default, text, low, high)
    for name, (word, text) in TEXTS.items():
        values[name] = _chosen(name, declare_text(node, name, word, text))
    values["paused"] = declare_flag(
        node, "paused", False, "Begin paused. Set at start only; later there is a service."
    )
    values["publish_clock"] = declare_flag(
        node,
        "publish_clock",
        False,
        "Publish the time of the simulation on /clock, and stamp with it. Set at start only.",
    )
    names: Any = node.declare_parameter(
        "controllers",
        [""],
        ParameterDescriptor(
            description="Names that stand in front of follow_joint_trajectory and "
            "joint_trajectory, one for each controller that MoveIt or rqt knows. Set at start."
        ),
    ).value
    values["controllers"] = tuple(names)
    return SimulatorSettings(**values)


def changed_settings(settings: SimulatorSettings, changed: Mapping[str, Any]) -> SimulatorSettings:
    """Return the settings after a change; a RigidTreeError for a value that makes no sense."""
    values = {name: value for name, value in changed.items() if name in SETTINGS}
    for name in values.keys() & NUMBERS.keys():
        _, low, high, _ = NUMBERS[name]
        values[name] = number(name, values[name], low, high)
    for name in values.keys() & TEXTS.keys():
        _chosen(name, values[name])
    for name in FIXED:
        if name == "controllers" and name in values:
            values[name] = tuple(values[name])
        if name in values and values[name] != getattr(settings, name):
            raise ConfigurationError(f"parameter '{name}' is set at start only; restart the node")
    return replace(settings, **values)


def _chosen(name: str, value: str) -> str:
    if value not in CHOICES[name]:
        raise ConfigurationError(
            f"parameter '{name}' is one of {', '.join(CHOICES[name])}, not '{value}'"
        )
    return value
