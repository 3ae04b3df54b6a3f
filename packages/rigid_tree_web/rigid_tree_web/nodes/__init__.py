"""Parts of web_viewer."""

from rigid_tree_web.nodes.robot import ViewerRobot
from rigid_tree_web.nodes.slot import WORLD, RobotSlot

__all__ = ["WORLD", "RobotSlot", "ViewerRobot"]
