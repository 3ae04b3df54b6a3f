"""A node's ``parameters``: as they are described, and as they are while launching."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

import yaml
from launch import LaunchContext, SomeSubstitutionsType, Substitution
from launch.substitutions import TextSubstitution
from launch.utilities import normalize_to_list_of_substitutions, perform_substitutions

from .parameter_descriptions import ParameterValue

_SCALARS = (bool, int, float, str)
SomeParameters = Sequence[SomeSubstitutionsType | os.PathLike | Mapping[Any, Any]]
FilePath = list[Substitution]
ParametersDict = dict[tuple[Substitution, ...], Any]


def normalize_parameters(parameters: SomeParameters) -> list[FilePath | ParametersDict]:
    """Return paths as substitutions, mappings flattened; raises TypeError for anything else."""
    if not isinstance(parameters, list):
        raise TypeError(f"a node's parameters are a list, not {parameters!r}")
    return [
        normalize_parameter_dict(entry)
        if isinstance(entry, Mapping)
        else normalize_to_list_of_substitutions(
            os.fsdecode(entry) if isinstance(entry, os.PathLike) else entry
        )
        for entry in parameters
    ]


def normalize_parameter_dict(
    parameters: Mapping[Any, Any], *, _prefix: Iterable[Substitution] = ()
) -> ParametersDict:
    """Return a flat mapping: nested names are joined by dots, texts become substitutions.

    A list that mixes texts and substitutions is one text, as everywhere in launch; a list of
    lists of them is a list of texts.
    """
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
    raise TypeError(f"no parameter can have a list with {value!r} as its value")


def evaluate_parameters(
    context: LaunchContext, parameters: Iterable[FilePath | ParametersDict]
) -> list[Path | dict[str, Any]]:
    """Return the paths of files and the dictionaries of values."""
    return [
        evaluate_parameter_dict(context, entry)
        if isinstance(entry, dict)
        else Path(perform_substitutions(context, entry))
        for entry in parameters
    ]


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
