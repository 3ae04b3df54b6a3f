"""The requests, parameters and tracking of ik_server."""

from rigid_tree_kinematics.nodes.ik.parameters import IkSettings
from rigid_tree_kinematics.nodes.ik.requests import (
    ALL_WEIGHTS,
    MOST_BODIES,
    IkRobot,
    Problem,
    answer_fk,
    cached_solvers,
    fill_solutions,
    read_query,
    solve,
)
from rigid_tree_kinematics.nodes.ik.tracking import TargetTracking, tracked_problem
