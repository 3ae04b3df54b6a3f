"""The exact level: distances and contacts from coal."""

from rigid_tree_kinematics.collision.exact.exact import ExactLevel
from rigid_tree_kinematics.collision.exact.placed_solids import Contact, Distance
