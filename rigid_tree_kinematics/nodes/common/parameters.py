"""Parameters that describe themselves, with text, unit and range, to ``ros2 param describe``."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from typing import Any

from rcl_interfaces.msg import (
    FloatingPointRange,
    IntegerRange,
    ParameterDescriptor,
    SetParametersResult,
)
from rclpy.node import Node
from rclpy.parameter import Parameter

from rigid_tree_kinematics.errors import ConfigurationError


def declare_text(node: Node, name: str, default: str, description: str) -> str:
    """Declare a string parameter; return its value at start."""
    descriptor = ParameterDescriptor(description=description)
    return str(node.declare_parameter(name, default, descriptor).value)


def declare_flag(node: Node, name: str, default: bool, description: str) -> bool:
    """Declare a boolean parameter; return its value at start."""
    descriptor = ParameterDescriptor(description=description)
    return bool(node.declare_parameter(name, default, descriptor).value)


def declare_number(
    node: Node, name: str, default: float, description: str, low: float, high: float
) -> float:
    """Declare a number between ``low`` and ``high``; return its value at start.

    A whole number is a number too: ``rate:=50`` is accepted where rclpy would insist on 50.0.
    Raises ConfigurationError if the value at start is none, or out of range.
    """
    descriptor = ParameterDescriptor(description=description, dynamic_typing=True)
    if math.isfinite(low) and math.isfinite(high):
        descriptor.floating_point_range = [FloatingPointRange(from_value=low, to_value=high)]
    value: Any = node.declare_parameter(name, float(default), descriptor).value
    return number(name, value, low, high)


def declare_integer(
    node: Node,
    name: str,
    default: int,
    low: int,
    high: int,
    description: str,
    read_only: bool = False,
) -> int:
    """Declare a whole number between ``low`` and ``high``; return its value at start."""
    descriptor = ParameterDescriptor(
        description=description,
        read_only=read_only,
        integer_range=[IntegerRange(from_value=low, to_value=high, step=1)],
    )
    return int(node.declare_parameter(name, default, descriptor).value)


def number(name: str, value: Any, low: float, high: float) -> float:
    """Return ``value`` as a float; ConfigurationError unless it is a number within the range."""
    if isinstance(value, bool) or not isinstance(value, (int, float)) or math.isnan(value):
        raise ConfigurationError(f"parameter '{name}' is a number, not {value!r}")
    if not low <= value <= high:
        raise ConfigurationError(f"parameter '{name}' lies in [{low:g}, {high:g}], not {value:g}")
    return float(value)


def on_parameter_change(
    node: Node,
    check: Callable[[Mapping[str, Any]], str],
    apply: Callable[[Mapping[str, Any]], None],
) -> None:
    """Have changed parameters first checked, then applied.

    ``check`` takes {name: new value} and returns the reason for a refusal, or an empty string.
    """
    applies_afterwards = hasattr(node, "add_post_set_parameters_callback")

    def on_set(parameters: list[Parameter]) -> SetParametersResult:
        changed = {parameter.name: parameter.value for parameter in parameters}
        reason = check(changed)
        # ROS 2 before Iron has no callback for after: there this one is the last word.
        if not reason and not applies_afterwards:
            apply(changed)
        return SetParametersResult(successful=not reason, reason=reason)

    node.add_on_set_parameters_callback(on_set)
    if applies_afterwards:
        node.add_post_set_parameters_callback(
            lambda parameters: apply({parameter.name: parameter.value for parameter in parameters})
        )
