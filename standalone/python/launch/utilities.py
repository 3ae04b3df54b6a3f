"""Texts and values, with or without substitutions."""

from __future__ import annotations

import typing
from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

import yaml

from ._bases import SomeSubstitutionsType, Substitution, TextSubstitution

if TYPE_CHECKING:
    from .launch_context import LaunchContext

_SCALARS = (int, float, bool, str, bytes)
ValueType = Any  # int, float, bool, str, or List[...] of one of them; None: any of these


def normalize_to_list_of_substitutions(subs: SomeSubstitutionsType) -> list[Substitution]:
    """Return a list of substitutions, with texts wrapped in TextSubstitution."""
    subs = [subs] if isinstance(subs, (str, Substitution)) else list(subs)
    for sub in subs:
        if not isinstance(sub, (str, Substitution)):
            raise TypeError(
                f"{sub!r} ({type(sub)}) cannot be part of a text: give a str or a Substitution"
            )
    return [TextSubstitution(text=sub) if isinstance(sub, str) else sub for sub in subs]


def perform_substitutions(context: LaunchContext, subs: Iterable[Substitution]) -> str:
    """Return the joined texts of the substitutions."""
    return "".join(sub.perform(context) for sub in subs)


def perform(context: LaunchContext, subs: SomeSubstitutionsType) -> str:
    """Return texts and performed substitutions as one text."""
    return perform_substitutions(context, normalize_to_list_of_substitutions(subs))


def describe_all(substitutions: Iterable[Substitution]) -> str:
    """Return the descriptions of substitutions, joined by plus signs."""
    return " + ".join(sub.describe() for sub in substitutions)


def normalize_typed(value: Any, data_type: ValueType) -> Any:
    """Return a scalar unchanged, a substitution as a list, and a list with normalized items.

    Raises TypeError if the value can never have the type ``data_type``.
    """
    if is_substitution(value):
        return normalize_to_list_of_substitutions(value)
    wanted = f"{value!r} cannot become a value of type {data_type}"
    if isinstance(value, _SCALARS):
        if not _is_of_type(value, data_type):
            raise TypeError(wanted)
        return value
    scalar, is_list = _split(data_type)
    if data_type is not None and not is_list:
        raise TypeError(wanted)
    value = _with_floats(value, scalar)
    if not _is_of_type([item for item in value if not is_substitution(item)], data_type):
        raise TypeError(wanted)
    return [
        normalize_to_list_of_substitutions(item) if is_substitution(item) else item
        for item in value
    ]


def perform_typed(context: LaunchContext, value: Any, data_type: ValueType) -> Any:
    """Return a normalized value as ``data_type``; raises ValueError if it cannot be converted."""
    if isinstance(value, list):
        if value and all(isinstance(item, Substitution) for item in value):
            return _coerced(perform_substitutions(context, value), data_type)
        scalar, _ = _split(data_type)
        value = [
            _coerced(perform_substitutions(context, item), scalar)
            if isinstance(item, list)
            else item
            for item in value
        ]
        value = _with_floats(value, scalar)
    if not _is_of_type(value, data_type):
        raise ValueError(f"{value!r} is not of type {data_type}")
    return value


def _with_floats(items: Iterable[Any], scalar: Any) -> list[Any]:
    """Return items with integers as floats if there are floats, or ``scalar`` is float."""
    items = list(items)
    kinds = {type(item) for item in items if isinstance(item, _SCALARS)}
    if kinds == {int, float} or (kinds == {int} and scalar is float):
        return [float(item) if isinstance(item, int) else item for item in items]
    return items


def _split(data_type: ValueType) -> tuple[Any, bool]:
    """Return the scalar type of ``data_type``, and whether ``data_type`` is a list."""
    origin: object = typing.get_origin(data_type)
    if origin is list:
        return typing.get_args(data_type)[0], True
    return data_type, False


def _is_of_type(value: Any, data_type: ValueType) -> bool:
    if data_type is None:
        items = value if isinstance(value, list) else [value]
        return len({type(item) for item in items}) <= 1 and all(
            isinstance(item, _SCALARS) for item in items
        )
    scalar, is_list = _split(data_type)
    if is_list:
        return isinstance(value, list) and all(isinstance(item, scalar) for item in value)
    return isinstance(value, scalar)


def is_substitution(value: Any) -> bool:
    """Return whether a value is a substitution or contains one."""
    items = list(value) if isinstance(value, Iterable) else [value]
    return any(isinstance(item, Substitution) for item in items) and all(
        isinstance(item, (Substitution, str)) for item in items
    )


def _coerced(text: str, data_type: ValueType) -> Any:
    """Convert a text to a type, or by YAML's rules if no type is given; raises ValueError."""
    if data_type in (str, int, float):
        return data_type(text)
    if data_type is bool:
        text = {"1": "true", "0": "false"}.get(text, text)
    try:
        value = yaml.safe_load(text) if text else text
    except yaml.YAMLError as error:
        raise ValueError(f"{text!r} is no YAML:\n{error}") from error
    if isinstance(value, list):
        value = _with_floats(value, _split(data_type)[0])
    if not _is_of_type(value, data_type):
        raise ValueError(f"{text!r} reads as {type(value)}, not as {data_type or 'a value'}")
    return value
