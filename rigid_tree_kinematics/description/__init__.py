"""Reads and writes robots: URDF, xacro, SDF, MJCF, DH tables, meshes, the bundled robots."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rigid_tree_kinematics.description.robots import list_robots, load_robot, read_description
from rigid_tree_kinematics.lazy_names import lazy_names

if TYPE_CHECKING:
    from rigid_tree_kinematics.description.meshes import (
        add_link_shapes,
        load_mesh,
        resolve_mesh_path,
    )
    from rigid_tree_kinematics.description.mjcf import mjcf_srdf, read_mjcf, read_mjcf_file
    from rigid_tree_kinematics.description.other_packages import use_real_meshes
    from rigid_tree_kinematics.description.sdf import read_sdf, read_sdf_file
    from rigid_tree_kinematics.description.srdf import read_semantics
    from rigid_tree_kinematics.description.table import read_table, read_table_file
    from rigid_tree_kinematics.description.urdf import (
        read_urdf,
        read_urdf_file,
        read_xacro_file,
        write_urdf,
        xacro_text,
    )

__all__ = [
    "add_link_shapes",
    "list_robots",
    "load_mesh",
    "load_robot",
    "mjcf_srdf",
    "read_description",
    "read_mjcf",
    "read_mjcf_file",
    "read_sdf",
    "read_sdf_file",
    "read_semantics",
    "read_table",
    "read_table_file",
    "read_urdf",
    "read_urdf_file",
    "read_xacro_file",
    "resolve_mesh_path",
    "use_real_meshes",
    "write_urdf",
    "xacro_text",
]

# Parsers of XML, YAML and meshes are imported on first use.
__getattr__ = lazy_names(__name__)


def __dir__() -> list[str]:
    return __all__
