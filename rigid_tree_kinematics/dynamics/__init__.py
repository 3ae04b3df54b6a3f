"""Forward and inverse dynamics, energies and simulation."""

from rigid_tree_kinematics.dynamics.driven_robot import DrivenRobot
from rigid_tree_kinematics.dynamics.functions import (
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
from rigid_tree_kinematics.dynamics.simulation import Simulation, check_inertias, simulate

__all__ = [
    "DrivenRobot",
    "Simulation",
    "check_inertias",
    "external_torque",
    "forward_dynamics",
    "friction_torque",
    "gravity_torque",
    "inverse_dynamics",
    "kinetic_energy",
    "mass_matrix",
    "potential_energy",
    "simulate",
    "velocity_product",
]
