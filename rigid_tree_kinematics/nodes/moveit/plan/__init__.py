"""Plans and inverse kinematics for the requests of MoveIt clients."""

from rigid_tree_kinematics.nodes.moveit.plan.cartesian import follow_line
from rigid_tree_kinematics.nodes.moveit.plan.kinematics import answer_fk, solve_ik
from rigid_tree_kinematics.nodes.moveit.plan.planning import (
    PIPELINE,
    PLANNER_IDS,
    plan,
    planner_warning,
)
from rigid_tree_kinematics.nodes.moveit.plan.prescribed import (
    PILZ_PIPELINE,
    PILZ_PLANNER_IDS,
    ToolSettings,
)
from rigid_tree_kinematics.nodes.moveit.plan.requests import planning_time, scaling_warning
from rigid_tree_kinematics.nodes.moveit.plan.sequence import plan_sequence
