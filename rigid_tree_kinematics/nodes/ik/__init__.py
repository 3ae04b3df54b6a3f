"""The requests, parameters and tracking of ik_server."""

from rigid_tree_kinematics.nodes.ik.parameters import IkSettings
from rigid_tree_kinematics.nodes.ik.requests import (
    ALL_WEIGHTS,
    MOST_BODIES,
    answer_fk,
    fill_solutions,
    read_query,
    solve,
)
from rigid_tree_kinematics.nodes.ik.robot import IkRobot, Problem, cached_solvers
from rigid_tree_kinematics.nodes.ik.tracking import TargetTracking, tracked_problem
