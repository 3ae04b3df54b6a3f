"""Messages to YAML text, and YAML values into messages."""

from __future__ import annotations

import array
import importlib
import sys
from collections.abc import Callable
from functools import partial
from typing import Any, NamedTuple

import numpy
import yaml
from rosidl_parser.definition import (
    AbstractNestedType,
    AbstractString,
    AbstractWString,
    Array,
    BasicType,
    BoundedSequence,
    NamespacedType,
)

HEADER = ("std_msgs", "msg", "Header")
TIME = ("builtin_interfaces", "msg", "Time")


class Form(NamedTuple):
    """How messages are printed; lengths count elements or characters, None means all of them."""

    truncate_length: int | None = None
    no_arr: bool = False
    no_str: bool = False
    flow_style: bool = False


def to_yaml(message: Any, form: Form | None = None) -> str:
    """Return a message as the YAML text that ``ros2 topic echo`` prints."""
    form = form or Form()
    return yaml.safe_dump(
        to_plain(message, form),
        allow_unicode=True,
        width=sys.maxsize,
        default_flow_style=form.flow_style,
        sort_keys=False,
    )


def to_plain(message: Any, form: Form) -> dict[str, Any]:
    """Return a message as a dictionary of plain values, in the order of its fields."""
    names = message.get_fields_and_field_types()
    return {
        name: _plain(getattr(message, name), slot_type, form)
        for name, slot_type in zip(names, message.SLOT_TYPES, strict=True)
    }


def _plain(value: Any, slot_type: Any, form: Form) -> Any:
    limit = form.truncate_length
    if isinstance(value, bytes):
        text = "".join(map(chr, value[:limit]))
        return text if limit is None or len(value) <= limit else f"{text}..."
    if isinstance(value, str):
        if form.no_str:
            return f"<string length: <{len(value)}>>"
        return value if limit is None or len(value) <= limit else f"{value[:limit]}..."
    if isinstance(value, (list, tuple, array.array, numpy.ndarray)):
        if form.no_arr and slot_type is not None:
            return _array_summary(value, slot_type)
        items = [_plain(item, None, form) for item in value[:limit]]
        return items if limit is None or len(value) <= limit else [*items, "..."]
    if isinstance(value, numpy.generic):
        return value.item()
    if isinstance(value, (bool, int, float)):
        return value
    return to_plain(value, form)


def _array_summary(value: Any, slot_type: Any) -> str:
    element = _type_name(slot_type.value_type)
    if isinstance(slot_type, Array):
        return f"<array type: {element}[{slot_type.size}]>"
    if isinstance(slot_type, BoundedSequence):
        return f"<sequence type: {element}[{slot_type.maximum_size}], length: {len(value)}>"
    return f"<sequence type: {element}, length: {len(value)}>"


def _type_name(slot_type: Any) -> str:
    if isinstance(slot_type, BasicType):
        return slot_type.typename
    if isinstance(slot_type, AbstractString):
        return "string"
    if isinstance(slot_type, AbstractWString):
        return "wstring"
    return "/".join(slot_type.namespaced_name())


def values_from(text: str) -> dict[str, Any]:
    """Read the fields of a message from YAML text; RuntimeError if it is none."""
    try:
        values = yaml.safe_load(text)
    except yaml.YAMLError as error:
        raise RuntimeError(f"This is no YAML: {error}") from None
    if values is None or values == "":
        return {}
    if not isinstance(values, dict):
        raise RuntimeError(
            f"Expected the fields as a YAML mapping, such as '{{data: 1}}', not {text!r}"
        )
    return values


def fill(
    message: Any, values: dict[str, Any], expand_now: bool = False
) -> list[Callable[[Any], None]]:
    """Set the fields of a message from plain values.

    With ``expand_now`` a header given as ``auto`` and a time given as ``now`` are left to the
    caller: the result is the list of functions that set them. Raises AttributeError for an
    unknown field, TypeError or ValueError or AssertionError for a value that does not fit.
    """
    if not isinstance(values, dict):
        raise TypeError(f"A message takes a mapping of its fields, not {values!r}")
    slots = dict(zip(message.get_fields_and_field_types(), message.SLOT_TYPES, strict=True))
    setters: list[Callable[[Any], None]] = []
    for name, value in values.items():
        current = getattr(message, name)
        slot_type = slots[name]
        namespaced = isinstance(slot_type, NamespacedType)
        full_name = slot_type.namespaced_name() if namespaced else ()
        if expand_now and full_name == HEADER and value == "auto":
            setters.append(partial(setattr, current, "stamp"))
        elif expand_now and full_name == TIME and value == "now":
            setters.append(partial(setattr, message, name))
        else:
            setattr(message, name, _typed(value, slot_type, expand_now, setters))
    return setters


def _typed(
    value: Any, slot_type: Any, expand_now: bool, setters: list[Callable[[Any], None]]
) -> Any:
    if isinstance(slot_type, NamespacedType):
        package, namespace, name = slot_type.namespaced_name()
        message = getattr(importlib.import_module(f"{package}.{namespace}"), name)()
        setters.extend(fill(message, value, expand_now))
        return message
    if isinstance(slot_type, AbstractNestedType):
        if isinstance(value, (str, dict)) or not hasattr(value, "__iter__"):
            raise TypeError(f"An array takes a list, not {value!r}")
        return [_typed(item, slot_type.value_type, expand_now, setters) for item in value]
    if isinstance(slot_type, BasicType):
        return _number(value, slot_type.typename)
    return value if isinstance(value, str) else str(value)


def _number(value: Any, typename: str) -> Any:
    if typename in ("float", "double", "long double"):
        return float(value)
    if typename == "boolean":
        return bool(value)
    if typename == "octet":
        return value if isinstance(value, bytes) else bytes([int(value)])
    return int(value)
