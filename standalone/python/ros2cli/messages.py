"""Interface classes by name, and conversion between messages and YAML text."""

import array
import importlib
import sys
from typing import Any

import numpy
import yaml
from rosidl_parser.definition import AbstractNestedType, BasicType, NamespacedType


def interface_class(name: str, kind: str) -> Any:
    """Return the class of ``package/kind/Name`` (or ``package/Name``).

    ``kind`` is "msg", "srv" or "action"; raises RuntimeError if there is no such interface.
    """
    package, *between, type_name = name.split("/")
    try:
        if between not in ([], [kind]):
            raise ImportError(name)
        return getattr(importlib.import_module(f"{package}.{kind}"), type_name)
    except (AttributeError, ImportError, ValueError):
        word = {"msg": "message", "srv": "service"}.get(kind, kind)
        raise RuntimeError(f"There is no {word} type '{name}'") from None


def to_yaml(message: Any, limit: int | None = None) -> str:
    """Return a message as the YAML text that ``ros2 topic echo`` prints.

    Arrays and texts are truncated to ``limit`` elements or characters.
    """
    return yaml.safe_dump(
        _plain(message, limit), allow_unicode=True, width=sys.maxsize, sort_keys=False
    )


def _plain(value: Any, limit: int | None) -> Any:
    if isinstance(value, bytes):
        value = value.decode("latin-1")
    if isinstance(value, str):
        return value if limit is None or len(value) <= limit else f"{value[:limit]}..."
    if isinstance(value, (list, tuple, array.array, numpy.ndarray)):
        items = [_plain(item, limit) for item in value[:limit]]
        return items if limit is None or len(value) <= limit else [*items, "..."]
    if isinstance(value, numpy.generic):
        return value.item()
    if isinstance(value, (bool, int, float)):
        return value
    names = value.get_fields_and_field_types()
    return {name: _plain(getattr(value, name), limit) for name in names}


def fill(message: Any, text: str) -> Any:
    """Set the fields of a message from YAML text and return it; raises RuntimeError."""
    try:
        _set(message, yaml.safe_load(text) or {})
    except yaml.YAMLError as error:
        raise RuntimeError(f"This is not valid YAML: {error}") from None
    except (AttributeError, TypeError, ValueError, OverflowError, AssertionError) as error:
        raise RuntimeError(f"These values do not fit {type(message).__name__}: {error}") from None
    return message


def _set(message: Any, values: dict[str, Any]) -> None:
    if not isinstance(values, dict):
        raise TypeError(f"A message takes a mapping of its fields, not {values!r}")
    slots = dict(zip(message.get_fields_and_field_types(), message.SLOT_TYPES, strict=True))
    for name, value in values.items():
        if name not in slots:
            raise AttributeError(f"'{type(message).__name__}' object has no attribute '{name}'")
        setattr(message, name, _typed(value, slots[name]))


def _typed(value: Any, slot_type: Any) -> Any:
    if isinstance(slot_type, NamespacedType):
        package, namespace, name = slot_type.namespaced_name()
        message = getattr(importlib.import_module(f"{package}.{namespace}"), name)()
        _set(message, value)
        return message
    if isinstance(slot_type, AbstractNestedType):
        if isinstance(value, (str, dict)) or not hasattr(value, "__iter__"):
            raise TypeError(f"An array takes a list, not {value!r}")
        return [_typed(item, slot_type.value_type) for item in value]
    if not isinstance(slot_type, BasicType):
        return str(value)
    if slot_type.typename in ("float", "double", "long double"):
        return float(value)
    if slot_type.typename == "boolean":
        return bool(value)
    if slot_type.typename == "octet":
        return value if isinstance(value, bytes) else bytes([int(value)])
    number, limits = int(value), numpy.iinfo(slot_type.typename)
    if not limits.min <= number <= limits.max:
        raise ValueError(f"{number} is not within {limits.min} to {limits.max}")
    return number
