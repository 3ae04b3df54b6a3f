"""Kinematics of compiled trees: frames, Jacobians, velocities, centre of mass.

What is imported from here brings the compiled kernels with it, ready to be called; importing
this module alone, or a neighbour that needs no kernels, does not.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from rigid_tree_kinematics.lazy_names import lazy_names

if TYPE_CHECKING:
    from rigid_tree_kinematics.kinematics.arguments import (
        FLOAT64,
        Tree,
        as_positions,
        compiled_of,
        in_threads,
        refuse_non_finite,
        without_questions,
    )
    from rigid_tree_kinematics.kinematics.differential import body_velocity, geometric_jacobian
    from rigid_tree_kinematics.kinematics.frames import body_transform, body_transforms
    from rigid_tree_kinematics.kinematics.joint_positions import (
        PLANS_KEPT,
        Frames,
        JointPositions,
        MovedFrames,
    )
    from rigid_tree_kinematics.kinematics.mass import center_of_mass, center_of_mass_jacobian
    from rigid_tree_kinematics.kinematics.sweep import Sweep
    from rigid_tree_kinematics.kinematics.topology import (
        between,
        between_kernel,
        difference,
        difference_kernel,
        distance_kernel,
        integrated,
        position_rates,
    )

__all__ = [
    "FLOAT64",
    "PLANS_KEPT",
    "Frames",
    "JointPositions",
    "MovedFrames",
    "Sweep",
    "Tree",
    "as_positions",
    "between",
    "between_kernel",
    "body_transform",
    "body_transforms",
    "body_velocity",
    "center_of_mass",
    "center_of_mass_jacobian",
    "compiled_of",
    "difference",
    "difference_kernel",
    "distance_kernel",
    "geometric_jacobian",
    "in_threads",
    "integrated",
    "position_rates",
    "refuse_non_finite",
    "without_questions",
]

# The kernels and their compiler take 130 MB of memory and most of a second.
__getattr__ = lazy_names(
    __name__,
    {
        "PLANS_KEPT": "joint_positions",
        "MovedFrames": "joint_positions",
        "JointPositions": "joint_positions",
        "Frames": "joint_positions",
        "Sweep": "sweep",
        "position_rates": "topology",
        "integrated": "topology",
        "distance_kernel": "topology",
        "difference_kernel": "topology",
        "difference": "topology",
        "between_kernel": "topology",
        "between": "topology",
        "without_questions": "arguments",
        "refuse_non_finite": "arguments",
        "in_threads": "arguments",
        "compiled_of": "arguments",
        "as_positions": "arguments",
        "Tree": "arguments",
        "FLOAT64": "arguments",
        "body_transform": "frames",
        "body_transforms": "frames",
        "body_velocity": "differential",
        "center_of_mass": "mass",
        "center_of_mass_jacobian": "mass",
        "geometric_jacobian": "differential",
    },
)
