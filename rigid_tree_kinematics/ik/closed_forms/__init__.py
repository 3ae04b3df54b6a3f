"""Analytic inverse kinematics for arms whose geometry allows it."""

from rigid_tree_kinematics.ik.closed_forms.closed_forms import (
    Screws,
    closed_form_angles,
    planar_2r,
)
