"""Search trees: RRT-Connect, RRT and RRT*."""

from rigid_tree_kinematics.planning.search import tree_search
from rigid_tree_kinematics.planning.search.free_goals import free_goals
from rigid_tree_kinematics.planning.search.rrt_star import RrtStar
from rigid_tree_kinematics.planning.search.search import BUDGET, Found, Motions, TreeSearch

__all__ = [
    "BUDGET",
    "Found",
    "Motions",
    "RrtStar",
    "TreeSearch",
    "free_goals",
    "tree_search",
]
