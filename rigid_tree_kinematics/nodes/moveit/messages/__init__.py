"""MoveIt messages: constraints, goals, scenes and error codes, converted and checked."""

from rigid_tree_kinematics.nodes.moveit.messages.codes import (
    PLANS,
    START_STATE_INVALID,
    SUCCESS,
    MoveItError,
    error_code,
    errors_at,
    outcome_in,
)
from rigid_tree_kinematics.nodes.moveit.messages.constraints import (
    MOST_CONSTRAINTS,
    count_constraints,
    goals_of,
    merged_joints,
    read_constraints,
)
from rigid_tree_kinematics.nodes.moveit.messages.job import (
    BaseFrames,
    Job,
    MoveItRobot,
    plain_frame,
    robot_state,
)
from rigid_tree_kinematics.nodes.moveit.messages.scene import (
    Step,
    apply_scene,
    attached_steps,
    change_scene,
    scene_difference,
    scene_reply,
    start_state,
    state_difference,
)
from rigid_tree_kinematics.nodes.moveit.messages.scene_messages import (
    Remarks,
    dropped_objects,
)
from rigid_tree_kinematics.nodes.moveit.messages.settings import (
    MoveGroupSettings,
    ToolSettings,
    declared_controllers,
    joint_limits,
    solver_timeouts,
)
