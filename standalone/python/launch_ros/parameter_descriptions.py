"""Parameters of nodes: their descriptions in a launch file, and their values."""

from collections.abc import Mapping, Sequence
from typing import Any

from launch import LaunchContext
from launch.utilities import (
    ValueType,
    normalize_to_list_of_substitutions,
    normalize_typed,
    perform,
    perform_typed,
)
from rigid_tree_stand_in import missing_name

__getattr__ = missing_name(__name__)

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
        """Return the value in this context; raises ValueError if it is not of the type."""
        return perform_typed(context, self._value, self._value_type)


def flattened(
    parameters: Mapping[Any, Any], prefix: Sequence[Any] = ()
) -> list[tuple[Any, ParameterValue]]:
    """Return names and values, with nested names joined by dots; raises TypeError."""
    flat: list[tuple[Any, ParameterValue]] = []
    for some_name, value in parameters.items():
        name = [*prefix, *normalize_to_list_of_substitutions(some_name)]
        if isinstance(value, Mapping):
            flat += flattened(value, [*name, "."])
        else:
            is_described = isinstance(value, ParameterValue)
            flat.append((name, value if is_described else ParameterValue(value)))
    return flat


def evaluated(context: LaunchContext, parameters: Mapping[Any, Any]) -> dict[str, Any]:
    """Return names and values; the text of a substitution is read as YAML.

    A list that mixes texts and substitutions is one text, like elsewhere in launch; a list of
    lists of them is a list of texts. Raises TypeError for a value that cannot be a parameter's.
    """
    values = {}
    for some_name, value in flattened(parameters):
        name = perform(context, some_name)
        try:
            values[name] = value.evaluate(context)
        except ValueError as error:
            raise TypeError(f"parameter {name}: {error}. {_HINT}") from error
        if values[name] == []:
            raise TypeError(f"parameter {name}: an empty list has no type")
    return values
