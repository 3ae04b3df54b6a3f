"""MoveIt messages: constraints, goals, scenes and error codes, converted and checked."""

from rigid_tree_kinematics.nodes.moveit.messages.codes import (
    PLANS,
    START_STATE_INVALID,
    SUCCESS,
    MoveItError,
    answering,
    refusing,
    tell,
)
from rigid_tree_kinematics.nodes.moveit.messages.constraints import (
    MOST_CONSTRAINTS,
    ConstraintReader,
    violates_start,
)
from rigid_tree_kinematics.nodes.moveit.messages.frames import BaseFrames, plain_frame
from rigid_tree_kinematics.nodes.moveit.messages.goals import Goals, goals_of
from rigid_tree_kinematics.nodes.moveit.messages.joint_constraints import merged_joints
from rigid_tree_kinematics.nodes.moveit.messages.robot import MoveItRobot, robot_state
from rigid_tree_kinematics.nodes.moveit.messages.scene import (
    ChangesOf,
    apply_scene,
    attaching,
    change_scene,
    scene_reply,
    scene_with,
    standing,
)
from rigid_tree_kinematics.nodes.moveit.messages.scene_files import (
    read_scene_file,
    write_scene_file,
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
    "MoveItError",
    "MoveItRobot",
    "answering",
    "apply_scene",
    "attaching",
    "change_scene",
    "goals_of",
    "merged_joints",
    "plain_frame",
    "read_scene_file",
    "refusing",
    "robot_state",
    "scene_reply",
    "scene_with",
    "standing",
    "tell",
    "violates_start",
    "write_scene_file",
]
