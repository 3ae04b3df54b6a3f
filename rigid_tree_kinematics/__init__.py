"""Kinematics, inverse kinematics and motion planning for robots that are rigid body trees."""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

from rigid_tree_kinematics.description import list_robots, load_robot
from rigid_tree_kinematics.errors import RigidTreeError
from rigid_tree_kinematics.model import Joint, RigidBody, RigidBodyTree

if TYPE_CHECKING:
    from rigid_tree_kinematics.ik import InverseKinematics

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

# Solvers load compiled kernels: imported when somebody asks for them, so that the model is light.
_LAZY = {"InverseKinematics": "rigid_tree_kinematics.ik"}


def __getattr__(name: str) -> Any:
    if name not in _LAZY:
        raise AttributeError(f"module '{__name__}' has no attribute '{name}'")
    return getattr(importlib.import_module(_LAZY[name]), name)
