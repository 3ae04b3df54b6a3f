"""Figures of robots, in matplotlib: the robot itself, its joint limits, its workspace."""

from rigid_tree_kinematics.figures.limits import show_limits
from rigid_tree_kinematics.figures.robot import show_robot
from rigid_tree_kinematics.figures.workspace import show_workspace

__all__ = ["show_limits", "show_robot", "show_workspace"]
