"""What web_viewer is made of."""

from rigid_tree_kinematics.nodes.viewer.motion import UserMotion
from rigid_tree_kinematics.nodes.viewer.robot import ViewerRobot
from rigid_tree_kinematics.nodes.viewer.robot_view import WORLD, Stand

__all__ = [
    "WORLD",
    "Stand",
    "UserMotion",
    "ViewerRobot",
]
