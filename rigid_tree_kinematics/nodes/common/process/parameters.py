"""Parameters as dataclass fields with default, range, unit and description."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import Field, dataclass, field, fields, replace
from functools import partial
from typing import Any, TypeVar, get_type_hints

from rcl_interfaces import msg
from rclpy.node import Node
from rclpy.parameter import Parameter

from rigid_tree_kinematics.errors import ConfigurationError, RigidTreeError
from rigid_tree_kinematics.text import told_apart

AT_START = "Set at start only."
LARGEST_INTEGER = 2**31 - 1
MOST_LISTED = 4


@dataclass(frozen=True)
class Range:
    """The range of a number: ``low`` to ``high``, both included, and optionally 0."""

    low: float = -math.inf
    high: float = math.inf
    or_zero: bool = False

    def checked(self, name: str, value: Any) -> float:
        """Return a parameter as a float; raises ConfigurationError outside the range."""
        is_number = isinstance(value, (int, float)) and not isinstance(value, bool)
        if not (is_number and math.isfinite(value)):
            raise ConfigurationError(f"parameter '{name}' must be a finite number, not {value!r}")
        if not (self.low <= value <= self.high or (self.or_zero and value == 0)):
            number, _, _ = told_apart(value, self.low, self.high)
            raise ConfigurationError(f"parameter '{name}' {self}, not {number}")
        return float(value)

    def __str__(self) -> str:
        """Return the range as text, to follow a parameter's name."""
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
    low: float = -math.inf,
    high: float = math.inf,
    *,
    or_zero: bool = False,
    unit: str = "",
    choices: tuple[str, ...] = (),
    start_only: bool = False,
    name: str = "",
) -> Any:
    """Return a field of a ``Parameters`` class: one parameter of the node.

    Its ``description`` is completed by a unit, the choices and "Set at start only.". ``or_zero``:
    0, with a meaning of its own, is allowed outside the range. ``start_only``: read-only. ``name``
    is the parameter's, if it differs from the field's; one that ends with a dot is a prefix.
    """
    sentences = [description if not unit else f"{description.removesuffix('.')} [{unit}]."]
    sentences += [f"One of: {', '.join(choices)}."] if choices else []
    sentences += [AT_START] if start_only else []
    bounds = Range(low, high, or_zero)
    declaration = _Declaration(" ".join(sentences), bounds, choices, start_only, name)
    return field(default=default, metadata={"declaration": declaration})


at_start = partial(parameter, start_only=True)

P = TypeVar("P", bound="Parameters")


@dataclass(frozen=True)
class Parameters:
    """Base of the frozen dataclasses that hold a node's parameters.

    Fields are made by ``parameter`` and annotated as bool, int, float, str, tuple[str, ...] or
    tuple[float, ...]. A subclass may override ``check``.
    """

    @classmethod
    def declare(cls: type[P], node: Node, defaults: Mapping[str, Any] | None = None) -> P:
        """Declare all parameters on a node; return their values at start.

        ``defaults`` replace the defaults of parameters by name. Raises ConfigurationError, or one
        of rclpy's parameter exceptions, for a bad value.
        """
        values = {}
        for item, name, kind, declaration in parameter_rows(cls):
            default = list(item.default) if isinstance(item.default, tuple) else item.default
            default = (defaults or {}).get(name, default)
            given = node.declare_parameter(name, default, _descriptor(kind, declaration)).value
            values[item.name] = _checked(name, kind, declaration, given)
        settings = cls(**values)
        settings.check()
        return settings

    def changed(self: P, changes: Mapping[str, Any]) -> P:
        """Return the values after a change of parameters; unknown parameters are ignored.

        Raises ConfigurationError for a value that is not allowed.
        """
        values = {
            item.name: _checked(name, kind, declaration, changes[name])
            for item, name, kind, declaration in parameter_rows(type(self))
            if name in changes
        }
        if not values:
            return self
        settings = replace(self, **values)
        settings.check()
        return settings

    def check(self) -> None:
        """Raise a RigidTreeError for inconsistent values."""


def parameter_rows(cls: type[Parameters]) -> Iterator[tuple[Field[Any], str, Any, _Declaration]]:
    """Yield each field with the name, the type and the declaration of its parameter."""
    hints = get_type_hints(cls)
    for item in fields(cls):
        declaration: _Declaration = item.metadata["declaration"]
        name = declaration.name
        full = name + item.name if name.endswith(".") else name or item.name
        yield item, full, hints[item.name], declaration


def _descriptor(kind: Any, declaration: _Declaration) -> msg.ParameterDescriptor:
    descriptor = msg.ParameterDescriptor(
        description=declaration.description, read_only=declaration.start_only
    )
    bounds = declaration.range
    low, high = (min(bounds.low, 0.0) if bounds.or_zero else bounds.low), bounds.high
    if bounds.or_zero:
        descriptor.additional_constraints = f"{bounds}"
    if kind is int:
        least, most = max(low, -LARGEST_INTEGER - 1), min(high, LARGEST_INTEGER)
        whole = msg.IntegerRange(from_value=int(least), to_value=int(most), step=1)
        descriptor.integer_range = [whole]
    elif kind in (float, tuple[float, ...]):
        # Accept integers: rclpy would insist on ``rate:=50.0``.
        descriptor.dynamic_typing = True
        if kind is float:
            descriptor.floating_point_range = number_range(low, high)
    return descriptor


def number_range(low: float, high: float) -> list[msg.FloatingPointRange]:
    """Return the range for a descriptor; none unless both ends are finite."""
    if not (math.isfinite(low) and math.isfinite(high)):
        return []
    return [msg.FloatingPointRange(from_value=float(low), to_value=float(high))]


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
        raise ConfigurationError(f"parameter '{name}' must be one of {known}, not '{value}'")
    return value  # bool, int and str: rclpy has checked their type and range


def on_parameter_change(
    node: Node,
    check: Callable[[Mapping[str, Any]], object],
    apply: Callable[[Mapping[str, Any]], None],
) -> None:
    """Check changes, {name: new value}, which a RigidTreeError rejects, then apply them."""
    applies_afterwards = hasattr(node, "add_post_set_parameters_callback")

    def changes(parameters: list[Parameter[Any]]) -> dict[str, Any]:
        return {parameter.name: parameter.value for parameter in parameters}

    def on_set(parameters: list[Parameter[Any]]) -> msg.SetParametersResult:
        try:
            check(changes(parameters))
        except RigidTreeError as error:
            return msg.SetParametersResult(successful=False, reason=str(error))
        # Before Iron there is no later callback.
        if not applies_afterwards:
            apply(changes(parameters))
        return msg.SetParametersResult(successful=True)

    node.add_on_set_parameters_callback(on_set)
    if applies_afterwards:
        node.add_post_set_parameters_callback(lambda parameters: apply(changes(parameters)))


def unused_parameters(node: Node, given: Iterable[str]) -> list[str]:
    """Return the parameters among ``given`` that a node does not declare, in short."""
    declared = list(node.get_parameters_by_prefix(""))
    return shortened(sorted(set(given).difference(declared)), declared)


def shortened(names: Sequence[str], others: Sequence[str]) -> list[str]:
    """Return dotted names in short.

    ``a.*`` stands for more than MOST_LISTED names below a, where none of the ``others`` is, and
    ``a.{b, c}.d`` for a.b.d and a.c.d.
    """
    heads: dict[str, list[str]] = {}  # by what follows them
    for head in dict.fromkeys(name.partition(".")[0] for name in names):
        inner, known = _below(head, names), _below(head, others)
        if head in names:
            heads.setdefault("", []).append(head)
        if inner:
            whole = len(inner) > MOST_LISTED and not known
            rest = ".*" if whole else f".{_braced(shortened(inner, known))}"
            heads.setdefault(rest, []).append(head)
    return [
        head + rest
        for rest, found in heads.items()
        for head in ([_braced(found)] if rest else found)
    ]


def _below(head: str, names: Sequence[str]) -> list[str]:
    return [name.removeprefix(f"{head}.") for name in names if name.startswith(f"{head}.")]


def _braced(names: Sequence[str]) -> str:
    return names[0] if len(names) == 1 else f"{{{', '.join(names)}}}"
