"""Kinematics of compiled trees: frames, Jacobians, velocities, centre of mass.

Importing this module loads the compiled kernels; nothing compiles at the first call.
"""

from rigid_tree_kinematics.kinematics.differential import body_velocity, geometric_jacobian
from rigid_tree_kinematics.kinematics.frames import body_transform, body_transforms, local_poses
from rigid_tree_kinematics.kinematics.mass import center_of_mass, center_of_mass_jacobian

__all__ = [
    "body_transform",
    "body_transforms",
    "body_velocity",
    "center_of_mass",
    "center_of_mass_jacobian",
    "geometric_jacobian",
    "local_poses",
]
