"""The exact level: distances and contacts from coal."""

from rigid_tree_kinematics.collision.exact.answers import Contact, Distance
from rigid_tree_kinematics.collision.exact.exact import ExactLevel
