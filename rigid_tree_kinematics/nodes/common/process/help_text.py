"""The help of ``ros2 run PACKAGE NODE --help``, made of the dataclasses of its parameters."""

import math
import sys
import textwrap
from collections.abc import Iterable, Iterator, Mapping
from typing import Any, NamedTuple

from rigid_tree_kinematics.nodes.common.process.parameters import (
    Parameters,
    Range,
    parameter_rows,
)

WIDTH = 100
# A node's parameters: dataclasses, and descriptions of texts without a default by name.
Declared = Iterable[type[Parameters] | Mapping[str, str]]


class DeclaredParameter(NamedTuple):
    """A parameter of a node; ``default`` as in YAML, ``range`` as text."""

    name: str
    type: str
    default: str
    range: str
    description: str


def help_text(program: str, module: str, declared: Declared) -> str:
    """Return a program's description, which is its module's, its parameters and a command."""
    rows = declared_rows(declared)
    parts = [(sys.modules[module].__doc__ or program).strip()]
    parts += ["Parameters:"] if rows else []
    for row in rows:
        about = [row.type, f"default {row.default}", row.range]
        description = textwrap.fill(
            row.description, WIDTH, initial_indent="      ", subsequent_indent="      "
        )
        parts.append(f"  {row.name} ({', '.join(filter(None, about))})\n{description}")
    setting = " --ros-args -p robot:=panda" if any(row.name == "robot" for row in rows) else ""
    parts.append(f"Example:\n  ros2 run {module.partition('.')[0]} {program}{setting}")
    return "\n\n".join(parts)


def declared_rows(declared: Declared) -> list[DeclaredParameter]:
    """Return the parameters, sorted by name."""
    return sorted(row for item in declared for row in _rows(item))


def _rows(item: type[Parameters] | Mapping[str, str]) -> Iterator[DeclaredParameter]:
    if isinstance(item, Mapping):
        for name, text in item.items():
            yield DeclaredParameter(name, "string", '""', "", text)
        return
    for field, name, own_type, declaration in parameter_rows(item):
        yield DeclaredParameter(
            name,
            _type_name(own_type),
            _default(field.default),
            _range(declaration.range),
            declaration.description,
        )


def _type_name(kind: Any) -> str:
    names = {bool: "bool", int: "integer", float: "double", str: "string"}
    return names.get(kind) or f"{names[kind.__args__[0]]}[]"


def _default(value: Any) -> str:
    if isinstance(value, tuple):
        return f"[{', '.join(_default(item) for item in value)}]"
    if isinstance(value, bool):
        return str(value).lower()
    return f'"{value}"' if isinstance(value, str) else str(value)


def _range(bounds: Range) -> str:
    if math.isinf(bounds.low) and math.isinf(bounds.high):
        return ""
    return f"{'0, or ' if bounds.or_zero else ''}{bounds.low:g} to {bounds.high:g}"
