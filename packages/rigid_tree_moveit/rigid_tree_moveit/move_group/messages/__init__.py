"""MoveIt messages: constraints, goals, scenes and error codes, converted and checked."""

from rigid_tree_moveit.move_group.messages.codes import (
    PLANS,
    START_STATE_INVALID,
    SUCCESS,
    MoveItError,
    error_code,
    errors_at,
    outcome_in,
)
from rigid_tree_moveit.move_group.messages.constraints import (
    MOST_CONSTRAINTS,
    count_constraints,
    goals_of,
    merged_joints,
    read_constraints,
)
from rigid_tree_moveit.move_group.messages.given import Given, GroupSolver
from rigid_tree_moveit.move_group.messages.job import (
    BaseFrames,
    Job,
    MoveItRobot,
    plain_frame,
    robot_state,
)
from rigid_tree_moveit.move_group.messages.scene import (
    ChangesOf,
    apply_scene,
    change_scene,
    scene_difference,
    scene_reply,
    state_difference,
)
from rigid_tree_moveit.move_group.messages.scene_messages import (
    attached_changes,
    dropped_objects,
)
from rigid_tree_moveit.move_group.settings import (
    MoveGroupSettings,
    ToolSettings,
)
