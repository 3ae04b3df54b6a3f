"""MathWorks' RRT demo of a planar two-link arm, on the torus of its joint angles."""

from rigid_tree_kinematics.planning.planar_demo.arm import JOINTS, PLANAR_DEMO, PlanarArm
from rigid_tree_kinematics.planning.planar_demo.search import (
    DEMO_SETTINGS,
    GoalSearch,
    PlanarPlan,
    evenly,
    map_pieces,
    search_paths,
    tree_pieces,
)
