"""Conversion of robots to and from objects of other libraries.

``RigidBodyTree`` offers these as methods. The other libraries are imported on use; reading their
objects needs none of them.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from rigid_tree_kinematics.lazy_names import lazy_names

if TYPE_CHECKING:
    from rigid_tree_kinematics.conversions.to_pinocchio import PinocchioRobot, pinocchio_robot
    from rigid_tree_kinematics.conversions.to_trimesh import trimesh_scene
    from rigid_tree_kinematics.conversions.urdf_objects import (
        tree_of_urdf_objects,
        urdf_parser_robot,
    )

__all__ = [
    "PinocchioRobot",
    "pinocchio_robot",
    "tree_of_urdf_objects",
    "trimesh_scene",
    "urdf_parser_robot",
]

__getattr__ = lazy_names(__name__)


def __dir__() -> list[str]:
    return __all__
