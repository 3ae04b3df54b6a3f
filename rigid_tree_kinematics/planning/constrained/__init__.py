"""Search and shortening of paths that satisfy constraints."""

from rigid_tree_kinematics.planning.constrained.motions import motion_holds
from rigid_tree_kinematics.planning.constrained.search import HeldSearch
from rigid_tree_kinematics.planning.constrained.shortening import shorten_held

__all__ = [
    "HeldSearch",
    "motion_holds",
    "shorten_held",
]
