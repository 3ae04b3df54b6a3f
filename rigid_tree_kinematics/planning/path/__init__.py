"""Paths: shortcuts, rounded corners, splines, and the rest of a path under way."""

from rigid_tree_kinematics.planning.path.remaining_path import Blockage, RemainingPath
from rigid_tree_kinematics.planning.path.rounding import Corners, corner_radii, gentle_radii
from rigid_tree_kinematics.planning.path.shortening import MOST_POINTS, resample, shorten
from rigid_tree_kinematics.planning.path.spline import FEWEST_POINTS, Spline

__all__ = [
    "FEWEST_POINTS",
    "MOST_POINTS",
    "Blockage",
    "Corners",
    "RemainingPath",
    "Spline",
    "corner_radii",
    "gentle_radii",
    "resample",
    "shorten",
]
