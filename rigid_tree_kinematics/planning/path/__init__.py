"""Paths: shortcuts, rounded corners, and the remaining path during execution."""

from rigid_tree_kinematics.planning.path.remaining_path import Blockage, RemainingPath
from rigid_tree_kinematics.planning.path.rounding import Corners, corner_radii, gentle_radii
from rigid_tree_kinematics.planning.path.shortening import MOST_POINTS, resample, shorten
