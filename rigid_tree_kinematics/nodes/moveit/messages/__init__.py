"""MoveIt messages: constraints, goals, scenes and error codes, converted and checked."""

from rigid_tree_kinematics.nodes.moveit.messages.codes import (
    PLANS,
    START_STATE_INVALID,
    SUCCESS,
    MoveItError,
    error_code,
    outcome_in,
)
from rigid_tree_kinematics.nodes.moveit.messages.constraints import (
    MOST_CONSTRAINTS,
    ConstraintReader,
    violates_start,
)
from rigid_tree_kinematics.nodes.moveit.messages.frames import BaseFrames, plain_frame
from rigid_tree_kinematics.nodes.moveit.messages.goals import Goals, goals_of
from rigid_tree_kinematics.nodes.moveit.messages.job import Job
from rigid_tree_kinematics.nodes.moveit.messages.joint_constraints import merged_joints
from rigid_tree_kinematics.nodes.moveit.messages.robot import MoveItRobot, robot_state
from rigid_tree_kinematics.nodes.moveit.messages.scene import (
    ChangesOf,
    apply_scene,
    change_scene,
    scene_difference,
    scene_reply,
    state_difference,
)
from rigid_tree_kinematics.nodes.moveit.messages.scene_files import (
    read_scene_file,
    write_scene_file,
)
from rigid_tree_kinematics.nodes.moveit.messages.scene_messages import (
    attached_changes,
    dropped_objects,
)

__all__ = [
    "MOST_CONSTRAINTS",
    "PLANS",
    "START_STATE_INVALID",
    "SUCCESS",
    "BaseFrames",
    "ChangesOf",
    "ConstraintReader",
    "Goals",
    "Job",
    "MoveItError",
    "MoveItRobot",
    "apply_scene",
    "attached_changes",
    "change_scene",
    "dropped_objects",
    "error_code",
    "goals_of",
    "merged_joints",
    "outcome_in",
    "plain_frame",
    "read_scene_file",
    "robot_state",
    "scene_difference",
    "scene_reply",
    "state_difference",
    "violates_start",
    "write_scene_file",
]
