"""Kinematics of compiled trees: frames, Jacobians, velocities, center of mass."""

from rigid_tree_kinematics.kinematics.functions import (
    body_transform,
    body_transforms,
    body_velocity,
    center_of_mass,
    center_of_mass_jacobian,
    chain_jacobian,
    geometric_jacobian,
    jacobian_time_derivative,
    poses_in_parents,
)

__all__ = [
    "body_transform",
    "body_transforms",
    "body_velocity",
    "center_of_mass",
    "center_of_mass_jacobian",
    "chain_jacobian",
    "geometric_jacobian",
    "jacobian_time_derivative",
    "poses_in_parents",
]
