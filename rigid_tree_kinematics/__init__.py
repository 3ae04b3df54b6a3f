"""Kinematics, inverse kinematics and motion planning for robots that are rigid body trees."""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

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

# Imported when somebody asks for them, so that who needs one part does not wait for all.
_ROOMS = {
    "InverseKinematics": "ik",
    "Joint": "model",
    "RigidBody": "model",
    "RigidBodyTree": "model",
    "RigidTreeError": "errors",
    "list_robots": "description",
    "load_robot": "description",
}


def __getattr__(name: str) -> Any:
    if name not in _ROOMS:
        raise AttributeError(f"module '{__name__}' has no attribute '{name}'")
    return getattr(importlib.import_module(f"{__name__}.{_ROOMS[name]}"), name)
