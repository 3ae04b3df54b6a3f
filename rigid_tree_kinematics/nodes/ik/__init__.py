"""The requests, parameters and tracking of ik_server."""

from rigid_tree_kinematics.nodes.ik.requests import (
    IkRobot,
    IkSettings,
    answer_fk,
    fill_solutions,
    read_query,
    solve,
)
from rigid_tree_kinematics.nodes.ik.tracking import TargetTracking, tracking_solver
