"""The page of the nodes' parameters, made of the dataclasses that declare them."""

from __future__ import annotations

import ast
import importlib
import math
from collections.abc import Iterator
from dataclasses import fields
from pathlib import Path
from typing import Any, get_type_hints

import rigid_tree_kinematics
from rigid_tree_kinematics.nodes import module_of
from rigid_tree_kinematics.nodes.common.process.parameters import AT_START, Parameters, Range
from rigid_tree_kinematics.nodes.common.robot import robot_source

PACKAGE = Path(rigid_tree_kinematics.__file__).parent
NODES = "rigid_tree_kinematics.nodes"
INTRODUCTION = """\
# Parameters

Every parameter of every node, as the node declares it; `ros2 param describe NODE NAME` prints the
same.
A parameter that is marked *at start* is read-only while the node runs.
"""
Row = tuple[str, str, str, str, str]  # name, type, default, range, description


def parameter_pages() -> dict[str, str]:
    """Return Markdown by the name of the page."""
    lines = [INTRODUCTION]
    programs = [*(PACKAGE / "nodes").glob("*.py"), *(PACKAGE / "nodes" / "tools").glob("*.py")]
    for program in sorted(path.stem for path in programs if path.stem != "__init__"):
        rows = [row for module in _modules_of(module_of(program)) for row in _rows(module)]
        if rows:
            lines += [f"## {program}", "", *_table(sorted(set(rows)))]
    return {"parameters.md": "\n".join(lines) + "\n"}


def _modules_of(name: str) -> list[str]:
    """Return a node's module, and those of the package's nodes that it is made of."""
    found, ahead = {name}, [name]
    while ahead:
        for module in _imported(ahead.pop()).values():
            if module.startswith(f"{NODES}.") and module not in found:
                found.add(module)
                ahead.append(module)
    return sorted(found)


def _imported(name: str) -> dict[str, str]:
    """Return the module that defines each name which a module imports; doors are seen through."""
    defined = {}
    for node in ast.walk(_source(name)):
        if isinstance(node, ast.ImportFrom) and (node.module or "").startswith(f"{NODES}."):
            module = node.module or ""
            for alias in node.names:
                own = module
                if _path(f"{module}.{alias.name}").exists():
                    own = f"{module}.{alias.name}"
                elif _path(module).name == "__init__.py":
                    own = _imported(module).get(alias.name, "")
                defined[alias.asname or alias.name] = own
    return defined


def _source(name: str) -> ast.Module:
    return ast.parse(_path(name).read_text(encoding="utf-8"))


def _path(name: str) -> Path:
    """Return the file of a module; of a package, the ``__init__.py``."""
    path = PACKAGE.parent / Path(*name.split("."))
    return path / "__init__.py" if path.is_dir() else path.with_suffix(".py")


def _rows(name: str) -> Iterator[Row]:
    """Yield the parameters that a module declares: ``Settings.declare(...)``, ``RobotSource``."""
    for call in ast.walk(_source(name)):
        if not isinstance(call, ast.Call):
            continue
        match call.func:
            case ast.Attribute(value=ast.Name(id=declaring), attr="declare"):
                kind = getattr(importlib.import_module(name), declaring, None)
                if isinstance(kind, type) and issubclass(kind, Parameters):
                    yield from _declared(kind)
            case ast.Name(id="RobotSource"):
                for own, text in robot_source.PARAMETERS.items():
                    yield own, "string", '`""`', "", text


def _declared(kind: type[Parameters]) -> Iterator[Row]:
    hints = get_type_hints(kind)
    for item in fields(kind):
        declaration = item.metadata["declaration"]
        description = declaration.description
        if declaration.start_only:
            description = f"{description.removesuffix(AT_START).strip()} *At start.*"
        yield (
            declaration.name or item.name,
            _type_name(hints[item.name]),
            f"`{_default(item.default)}`",
            _range(declaration.range),
            description,
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


def _table(rows: list[Row]) -> Iterator[str]:
    yield from ("| name | type | default | range | |", "|---|---|---|---|---|")
    for name, *rest in rows:
        yield f"| `{name}` | {' | '.join(part.replace('|', '/') for part in rest)} |"
    yield ""
