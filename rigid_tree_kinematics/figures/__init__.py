"""Matplotlib figures: pose, limits, workspace, joint map, motions."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rigid_tree_kinematics.lazy_names import lazy_names

if TYPE_CHECKING:
    from rigid_tree_kinematics.figures.animation import animate
    from rigid_tree_kinematics.figures.joint_map import show_joint_map
    from rigid_tree_kinematics.figures.motion import sample_motion
    from rigid_tree_kinematics.figures.ranges import show_limits, show_workspace
    from rigid_tree_kinematics.figures.robot import show_robot

__all__ = [
    "animate",
    "sample_motion",
    "show_joint_map",
    "show_limits",
    "show_robot",
    "show_workspace",
]

# Imported on first use: the map of two joints needs collision checking and planning.
__getattr__ = lazy_names(__name__)


def __dir__() -> list[str]:
    return __all__
