"""The controls of a robot in its tab."""

from rigid_tree_kinematics.viewer.panels.actions import Actions, PlanOptions, Size
from rigid_tree_kinematics.viewer.panels.motion_panel import MotionPanel
from rigid_tree_kinematics.viewer.panels.obstacles_panel import NONE, ObstaclesPanel
from rigid_tree_kinematics.viewer.panels.robot_panel import LAYERS, POINTS, RobotPanel
from rigid_tree_kinematics.viewer.panels.target_panel import CURRENT, HOME, RANDOM, TargetPanel
from rigid_tree_kinematics.viewer.panels.text import Kind, caption, text_of
