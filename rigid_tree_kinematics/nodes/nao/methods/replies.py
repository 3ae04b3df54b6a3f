"""Conversion of the value that a method returns to the fields of its reply."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from rigid_tree_kinematics.nao.model import NaoBody

# Writes a returned value to a reply: fill(value, reply, arguments of the method, body).
Fill = Callable[[Any, Any, Sequence[Any], NaoBody], None]


def nothing(value: Any, reply: Any, arguments: Sequence[Any], body: NaoBody) -> None:
    """Leave the reply as it is: the method returns nothing."""


def into(field: str, convert: Callable[[Any], Any]) -> Fill:
    """Return a filler that writes the converted value to one field."""

    def fill(value: Any, reply: Any, arguments: Sequence[Any], body: NaoBody) -> None:
        setattr(reply, field, convert(value))

    return fill


def names_and_values(convert: Callable[[Any], Any]) -> Fill:
    """Return a filler for names and values, from pairs or from two lists (getRobotConfig)."""

    def fill(value: Any, reply: Any, arguments: Sequence[Any], body: NaoBody) -> None:
        rows = list(value)
        if len(rows) == 2 and len(rows[0]) > 2:
            names, values = rows
        else:
            names, values = [row[0] for row in rows], [row[1] for row in rows]
        reply.names = texts(names)
        reply.values = [convert(entry) for entry in values]

    return fill


def numbers(value: Any) -> list[float]:
    """Return one number, or several, as a list of Python floats."""
    return [float(number) for number in (value if isinstance(value, (list, tuple)) else [value])]


def texts(value: Any) -> list[str]:
    """Return a list of strings."""
    return [str(text) for text in value]


FLAG = into("value", bool)
DONE = into("value", lambda value: value is None or bool(value))  # some robots return nothing
NUMBER = into("value", float)
TEXT = into("text", str)
NAMES = into("names", texts)
