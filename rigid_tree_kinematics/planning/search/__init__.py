"""Search trees: RRT-Connect, RRT and RRT*."""

from rigid_tree_kinematics.planning.search.free_goals import free_goals
from rigid_tree_kinematics.planning.search.rrt_star import RrtStar
from rigid_tree_kinematics.planning.search.search import BUDGET, Found, Motions, TreeSearch
from rigid_tree_kinematics.planning.search.tree_search import (
    CONNECT,
    COUNT,
    FROM,
    MEETING,
    PHASE,
    REACH,
    SIDE,
)

__all__ = [
    "BUDGET",
    "CONNECT",
    "COUNT",
    "FROM",
    "MEETING",
    "PHASE",
    "REACH",
    "SIDE",
    "Found",
    "Motions",
    "RrtStar",
    "TreeSearch",
    "free_goals",
]
