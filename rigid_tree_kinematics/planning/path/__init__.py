"""Paths: shortcuts and rounded corners."""

from rigid_tree_kinematics.planning.path.shaping import (
    MOST_POINTS,
    Corners,
    corner_radii,
    gentle_radii,
    resample,
    shorten,
)
