"""Robots from and to the objects of other libraries.

``RigidBodyTree`` offers all of this as methods; the other libraries are imported when they are
needed, and reading their objects takes none of them.
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from rigid_tree_kinematics.conversions.from_urdf_objects import tree_of_urdf_objects
    from rigid_tree_kinematics.conversions.to_pinocchio import PinocchioRobot, pinocchio_robot
    from rigid_tree_kinematics.conversions.to_trimesh import trimesh_scene
    from rigid_tree_kinematics.conversions.to_urdf_parser import urdf_parser_robot

__all__ = [
    "PinocchioRobot",
    "pinocchio_robot",
    "tree_of_urdf_objects",
    "trimesh_scene",
    "urdf_parser_robot",
]

_MODULES = {
    "PinocchioRobot": "to_pinocchio",
    "pinocchio_robot": "to_pinocchio",
    "tree_of_urdf_objects": "from_urdf_objects",
    "trimesh_scene": "to_trimesh",
    "urdf_parser_robot": "to_urdf_parser",
}


def __getattr__(name: str) -> Any:
    if name not in _MODULES:
        raise AttributeError(f"module '{__name__}' has no attribute '{name}'")
    return getattr(importlib.import_module(f"{__name__}.{_MODULES[name]}"), name)


def __dir__() -> list[str]:
    return __all__
