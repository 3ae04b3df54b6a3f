"""Values of message fields in the types that ROS needs.

rclpy does not check them. Depending on how the messages were compiled, a wrong type ends the
process, or other numbers are sent.
"""

import math
import re
from array import array
from functools import cache
from typing import Any

import numpy as np

from rigid_tree_kinematics.text import told_apart
from rigid_tree_moveit.commander.errors import CommanderError

SEQUENCE = re.compile(r"sequence<([^,>]+)(?:, (\d+))?>")
ARRAY = re.compile(r"(.+)\[(\d+)\]")
# What needs no conversion: most fields, and the corners of triangles.
EXACT = {"double": float, "float": float, "string": str, "boolean": bool}
TYPED = {"double": np.dtype("float64"), "uint32": np.dtype("uint32")}


def number(name: str, value: Any, least: float = -math.inf, most: float = math.inf) -> float:
    """Return a number as a float; raises CommanderError unless it is finite and in this range."""
    found: float = converted(name, "double", value)
    if not (math.isfinite(found) and least <= found <= most):
        value, low, high = told_apart(found, least, most)
        raise CommanderError(f"{name} must be finite, {low} to {high}, not {value}")
    return found


def converted(name: str, kind: str, value: Any) -> Any:
    """Return a value as ROS's type of a field, such as "double", "sequence<string>".

    Messages are converted in place. Raises CommanderError.
    """
    try:
        if several := _several(kind):
            return _elements(name, several, value)
        return _message(name, kind, value) if "/" in kind else _scalar(kind, value)
    except (TypeError, ValueError, OverflowError):
        found = f"{value!r:.100} ({type(value).__name__})"
        raise CommanderError(f"{name} must be a ROS {kind}, not {found}") from None


def convert_fields(message: Any, name: str = "") -> None:
    """Convert all fields of a message in place; raises CommanderError."""
    for field, kind in _kinds(message.__class__):
        value = getattr(message, field)
        if type(value) is not EXACT.get(kind):
            found = converted(name + field, kind, value)
            if found is not value:
                setattr(message, field, found)


@cache
def _kinds(message: Any) -> list[tuple[str, str]]:
    return list(message.get_fields_and_field_types().items())


@cache
def _several(kind: str) -> tuple[str, int, float] | None:
    """Return the kind of elements and the least and greatest length; None for a single value."""
    if found := ARRAY.fullmatch(kind):
        return found[1], int(found[2]), int(found[2])
    found = SEQUENCE.fullmatch(kind)
    return (found[1], 0, float(found[2] or "inf")) if found else None


def _elements(name: str, several: tuple[str, int, float], values: Any) -> Any:
    kind, least, most = several
    if isinstance(values, str) or not least <= len(values) <= most:
        raise ValueError
    if isinstance(values, array) or getattr(values, "dtype", "") is TYPED.get(kind):
        return values
    return [converted(f"{name}[{k}]", kind, value) for k, value in enumerate(values)]


def _message(name: str, kind: str, value: Any) -> Any:
    if kind != f"{type(value).__module__.partition('.')[0]}/{type(value).__name__}":
        raise TypeError
    convert_fields(value, f"{name}.")
    return value


def _scalar(kind: str, value: Any) -> Any:
    if isinstance(value, str | bytes) or kind in ("string", "octet"):
        if not isinstance(value, {"string": str, "octet": bytes}.get(kind, ())):
            raise TypeError
        return value
    if kind in ("double", "float"):
        return float(value)
    whole = int(value)
    limits = (0, 1) if kind == "boolean" else (np.iinfo(kind).min, np.iinfo(kind).max)
    if whole != value or not limits[0] <= whole <= limits[1]:
        raise ValueError
    return bool(whole) if kind == "boolean" else whole
