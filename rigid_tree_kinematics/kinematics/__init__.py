"""Kinematics of compiled trees: frames, Jacobians, velocities, centre of mass.

What is imported from here brings the compiled kernels with it, ready to be called; importing
this module alone, or a neighbour that needs no kernels, does not.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from rigid_tree_kinematics.lazy_names import lazy_names

if TYPE_CHECKING:
    from rigid_tree_kinematics.kinematics.differential import body_velocity, geometric_jacobian
    from rigid_tree_kinematics.kinematics.frames import body_transform, body_transforms
    from rigid_tree_kinematics.kinematics.mass import center_of_mass, center_of_mass_jacobian

__all__ = [
    "body_transform",
    "body_transforms",
    "body_velocity",
    "center_of_mass",
    "center_of_mass_jacobian",
    "geometric_jacobian",
]

# The kernels and their compiler take 130 MB of memory and most of a second.
__getattr__ = lazy_names(
    __name__,
    {
        "differential": ("body_velocity", "geometric_jacobian"),
        "frames": ("body_transform", "body_transforms"),
        "mass": ("center_of_mass", "center_of_mass_jacobian"),
    },
)
