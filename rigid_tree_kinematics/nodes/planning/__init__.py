"""The requests, display, sensors and monitored execution of rrt_planner and move_group."""

from rigid_tree_kinematics.nodes.planning.controllers import ACTIONS, Controller
from rigid_tree_kinematics.nodes.planning.display import PlanDisplay, SceneDisplay
from rigid_tree_kinematics.nodes.planning.parameters import LONGEST_PLAN, PlannerSettings
from rigid_tree_kinematics.nodes.planning.requests import (
    chosen_time_limit,
    fill_reply,
    plan_straight_line,
    read_plan,
    timed_message,
)
from rigid_tree_kinematics.nodes.planning.server import PlanningRobot, PlanningServer
from rigid_tree_kinematics.nodes.planning.watched_driver import WatchedDriver, WatchedMotion
