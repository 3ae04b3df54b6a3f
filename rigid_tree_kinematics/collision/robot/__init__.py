"""The solids of a robot's bodies, and how far a motion can move them."""

from rigid_tree_kinematics.collision.robot.chains import chains_of, joint_axes
from rigid_tree_kinematics.collision.robot.parts import (
    Part,
    approach,
    hull_reach,
    make_part,
    neighbours,
    pair_reach,
    rigid_groups,
)
from rigid_tree_kinematics.collision.robot.reach import Range, reach_of_balls
from rigid_tree_kinematics.collision.robot.sight import BodySolids
from rigid_tree_kinematics.collision.robot.solids import Solid, points_solid, solids_of_placed

__all__ = [
    "BodySolids",
    "Part",
    "Range",
    "Solid",
    "approach",
    "chains_of",
    "hull_reach",
    "joint_axes",
    "make_part",
    "neighbours",
    "pair_reach",
    "points_solid",
    "reach_of_balls",
    "rigid_groups",
    "solids_of_placed",
]
