"""The help of ``ros2 run rigid_tree_kinematics NODE --help``.

The parameters are read from the sources, without creating a node.
"""

import ast
import importlib
import math
import textwrap
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

from rigid_tree_kinematics.nodes import module_of
from rigid_tree_kinematics.nodes.common.process import Parameters, Range
from rigid_tree_kinematics.nodes.common.process.parameters import parameter_rows
from rigid_tree_kinematics.nodes.common.robot import robot_source

PACKAGE = Path(__file__).resolve().parent
NODES = f"{PACKAGE.name}.nodes"
WIDTH = 100


class DeclaredParameter(NamedTuple):
    """A parameter of a node; ``default`` as in YAML, ``range`` as text."""

    name: str
    type: str
    default: str
    range: str
    description: str


def help_of(program: str) -> str:
    """Return a program's description, parameters and example command."""
    declared = parameters_of(program)
    parts = [ast.get_docstring(_source(module_of(program))) or program]
    parts += ["Parameters:"] if declared else []
    for parameter in declared:
        about = [parameter.type, f"default {parameter.default}", parameter.range]
        description = textwrap.fill(
            parameter.description, WIDTH, initial_indent="      ", subsequent_indent="      "
        )
        parts.append(f"  {parameter.name} ({', '.join(filter(None, about))})\n{description}")
    setting = " --ros-args -p robot:=panda" if any(p.name == "robot" for p in declared) else ""
    parts.append(f"Example:\n  ros2 run {PACKAGE.name} {program}{setting}")
    return "\n\n".join(parts)


def parameters_of(program: str) -> list[DeclaredParameter]:
    """Return the parameters that a program's node declares, sorted by name."""
    modules = _modules_of(module_of(program))
    return sorted({row for module in modules for row in _rows(module)})


def _modules_of(name: str) -> list[str]:
    """Return a node's module and the modules of nodes that it imports."""
    found, ahead = {name}, [name]
    while ahead:
        for module in _imported(ahead.pop()).values():
            if module.startswith(f"{NODES}.") and module not in found:
                found.add(module)
                ahead.append(module)
    return sorted(found)


def _imported(name: str) -> dict[str, str]:
    """Return the defining module of each name that a module imports, also through packages."""
    defined = {}
    for node in ast.walk(_source(name)):
        if isinstance(node, ast.ImportFrom) and f"{node.module}.".startswith(f"{NODES}."):
            module = node.module or ""
            for alias in node.names:
                own = module
                if _path(f"{module}.{alias.name}").exists():
                    own = f"{module}.{alias.name}"
                elif _path(module).name == "__init__.py":
                    own = _imported(module).get(alias.name, module)
                defined[alias.asname or alias.name] = own
    return defined


def _source(name: str) -> ast.Module:
    return ast.parse(_path(name).read_text(encoding="utf-8"))


def _path(name: str) -> Path:
    """Return the file of a module; of a package, the ``__init__.py``."""
    path = PACKAGE.parent / Path(*name.split("."))
    door = path / "__init__.py"
    return door if door.exists() else path.with_suffix(".py")


def _rows(name: str) -> Iterator[DeclaredParameter]:
    """Yield a module's parameters, from ``Settings.declare(...)`` and ``RobotSource``."""
    for call in ast.walk(_source(name)):
        if not isinstance(call, ast.Call):
            continue
        match call.func:
            case ast.Attribute(value=ast.Name() | ast.Attribute() as declaring, attr="declare"):
                kind = _defined(name, ast.unparse(declaring))
                if isinstance(kind, type) and issubclass(kind, Parameters):
                    yield from _declared(kind)
            case ast.Name(id="RobotSource"):
                for own, text in robot_source.PARAMETERS.items():
                    yield DeclaredParameter(own, "string", '""', "", text)


def _defined(name: str, dotted: str) -> Any:
    """Return the definition that a module refers to as ``name`` or ``module.name``."""
    *room, own = dotted.split(".")
    for part in room:
        name = _imported(name).get(part, name)
    return getattr(importlib.import_module(_imported(name).get(own) or name), own, None)


def _declared(kind: type[Parameters]) -> Iterator[DeclaredParameter]:
    for item, name, own_type, declaration in parameter_rows(kind):
        yield DeclaredParameter(
            name,
            _type_name(own_type),
            _default(item.default),
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
