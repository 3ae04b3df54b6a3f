"""Conversion of robots to and from objects of other libraries.

The other libraries are imported on use; reading their objects needs none of them.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from rigid_tree_kinematics.lazy_names import lazy_names

if TYPE_CHECKING:
    from rigid_tree_kinematics.conversions.pinocchio_robot import PinocchioRobot, to_pinocchio
    from rigid_tree_kinematics.conversions.trimesh_scene import to_trimesh
    from rigid_tree_kinematics.conversions.urdf_objects import (
        from_urdf_parser,
        from_yourdfpy,
        to_urdf_parser,
    )

__all__ = [
    "PinocchioRobot",
    "from_urdf_parser",
    "from_yourdfpy",
    "to_pinocchio",
    "to_trimesh",
    "to_urdf_parser",
]

__getattr__ = lazy_names(__name__)


def __dir__() -> list[str]:
    return __all__
