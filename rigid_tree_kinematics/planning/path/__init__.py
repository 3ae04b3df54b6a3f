"""Paths: shortcuts, rounded corners, and the remaining path during execution."""

from rigid_tree_kinematics.planning.path.remaining_path import Blockage, RemainingPath
from rigid_tree_kinematics.planning.path.shaping import (
    MOST_POINTS,
    Corners,
    corner_radii,
    gentle_radii,
    resample,
    shorten,
)
