"""The controls of a robot in its tab."""

from rigid_tree_web.panels.actions import (
    KEPT,
    NOTHING,
    ORIENTATION,
    Z_AXIS,
    Actions,
    PlanOptions,
    Size,
)
from rigid_tree_web.panels.markup import caption
from rigid_tree_web.panels.motion_panel import MotionPanel
from rigid_tree_web.panels.obstacles_panel import NONE, ObstaclesPanel
from rigid_tree_web.panels.robot_panel import LAYERS, POINTS, MessageKind, RobotPanel
from rigid_tree_web.panels.target_panel import CURRENT, HOME, NO_TARGET, RANDOM, TargetPanel
