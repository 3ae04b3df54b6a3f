"""The page of the nodes' parameters, made of the dataclasses that declare them."""

from __future__ import annotations

from pathlib import Path

import rigid_tree_kinematics
from rigid_tree_kinematics.node_help import DeclaredParameter, parameters_of
from rigid_tree_kinematics.nodes.common.process.parameters import AT_START

PACKAGE = Path(rigid_tree_kinematics.__file__).parent
INTRODUCTION = """\
# Parameters

Every parameter of every node, as the node declares it; `ros2 param describe NODE NAME` prints the
same.
A parameter that is marked *at start* is read-only while the node runs.
"""


def parameter_pages() -> dict[str, str]:
    """Return Markdown by the name of the page."""
    lines = [INTRODUCTION]
    programs = [*(PACKAGE / "nodes").glob("*.py"), *(PACKAGE / "nodes" / "tools").glob("*.py")]
    for program in sorted(path.stem for path in programs if path.stem != "__init__"):
        rows = [_row(parameter) for parameter in parameters_of(program)]
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
