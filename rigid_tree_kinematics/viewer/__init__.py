"""A page in the browser that shows robots: their bodies, frames, sliders and targets (viser)."""

from rigid_tree_kinematics.viewer.balance import BalanceView
from rigid_tree_kinematics.viewer.keyboard import KEYS, add_keys, add_picture_button
from rigid_tree_kinematics.viewer.layers import LAYERS, POINTS
from rigid_tree_kinematics.viewer.motion_panel import MotionPanel
from rigid_tree_kinematics.viewer.page import close_page, open_page
from rigid_tree_kinematics.viewer.panel import Actions, RobotPanel
from rigid_tree_kinematics.viewer.robot_model import Position, Quaternion, RobotModel
from rigid_tree_kinematics.viewer.target import Target

__all__ = [
    "KEYS",
    "LAYERS",
    "POINTS",
    "Actions",
    "BalanceView",
    "MotionPanel",
    "Position",
    "Quaternion",
    "RobotModel",
    "RobotPanel",
    "Target",
    "add_keys",
    "add_picture_button",
    "close_page",
    "open_page",
]
