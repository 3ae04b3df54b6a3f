"""Parts of web_viewer."""

from rigid_tree_kinematics.nodes.viewer.motion import UserMotion
from rigid_tree_kinematics.nodes.viewer.robot import ViewerRobot
from rigid_tree_kinematics.nodes.viewer.slot import WORLD, RobotSlot

__all__ = ["WORLD", "RobotSlot", "UserMotion", "ViewerRobot"]
