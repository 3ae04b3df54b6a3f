"""Values of parameters, while launching."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import yaml
from launch import LaunchContext, Substitution
from launch.utilities import perform_substitutions

from ..parameter_descriptions import Parameter, ParameterFile, ParameterValue
from ..parameters_type import Parameters, ParametersDict

_SCALARS = (bool, int, float, str)


def evaluate_parameters(
    context: LaunchContext, parameters: Parameters
) -> tuple[Path | dict[str, Any] | Parameter, ...]:
    """Return paths of files, dictionaries of values, and Parameter descriptions as they are."""
    evaluated: list[Path | dict[str, Any] | Parameter] = []
    for entry in parameters:
        if isinstance(entry, ParameterFile):
            evaluated.append(entry.evaluate(context))
        elif isinstance(entry, Parameter):
            evaluated.append(entry)
        else:
            evaluated.append(evaluate_parameter_dict(context, entry))
    return tuple(evaluated)


def evaluate_parameter_dict(context: LaunchContext, parameters: ParametersDict) -> dict[str, Any]:
    """Return names and values; the text of a substitution is read as YAML.

    Raises TypeError for a value that cannot be a parameter's.
    """
    evaluated = {}
    for some_name, value in parameters.items():
        name = perform_substitutions(context, some_name)
        evaluated[name] = _evaluate(context, name, value)
    return evaluated


def _evaluate(context: LaunchContext, name: str, value: Any) -> Any:
    if isinstance(value, ParameterValue):
        return value.evaluate(context)
    if not isinstance(value, tuple):
        return value
    if not value:
        raise TypeError(f'the empty list for "{name}" has no type; give it in a YAML file')
    if isinstance(value[0], Substitution):
        return _read(name, perform_substitutions(context, value))
    if isinstance(value[0], list):
        texts = [perform_substitutions(context, item) for item in value]
        return _uniform(name, [yaml.safe_load(text) for text in texts])
    return value


def _read(name: str, text: str) -> Any:
    hint = (
        "A text that is not to be read as YAML is given as "
        "launch_ros.parameter_descriptions.ParameterValue(..., value_type=str)."
    )
    try:
        value = yaml.safe_load(text or "''")
    except yaml.YAMLError as error:
        raise TypeError(f"the value of parameter {name} is no valid yaml. {hint}") from error
    if isinstance(value, (*_SCALARS, bytes)):
        return value
    if isinstance(value, list):
        return _uniform(name, value)
    raise TypeError(
        f"parameter {name} cannot be a {type(value)}, only bytes, or a bool, int, float or str, "
        f"or a list of one of these four. {hint}"
    )


def _uniform(name: str, values: list[Any]) -> tuple[Any, ...]:
    kinds = {type(value) for value in values}
    if len(kinds) != 1 or not kinds <= set(_SCALARS):
        raise TypeError(
            f"the list of parameter {name} must hold at least one item, and only bool, only int, "
            "only float or only str"
        )
    return tuple(values)
