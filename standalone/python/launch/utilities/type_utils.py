"""Values that are given directly, or by substitutions and converted when performed."""

from __future__ import annotations

import collections.abc
import typing
from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

import yaml

from ..some_substitutions_type import SomeSubstitutionsType
from ..substitution import Substitution
from . import normalize_to_list_of_substitutions, perform_substitutions

if TYPE_CHECKING:
    from ..launch_context import LaunchContext

ScalarTypesTuple = (int, float, bool, str)
ScalarValueType = int | float | bool | str
AllowedTypesType = Any  # int, float, bool, str, or List[...] of one of them
SomeValueType = ScalarValueType | SomeSubstitutionsType | Iterable[Any]
NormalizedValueType = ScalarValueType | list[Any]


def extract_type(data_type: AllowedTypesType) -> tuple[type, bool]:
    """Return the scalar type, and whether ``data_type`` is a list of it."""
    is_list = typing.get_origin(data_type) is list
    scalar = typing.get_args(data_type)[0] if is_list else data_type
    if scalar not in ScalarTypesTuple:
        raise ValueError(f"Unrecognized data type: {data_type}")
    return scalar, is_list


def is_instance_of(value: Any, data_type: AllowedTypesType = None) -> bool:
    """Return whether ``value`` is of ``data_type``; without one, whether of any allowed type."""
    if data_type is None:
        if not isinstance(value, list):
            return isinstance(value, ScalarTypesTuple)
        return not value or (
            type(value[0]) in ScalarTypesTuple
            and all(isinstance(x, type(value[0])) for x in value)
        )
    scalar, is_list = extract_type(data_type)
    if not is_list:
        return isinstance(value, scalar)
    return isinstance(value, list) and all(isinstance(x, scalar) for x in value)


def coerce_to_type(value: str, data_type: AllowedTypesType = None) -> Any:
    """Convert a text to ``data_type``, or by the rules of YAML if none is given.

    Raises ValueError if the text does not denote a value of that type.
    """
    scalar, is_list = (None, False) if data_type is None else extract_type(data_type)
    if not is_list:
        if scalar is str:
            return value
        if scalar in (int, float):
            return scalar(value)
        if scalar is bool:
            value = {"1": "true", "0": "false"}.get(value, value)
    try:
        result = yaml.safe_load(value) if value else value
    except yaml.YAMLError as error:
        raise ValueError(f"{value!r} is no YAML:\n{error}") from error
    if not is_instance_of(result, data_type):
        wanted = "an allowed type" if data_type is None else f"'{data_type}'"
        raise ValueError(f"{value!r} reads as {type(result)}, not as {wanted}")
    return result


def is_substitution(x: Any) -> bool:
    """Return whether ``x`` is a substitution, or a mix of texts with at least one of them."""
    if isinstance(x, Substitution):
        return True
    return (
        isinstance(x, collections.abc.Iterable)
        and all(isinstance(item, (Substitution, str)) for item in x)
        and any(isinstance(item, Substitution) for item in x)
    )


def is_normalized_substitution(x: Any) -> bool:
    """Return whether ``x`` is a non-empty list of substitutions."""
    return isinstance(x, list) and bool(x) and all(isinstance(i, Substitution) for i in x)


def normalize_typed_substitution(
    value: SomeValueType, data_type: AllowedTypesType
) -> NormalizedValueType:
    """Return a scalar as it is, a substitution as a list, a list with its items normalized.

    Raises TypeError if the value can never become one of ``data_type``.
    """
    if isinstance(value, ScalarTypesTuple):
        if not is_instance_of(value, data_type):
            raise TypeError(f"{value!r} is a {type(value)}, not a {data_type}")
        return value
    if is_substitution(value):
        return normalize_to_list_of_substitutions(typing.cast(SomeSubstitutionsType, value))
    if not isinstance(value, collections.abc.Iterable):
        raise TypeError(
            f"neither a scalar, nor a substitution, nor a list of these: {value!r} ({type(value)})"
        )
    return _normalize_list(list(value), data_type)


def _normalize_list(items: list[Any], data_type: AllowedTypesType) -> list[Any]:
    if data_type is not None:
        data_type, is_list = extract_type(data_type)
        if not is_list:
            raise TypeError(f"a single {data_type} is wanted here, not the list {items}")
    kinds = {type(x) for x in items if isinstance(x, ScalarTypesTuple)}
    if kinds == {int, float} or (kinds == {int} and data_type is float):
        items = [float(x) if isinstance(x, int) else x for x in items]
        kinds = {float}
    if len(kinds) > 1 or (data_type is not None and not kinds <= {data_type}):
        raise TypeError(f"{items} holds {kinds}; a list of {data_type} is wanted here")
    normalized = []
    for item in items:
        if is_substitution(item):
            item = normalize_to_list_of_substitutions(item)
        elif not isinstance(item, ScalarTypesTuple):
            raise TypeError(
                f"{item!r} in the list {items} is neither a scalar nor made of substitutions"
            )
        normalized.append(item)
    return normalized


def perform_typed_substitution(
    context: LaunchContext, value: NormalizedValueType, data_type: AllowedTypesType
) -> Any:
    """Return the value of a normalized typed substitution, of ``data_type``.

    Raises TypeError or ValueError if the result is not of that type.
    """
    if isinstance(value, ScalarTypesTuple):
        if not is_instance_of(value, data_type):
            raise TypeError(f"{value!r} is a {type(value)}, not a {data_type}")
        return value
    if is_normalized_substitution(value):
        return coerce_to_type(perform_substitutions(context, value), data_type)
    if not isinstance(value, list):
        raise TypeError(f"value=`{value}` is not a normalized typed substitution")
    scalar = None
    if data_type is not None:
        scalar, is_list = extract_type(data_type)
        if not is_list:
            raise ValueError(f"cannot convert the list '{value}' to the scalar type {scalar}")
    result = [
        coerce_to_type(perform_substitutions(context, x), scalar)
        if is_normalized_substitution(x)
        else x
        for x in value
    ]
    if not is_instance_of(result, data_type):
        raise ValueError(f"the list {result} is not uniform or not of type {data_type}")
    return result
