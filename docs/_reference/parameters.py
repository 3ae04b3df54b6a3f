"""The page of the nodes' parameters, made of the dataclasses that declare them."""

from __future__ import annotations

from importlib import import_module

from rigid_tree_kinematics.nodes import module_of, programs
from rigid_tree_kinematics.nodes.common.process.help_text import DeclaredParameter, declared_rows
from rigid_tree_kinematics.nodes.common.process.parameters import AT_START

INTRODUCTION = """\
# Parameters

Every parameter of every node, as the node declares it; `ros2 param describe NODE NAME` prints the
same.
A parameter that is marked *at start* is read-only while the node runs.
"""


def parameter_pages() -> dict[str, str]:
    """Return Markdown by the name of the page."""
    lines = [INTRODUCTION]
    for program in sorted(programs()):
        declared = import_module(module_of(program)).PARAMETERS
        rows = [_row(parameter) for parameter in declared_rows(declared)]
        if rows:
            heading = "| name | type | default | range | |"
            lines += [f"## {program}", "", heading, "|---|---|---|---|---|", *rows, ""]
    return {"parameters.md": "\n".join(lines) + "\n"}


def _row(parameter: DeclaredParameter) -> str:
    description = parameter.description
    if description.endswith(AT_START):
        description = f"{description.removesuffix(AT_START).strip()} *At start.*"
    rest = (parameter.type, f"`{parameter.default}`", parameter.range, description)
    return f"| `{parameter.name}` | {' | '.join(part.replace('|', '/') for part in rest)} |"
