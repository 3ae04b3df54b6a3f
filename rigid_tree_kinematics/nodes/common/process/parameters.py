"""Parameters as dataclasses: each is written once, with default, range, unit and description."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, fields, replace
from typing import Any, TypeVar, get_type_hints

from rcl_interfaces.msg import (
    FloatingPointRange,
    IntegerRange,
    ParameterDescriptor,
    SetParametersResult,
)
from rclpy.node import Node
from rclpy.parameter import Parameter

from rigid_tree_kinematics.errors import ConfigurationError, RigidTreeError

AT_START = "Set at start only."
LARGEST_INTEGER = 2**31 - 1


@dataclass(frozen=True)
class Range:
    """The range of a number: ``low`` to ``high``, both included, and optionally 0."""

    low: float = -math.inf
    high: float = math.inf
    or_zero: bool = False

    def checked(self, name: str, value: Any) -> float:
        """Return a parameter as a float; ConfigurationError unless it is finite and in here."""
        is_number = isinstance(value, (int, float)) and not isinstance(value, bool)
        if not (is_number and math.isfinite(value)):
            raise ConfigurationError(f"parameter '{name}' is a finite number, not {value!r}")
        if not (self.low <= value <= self.high or (self.or_zero and value == 0)):
            raise ConfigurationError(f"parameter '{name}' {self}, not {value:g}")
        return float(value)

    def __str__(self) -> str:
        """Return what follows a parameter's name in a sentence."""
        return f"must be {'0 or ' if self.or_zero else ''}in [{self.low:g}, {self.high:g}]"


@dataclass(frozen=True)
class _Declaration:
    """The declaration of a parameter except its name, type and default."""

    description: str
    range: Range
    choices: tuple[str, ...]
    start_only: bool
    name: str


def parameter(  # noqa: PLR0913 (each is a part of ROS 2's descriptor)
    default: Any,
    description: str,
    *,
    low: float = -math.inf,
    high: float = math.inf,
    or_zero: bool = False,
    unit: str = "",
    choices: tuple[str, ...] = (),
    start_only: bool = False,
    name: str = "",
) -> Any:
    """Return a field of a ``Parameters`` class: one parameter of the node.

    Its ``description`` is completed by a unit, the choices and "Set at start only.". ``or_zero``:
    0, with a meaning of its own, is allowed outside the range. ``start_only``: read-only. ``name``
    is the parameter's, if it is not that of the field; one that ends with a dot is its prefix.
    """
    words = [description if not unit else f"{description.removesuffix('.')} [{unit}]."]
    words += [f"One of: {', '.join(choices)}."] if choices else []
    words += [AT_START] if start_only else []
    bounds = Range(low, high, or_zero)
    declaration = _Declaration(" ".join(words), bounds, choices, start_only, name)
    return field(default=default, metadata={"declaration": declaration})


P = TypeVar("P", bound="Parameters")


@dataclass(frozen=True)
class Parameters:
    """Base of the frozen dataclasses that hold a node's parameters.

    Fields are made by ``parameter`` and annotated as bool, int, float, str, tuple[str, ...] or
    tuple[float, ...]. A subclass may override ``check``.
    """

    @classmethod
    def declare(cls: type[P], node: Node) -> P:
        """Declare all parameters on a node; return their values at start.

        Raises ConfigurationError, or one of rclpy's parameter exceptions, for a bad value.
        """
        values = {}
        for own, (name, kind) in _kinds(cls).items():
            default, descriptor = _default_and_descriptor(cls, own, kind)
            given = node.declare_parameter(name, default, descriptor).value
            values[own] = _checked(name, kind, _declaration(cls, own), given)
        settings = cls(**values)
        settings.check()
        return settings

    def changed(self: P, changes: Mapping[str, Any]) -> P:
        """Return the values after a change of parameters; those of others are ignored.

        Raises ConfigurationError for a value that is not allowed.
        """
        values = {
            own: _checked(name, kind, _declaration(type(self), own), changes[name])
            for own, (name, kind) in _kinds(type(self)).items()
            if name in changes
        }
        if not values:
            return self
        settings = replace(self, **values)
        settings.check()
        return settings

    def check(self) -> None:
        """Raise a RigidTreeError for inconsistent values."""


def _kinds(cls: type[Parameters]) -> dict[str, tuple[str, Any]]:
    """Return each parameter's name and type, by the name of its field."""
    hints, kinds = get_type_hints(cls), {}
    for item in fields(cls):
        name = _declaration(cls, item.name).name or item.name
        kinds[item.name] = name + item.name if name.endswith(".") else name, hints[item.name]
    return kinds


def _declaration(cls: type[Parameters], name: str) -> _Declaration:
    declaration: _Declaration = cls.__dataclass_fields__[name].metadata["declaration"]
    return declaration


def _default_and_descriptor(
    cls: type[Parameters], name: str, kind: Any
) -> tuple[Any, ParameterDescriptor]:
    declaration = _declaration(cls, name)
    default = cls.__dataclass_fields__[name].default
    descriptor = ParameterDescriptor(
        description=declaration.description, read_only=declaration.start_only
    )
    bounds = declaration.range
    low, high = (min(bounds.low, 0.0) if bounds.or_zero else bounds.low), bounds.high
    if bounds.or_zero:
        descriptor.additional_constraints = f"{bounds}"
    if kind is int:
        whole = (max(low, -LARGEST_INTEGER - 1), min(high, LARGEST_INTEGER))
        descriptor.integer_range = [
            IntegerRange(from_value=int(whole[0]), to_value=int(whole[1]), step=1)
        ]
    elif kind in (float, tuple[float, ...]):
        # Accept integers: rclpy would insist on ``rate:=50.0``.
        descriptor.dynamic_typing = True
        if kind is float:
            descriptor.floating_point_range = number_range(low, high)
    return list(default) if isinstance(default, tuple) else default, descriptor


def number_range(low: float, high: float) -> list[FloatingPointRange]:
    """Return the range for a descriptor; none unless both ends are finite."""
    if not (math.isfinite(low) and math.isfinite(high)):
        return []
    return [FloatingPointRange(from_value=float(low), to_value=float(high))]


def _checked(name: str, kind: Any, declaration: _Declaration, value: Any) -> Any:
    if kind is float:
        return declaration.range.checked(name, value)
    if kind == tuple[float, ...]:
        # The type of the parameter can change: one number is a list of one.
        items = [] if value is None else value if hasattr(value, "__iter__") else [value]
        return tuple(declaration.range.checked(name, item) for item in items)
    if kind == tuple[str, ...]:
        return tuple(str(item) for item in value or ())
    if declaration.choices and value not in declaration.choices:
        known = ", ".join(declaration.choices)
        raise ConfigurationError(f"parameter '{name}' is one of {known}, not '{value}'")
    return value  # bool, int and str: rclpy has checked their type and range


def on_parameter_change(
    node: Node,
    check: Callable[[Mapping[str, Any]], object],
    apply: Callable[[Mapping[str, Any]], None],
) -> None:
    """Check changes, {name: new value}, which a RigidTreeError refuses, then apply them."""
    applies_afterwards = hasattr(node, "add_post_set_parameters_callback")

    def on_set(parameters: list[Parameter[Any]]) -> SetParametersResult:
        changed = {parameter.name: parameter.value for parameter in parameters}
        try:
            check(changed)
        except RigidTreeError as error:
            return SetParametersResult(successful=False, reason=str(error))
        # Before Iron there is no later callback.
        if not applies_afterwards:
            apply(changed)
        return SetParametersResult(successful=True)

    node.add_on_set_parameters_callback(on_set)
    if applies_afterwards:
        node.add_post_set_parameters_callback(
            lambda parameters: apply({parameter.name: parameter.value for parameter in parameters})
        )
