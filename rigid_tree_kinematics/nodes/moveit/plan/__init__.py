"""Plans and inverse kinematics for the requests of MoveIt clients."""

from rigid_tree_kinematics.nodes.moveit.plan.kinematics import answer_fk, solve_ik
from rigid_tree_kinematics.nodes.moveit.plan.planner_params import read_params, write_params
from rigid_tree_kinematics.nodes.moveit.plan.planning import (
    PIPELINE,
    PLANNER_IDS,
    follow_line,
    general_settings,
    odd_scales,
    plan,
    planning_time,
    speed_limit,
    timed_trajectory,
)
from rigid_tree_kinematics.nodes.moveit.plan.prescribed import (
    PILZ_PIPELINE,
    PILZ_PLANNER_IDS,
    ToolSettings,
    plan_prescribed,
    prescribes,
)

__all__ = [
    "PILZ_PIPELINE",
    "PILZ_PLANNER_IDS",
    "PIPELINE",
    "PLANNER_IDS",
    "ToolSettings",
    "answer_fk",
    "follow_line",
    "general_settings",
    "odd_scales",
    "plan",
    "plan_prescribed",
    "planning_time",
    "prescribes",
    "read_params",
    "solve_ik",
    "speed_limit",
    "timed_trajectory",
    "write_params",
]
