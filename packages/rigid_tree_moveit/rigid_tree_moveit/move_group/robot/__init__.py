"""The robot of move_group: its groups and parameters, its frames, and requests' contexts."""

from rigid_tree_moveit.move_group.robot.base_frames import BaseFrames, plain_frame
from rigid_tree_moveit.move_group.robot.given import Given, GroupSolver
from rigid_tree_moveit.move_group.robot.moveit_robot import (
    MoveItRobot,
    present_state,
    robot_state,
)
from rigid_tree_moveit.move_group.robot.planning_context import PlanningContext
