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
from rigid_tree_moveit.move_group.messages.objects import Remarks
from rigid_tree_moveit.move_group.messages.scene import (
    Step,
    apply_scene,
    attached_steps,
    change_scene,
    dropped_objects,
    scene_difference,
    scene_reply,
    start_state,
    state_difference,
)
from rigid_tree_moveit.move_group.settings import (
    MoveGroupSettings,
    ToolSettings,
)
