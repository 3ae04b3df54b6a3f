"""Forward and inverse dynamics, energies and simulation."""

from rigid_tree_kinematics.dynamics.functions import (
    coriolis_matrix,
    external_torque,
    forward_dynamics,
    friction_torque,
    gravity_torque,
    inverse_dynamics,
    kinetic_energy,
    mass_matrix,
    potential_energy,
    velocity_product,
)
from rigid_tree_kinematics.dynamics.inertias import (
    check_inertias,
    repair_inertias,
    with_valid_inertias,
)
from rigid_tree_kinematics.dynamics.simulation import Simulation, simulate

__all__ = [
    "Simulation",
    "check_inertias",
    "coriolis_matrix",
    "external_torque",
    "forward_dynamics",
    "friction_torque",
    "gravity_torque",
    "inverse_dynamics",
    "kinetic_energy",
    "mass_matrix",
    "potential_energy",
    "repair_inertias",
    "simulate",
    "velocity_product",
    "with_valid_inertias",
]
