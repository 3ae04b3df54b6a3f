"""Robots from and to text: URDF, xacro, (modified) DH tables, meshes, and the bundled robots."""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

from rigid_tree_kinematics.description.robots import list_robots, load_robot

if TYPE_CHECKING:
    from rigid_tree_kinematics.description.link_shapes import add_link_shapes
    from rigid_tree_kinematics.description.mesh import load_mesh
    from rigid_tree_kinematics.description.packages import resolve_mesh_path
    from rigid_tree_kinematics.description.table_reader import read_table, read_table_file
    from rigid_tree_kinematics.description.urdf_reader import read_urdf, read_urdf_file
    from rigid_tree_kinematics.description.urdf_writer import write_urdf
    from rigid_tree_kinematics.description.xacro_reader import read_xacro_file, xacro_text

__all__ = [
    "add_link_shapes",
    "list_robots",
    "load_mesh",
    "load_robot",
    "read_table",
    "read_table_file",
    "read_urdf",
    "read_urdf_file",
    "read_xacro_file",
    "resolve_mesh_path",
    "write_urdf",
    "xacro_text",
]

# Parsers of XML, YAML and meshes are imported when somebody needs them.
_MODULES = {
    "add_link_shapes": "link_shapes",
    "load_mesh": "mesh",
    "read_table": "table_reader",
    "read_table_file": "table_reader",
    "read_urdf": "urdf_reader",
    "read_urdf_file": "urdf_reader",
    "read_xacro_file": "xacro_reader",
    "resolve_mesh_path": "packages",
    "write_urdf": "urdf_writer",
    "xacro_text": "xacro_reader",
}


def __getattr__(name: str) -> Any:
    if name not in _MODULES:
        raise AttributeError(f"module '{__name__}' has no attribute '{name}'")
    return getattr(importlib.import_module(f"{__name__}.{_MODULES[name]}"), name)


def __dir__() -> list[str]:
    return __all__
