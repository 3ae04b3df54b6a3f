"""MoveIt's move_group as the planner of the page; needs moveit_msgs."""

from rigid_tree_web.nodes.moveit.client import MoveGroupClient

__all__ = ["MoveGroupClient"]
