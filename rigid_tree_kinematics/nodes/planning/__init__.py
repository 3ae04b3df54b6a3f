"""The requests, display, sensors and monitored execution of rrt_planner and move_group.

``__all__`` lists what other packages' nodes with a planner use: ``PlanningServer``, the base of
such a node, with its ``PlanningRobot``, ``PlannerSettings`` and ``SceneDisplay``;
``GoalServer``, ``Goal``, ``Cancellation``, ``wait_until``: its actions; ``WatchedDriver``,
``Controller``, ``ACTIONS``: execution; ``read_trajectory``, ``timed_message``: conversion of
trajectories; ``errors_reported``, ``START_ADVICE``, ``LONGEST_PLAN``: checks and errors of
requests.
"""

from rigid_tree_kinematics.nodes.common.process import Cancellation, Goal, GoalServer, wait_until
from rigid_tree_kinematics.nodes.common.requests import (
    START_ADVICE,
    errors_reported,
    read_trajectory,
)
from rigid_tree_kinematics.nodes.planning.controllers import ACTIONS, Controller
from rigid_tree_kinematics.nodes.planning.display import PlanDisplay, SceneDisplay
from rigid_tree_kinematics.nodes.planning.parameters import LONGEST_PLAN, PlannerSettings
from rigid_tree_kinematics.nodes.planning.planning_robot import PlanningRobot
from rigid_tree_kinematics.nodes.planning.replies import fill_reply, timed_message
from rigid_tree_kinematics.nodes.planning.requests import chosen_time_limit, read_plan
from rigid_tree_kinematics.nodes.planning.server import PlanningServer
from rigid_tree_kinematics.nodes.planning.watched_driver import WatchedDriver

__all__ = [
    "ACTIONS",
    "LONGEST_PLAN",
    "START_ADVICE",
    "Cancellation",
    "Controller",
    "Goal",
    "GoalServer",
    "PlannerSettings",
    "PlanningRobot",
    "PlanningServer",
    "SceneDisplay",
    "WatchedDriver",
    "errors_reported",
    "read_trajectory",
    "timed_message",
    "wait_until",
]
