"""Figures of robots, in matplotlib: the robot itself, its limits, its spaces, its motions."""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from rigid_tree_kinematics.figures.animation import animate
    from rigid_tree_kinematics.figures.joint_map import show_joint_map
    from rigid_tree_kinematics.figures.limits import show_limits
    from rigid_tree_kinematics.figures.robot import show_robot
    from rigid_tree_kinematics.figures.workspace import show_workspace

__all__ = ["animate", "show_joint_map", "show_limits", "show_robot", "show_workspace"]

# The map of two joints brings collision checking and planning with it.
_MODULES = {
    "animate": "animation",
    "show_joint_map": "joint_map",
    "show_limits": "limits",
    "show_robot": "robot",
    "show_workspace": "workspace",
}


def __getattr__(name: str) -> Any:
    if name not in _MODULES:
        raise AttributeError(f"module '{__name__}' has no attribute '{name}'")
    return getattr(importlib.import_module(f"{__name__}.{_MODULES[name]}"), name)


def __dir__() -> list[str]:
    return __all__
