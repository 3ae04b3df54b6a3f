"""Search trees, and the checks of their motions: RRT-Connect, AORRTC, RRT and CBiRRT."""

from rigid_tree_kinematics.planning.search.motions import (
    Motions,
    free_goals,
    satisfies_constraints,
)
from rigid_tree_kinematics.planning.search.tree_search import Found, TreeSearch
