"""What ik_server is made of."""

from rigid_tree_kinematics.nodes.ik.parameters import IkSettings
from rigid_tree_kinematics.nodes.ik.requests import (
    ALL_WEIGHTS,
    MOST_BODIES,
    Query,
    answer_fk,
    fill_solutions,
    read_query,
    solve,
)
from rigid_tree_kinematics.nodes.ik.robot import IkRobot, Problem
from rigid_tree_kinematics.nodes.ik.tracking import TargetTracking, tracked_problem

__all__ = [
    "ALL_WEIGHTS",
    "MOST_BODIES",
    "IkRobot",
    "IkSettings",
    "Problem",
    "Query",
    "TargetTracking",
    "answer_fk",
    "fill_solutions",
    "read_query",
    "solve",
    "tracked_problem",
]
