"""Parameters of nodes: their descriptions in a launch file, and their values."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import yaml
from launch import LaunchContext, Substitution
from launch.utilities import (
    ValueType,
    is_substitution,
    normalize_to_list_of_substitutions,
    normalize_typed,
    perform,
    perform_typed,
)
from rigid_tree_stand_in import missing_name

__all__ = ["ParameterValue"]
__getattr__ = missing_name(__name__)

_SCALARS = (bool, int, float, str, bytes)
_HINT = (
    "A text that is not to be read as YAML is given as "
    "launch_ros.parameter_descriptions.ParameterValue(..., value_type=str)."
)


class ParameterValue:
    """A value, or a substitution whose text becomes a value of ``value_type``.

    Without ``value_type`` the text is read as YAML; with ``value_type=str`` it stays a text.
    Raises TypeError if the value cannot be of the type.
    """

    def __init__(self, value: Any, *, value_type: ValueType = None) -> None:
        self._value = normalize_typed(value, value_type)
        self._value_type = value_type

    def evaluate(self, context: LaunchContext) -> Any:
        """Return the value in this context."""
        return perform_typed(context, self._value, self._value_type)


def flattened(parameters: Mapping[Any, Any], prefix: Sequence[Any] = ()) -> list[tuple[Any, Any]]:
    """Return names and values, with nested names joined by dots; raises TypeError."""
    flat: list[tuple[Any, Any]] = []
    for some_name, value in parameters.items():
        name = [*prefix, *normalize_to_list_of_substitutions(some_name)]
        if isinstance(value, Mapping):
            flat += flattened(value, [*name, "."])
        else:
            _check(value)
            flat.append((name, value))
    return flat


def evaluated(context: LaunchContext, parameters: Mapping[Any, Any]) -> dict[str, Any]:
    """Return names and values; the text of a substitution is read as YAML.

    A list that mixes texts and substitutions is one text, like elsewhere in launch; a list of
    lists of them is a list of texts. Raises TypeError for a value that cannot be a parameter's.
    """
    values = {}
    for some_name, value in flattened(parameters):
        name = perform(context, some_name)
        values[name] = _evaluated(context, name, value)
    return values


def _check(value: Any) -> None:
    if isinstance(value, (ParameterValue, Substitution, *_SCALARS)):
        return
    if not isinstance(value, Sequence):
        raise TypeError(f"no parameter can have the value {value!r}")
    for item in value:
        _check(item)


def _evaluated(context: LaunchContext, name: str, value: Any) -> Any:
    if isinstance(value, ParameterValue):
        return value.evaluate(context)
    if isinstance(value, _SCALARS):
        return value
    if is_substitution(value):
        value = _read(name, perform(context, value))
        if isinstance(value, _SCALARS):
            return value
        if not isinstance(value, list):
            raise TypeError(f"parameter {name} cannot be a {type(value)}. {_HINT}")
    items = [
        item if isinstance(item, _SCALARS) else _read(name, perform(context, item))
        for item in value
    ]
    kinds = {type(item) for item in items}
    if kinds == {int, float}:
        return [float(item) for item in items]
    if len(kinds) != 1 or not kinds <= {bool, int, float, str}:
        raise TypeError(
            f"the list of parameter {name} must hold at least one item, and only bool, only int, "
            "only float or only str"
        )
    return items


def _read(name: str, text: str) -> Any:
    try:
        return yaml.safe_load(text or "''")
    except yaml.YAMLError as error:
        raise TypeError(f"the value of parameter {name} is no valid yaml. {_HINT}") from error
