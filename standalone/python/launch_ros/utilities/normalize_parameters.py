"""Parameters as substitutions and values, before launching."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import yaml
from launch import Substitution
from launch.substitutions import TextSubstitution
from launch.utilities import normalize_to_list_of_substitutions

from ..parameter_descriptions import Parameter, ParameterFile, ParameterValue
from ..parameters_type import Parameters, ParametersDict, SomeParameters, SomeParametersDict


def normalize_parameters(parameters: SomeParameters) -> Parameters:
    """Return paths as ParameterFile, mappings flattened; see normalize_parameter_dict."""
    if isinstance(parameters, str) or not isinstance(parameters, Sequence):
        raise TypeError(f"a node's parameters are a list, not {parameters!r}")
    normalized: list[Any] = []
    for entry in parameters:
        if isinstance(entry, Mapping):
            normalized.append(normalize_parameter_dict(entry))
        elif isinstance(entry, (Parameter, ParameterFile)):
            normalized.append(entry)
        else:
            normalized.append(ParameterFile(entry))
    return tuple(normalized)


def normalize_parameter_dict(
    parameters: SomeParametersDict, *, _prefix: Iterable[Substitution] = ()
) -> ParametersDict:
    """Return a flat mapping: nested names are joined by dots, texts become substitutions.

    A list that mixes texts and substitutions is one text, as everywhere in launch; a list of
    lists of them is a list of texts.
    """
    if not isinstance(parameters, Mapping):
        raise TypeError(f"expected a dict of parameters, got {parameters!r}")
    normalized: ParametersDict = {}
    for some_name, value in parameters.items():
        name = tuple(normalize_to_list_of_substitutions(some_name))
        if _prefix:
            name = (*_prefix, TextSubstitution(text="."), *name)
        if isinstance(value, Mapping):
            normalized.update(normalize_parameter_dict(value, _prefix=name))
        else:
            normalized[name] = _normalize_value(value)
    return normalized


def _normalize_value(value: Any) -> Any:
    if isinstance(value, (ParameterValue, bool, int, float, bytes)):
        return value
    if isinstance(value, str):  # quoted where YAML would read something else, so it stays a text
        return (TextSubstitution(text=yaml.dump(value)),)
    if isinstance(value, Substitution):
        return (value,)
    if isinstance(value, Sequence):
        return _normalize_sequence(value)
    raise TypeError(f"no parameter can have the value {value!r}")


def _normalize_sequence(values: Sequence[Any]) -> tuple[Any, ...]:
    kinds = {_kind(value) for value in values}
    if kinds in ({bool}, {int}):
        return tuple(values)
    if kinds and kinds <= {int, float}:
        return tuple(float(value) for value in values)
    if Substitution in kinds and kinds <= {str, Substitution}:
        return tuple(normalize_to_list_of_substitutions(values))
    return tuple(
        normalize_to_list_of_substitutions(
            yaml.dump(value) if isinstance(value, (str, bool, int, float)) else value
        )
        for value in values
    )


def _kind(value: Any) -> type:
    for kind in (Substitution, str, bool, int, float, Sequence):  # bool before int, its base
        if isinstance(value, kind):
            return kind
    raise TypeError(f"Unexpected type for an item of a parameter value: {value!r}")
