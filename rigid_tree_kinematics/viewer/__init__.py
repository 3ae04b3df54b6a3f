"""A page in the browser that shows robots: their bodies, frames, sliders and targets (viser)."""

from rigid_tree_kinematics.viewer.balance import BalanceView
from rigid_tree_kinematics.viewer.guard import EVERYWHERE, Guard
from rigid_tree_kinematics.viewer.keyboard import KEYS, add_keys, add_picture_button
from rigid_tree_kinematics.viewer.motion_panel import MotionPanel
from rigid_tree_kinematics.viewer.page import close_page, open_page
from rigid_tree_kinematics.viewer.panel import LAYERS, POINTS, Actions, RobotPanel
from rigid_tree_kinematics.viewer.robot_model import Position, Quaternion, RobotModel
from rigid_tree_kinematics.viewer.target import Target
from rigid_tree_kinematics.viewer.text import caption, text_of

__all__ = [
    "EVERYWHERE",
    "KEYS",
    "LAYERS",
    "POINTS",
    "Actions",
    "BalanceView",
    "Guard",
    "MotionPanel",
    "Position",
    "Quaternion",
    "RobotModel",
    "RobotPanel",
    "Target",
    "add_keys",
    "add_picture_button",
    "caption",
    "close_page",
    "open_page",
    "text_of",
]
