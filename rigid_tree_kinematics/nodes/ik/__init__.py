"""The requests, parameters and tracking of ik_server.

``__all__`` lists what other packages' nodes use: ``IkSettings``, ``cached_solvers``, ``solve``,
and ``MOST_BODIES``, the limit of a request.
"""

from rigid_tree_kinematics.nodes.ik.requests import (
    MOST_BODIES,
    IkRobot,
    IkSettings,
    answer_fk,
    cached_solvers,
    fill_solutions,
    read_query,
    solve,
)
from rigid_tree_kinematics.nodes.ik.tracking import TargetTracking, tracking_solver

__all__ = ["MOST_BODIES", "IkSettings", "cached_solvers", "solve"]
