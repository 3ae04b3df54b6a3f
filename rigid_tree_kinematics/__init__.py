"""Kinematics, inverse kinematics and motion planning for trees of rigid bodies."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rigid_tree_kinematics.lazy_names import lazy_names

if TYPE_CHECKING:
    from rigid_tree_kinematics.description import list_robots, load_robot
    from rigid_tree_kinematics.errors import RigidTreeError
    from rigid_tree_kinematics.ik import InverseKinematics
    from rigid_tree_kinematics.model import Joint, RigidBody, RigidBodyTree

__version__ = "0.1.0"

__all__ = [
    "InverseKinematics",
    "Joint",
    "RigidBody",
    "RigidBodyTree",
    "RigidTreeError",
    "__version__",
    "list_robots",
    "load_robot",
]

# Imported on first use: a program that needs one part does not load the others.
__getattr__ = lazy_names(__name__)
