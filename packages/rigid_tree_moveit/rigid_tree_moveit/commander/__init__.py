"""A client of move_group with the names of MoveIt's Python interfaces.

``MoveGroupCommander``, ``RobotCommander`` and ``PlanningSceneInterface`` replace those of
moveit_commander; ``MoveItPy`` and the others replace those of moveit_py. They use the ROS
interface of a running move_group, this package's or MoveIt's.
"""

import sys
from collections.abc import Sequence

from rigid_tree_moveit.commander.connection import close_all
from rigid_tree_moveit.commander.errors import CommanderError
from rigid_tree_moveit.commander.goals import list_to_pose, pose_to_list
from rigid_tree_moveit.commander.move_group import MoveGroupCommander
from rigid_tree_moveit.commander.moveit_py import (
    MoveItPy,
    MultiPipelinePlanRequestParameters,
    PlanningComponent,
    PlanningSceneMonitor,
    PlanRequestParameters,
    RobotTrajectory,
)
from rigid_tree_moveit.commander.robot_state import (
    RobotCommander,
    RobotModel,
    RobotState,
    construct_joint_constraint,
)
from rigid_tree_moveit.commander.scene_interface import PlanningSceneInterface

__all__ = [
    "CommanderError",
    "MoveGroupCommander",
    "MoveItCommanderException",
    "MoveItPy",
    "MultiPipelinePlanRequestParameters",
    "PlanRequestParameters",
    "PlanningComponent",
    "PlanningSceneInterface",
    "PlanningSceneMonitor",
    "RobotCommander",
    "RobotModel",
    "RobotState",
    "RobotTrajectory",
    "construct_joint_constraint",
    "list_to_pose",
    "pose_to_list",
    "roscpp_initialize",
    "roscpp_shutdown",
]

MoveItCommanderException = CommanderError
roscpp_shutdown = close_all


def roscpp_initialize(args: Sequence[str] = sys.argv) -> None:
    """Do nothing: clients are started when they are needed."""
