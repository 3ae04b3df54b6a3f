"""MoveIt messages: constraints, goals and scenes, converted and checked."""

from rigid_tree_moveit.move_group.messages.constraints import (
    MOST_CONSTRAINTS,
    Goals,
    count_constraints,
    goals_of,
    read_constraints,
    read_path_constraints,
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
