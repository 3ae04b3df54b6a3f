"""Robots from and to text: URDF, xacro, (modified) DH tables, meshes, and the bundled robots."""

from rigid_tree_kinematics.description.robots import list_robots, load_robot

__all__ = ["list_robots", "load_robot"]
