"""The centre of mass of the whole robot."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from rigid_tree_kinematics.arrays import Array
from rigid_tree_kinematics.errors import ModelError
from rigid_tree_kinematics.kinematics import kernels
from rigid_tree_kinematics.kinematics.arguments import (
    Tree,
    as_positions,
    compiled_of,
    refuse_non_finite,
)


def center_of_mass(tree: Tree, positions: ArrayLike) -> Array:
    """Return the centre of mass in the base frame (m): (3,), or (N, 3) for a batch.

    Raises ModelError if the robot has no mass.
    """
    return _mass_kernel(tree, positions)[..., 0].copy()


def center_of_mass_jacobian(tree: Tree, positions: ArrayLike) -> Array:
    """Return J with ``J @ v`` = the velocity of the centre of mass: (3, nv), or (N, 3, nv)."""
    return _mass_kernel(tree, positions)[..., 1:].copy()


def _mass_kernel(tree: Tree, positions: ArrayLike) -> Array:
    """Return the centre of mass and its Jacobian side by side: (3, 1 + nv), or (N, 3, 1 + nv)."""
    compiled = compiled_of(tree)
    q = as_positions(compiled, positions)
    if compiled.mass.sum() <= 0.0:
        raise ModelError(
            f"robot '{compiled.name}' has no mass: its description gives no inertial elements"
        )
    bodies, columns = len(compiled.body_names), 1 + compiled.velocity_count
    frames, moments = np.empty((bodies, 4, 4)), np.empty((bodies, 4))
    fixed = (compiled.table, compiled.mass, compiled.center_of_mass)
    if q.ndim == 1:
        result = np.empty((3, columns))
        finite = kernels.center_of_mass(*fixed, q, frames, moments, result)
    else:
        result = np.empty((q.shape[0], 3, columns))
        finite = kernels.center_of_mass_batch(*fixed, q, frames, moments, result)
    if not finite:
        refuse_non_finite(compiled, q)
    return result
