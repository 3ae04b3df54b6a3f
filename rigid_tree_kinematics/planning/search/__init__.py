"""Search trees, and the checks of their motions: RRT-Connect, RRT, CBiRRT and RRT*."""

from rigid_tree_kinematics.planning.search.free_goals import free_goals
from rigid_tree_kinematics.planning.search.motions import Motions, satisfies_constraints
from rigid_tree_kinematics.planning.search.rrt_star import RrtStar
from rigid_tree_kinematics.planning.search.tree_search import Found, TreeSearch

__all__ = [
    "Found",
    "Motions",
    "RrtStar",
    "TreeSearch",
    "free_goals",
    "satisfies_constraints",
]
