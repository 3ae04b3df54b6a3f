"""The centre of mass of the whole robot."""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache

from numpy.typing import ArrayLike

from rigid_tree_kinematics.arrays import Array
from rigid_tree_kinematics.errors import ModelError
from rigid_tree_kinematics.kinematics import kernels
from rigid_tree_kinematics.kinematics.arguments import Tree, compiled_of
from rigid_tree_kinematics.kinematics.tree_function import POSITIONS, TREES, TreeFunction
from rigid_tree_kinematics.model import CompiledTree


def center_of_mass(tree: Tree, positions: ArrayLike) -> Array:
    """Return the centre of mass in the base frame (m): (3,), or (N, 3) for a batch.

    Raises ModelError if the robot has no mass.

    Example:
        >>> nao = load_robot("nao")
        >>> print(center_of_mass(nao, nao.home_configuration()).round(3))
        [ 0.018  0.    -0.047]
    """
    return _mass_kernel(tree, positions)[..., 0].copy()


def center_of_mass_jacobian(tree: Tree, positions: ArrayLike) -> Array:
    """Return J with ``J @ v`` = the velocity of the centre of mass: (3, nv), or (N, 3, nv).

    Example:
        >>> robot = load_robot("ur5")
        >>> q = [0.3, -1.2, 1.5, -0.8, 0.9, 0.2]
        >>> velocity = center_of_mass_jacobian(robot, q) @ [0.5, 0, 0, 0, 0, 0]
        >>> print(velocity[:2].round(3))  # m/s
        [-0.051  0.059]
    """
    return _mass_kernel(tree, positions)[..., 1:].copy()


def _mass_kernel(tree: Tree, positions: ArrayLike) -> Array:
    """Return the centre of mass and its Jacobian side by side: (3, 1 + nv), or (N, 3, 1 + nv)."""
    return _mass(compiled_of(tree))(positions)


@lru_cache(maxsize=TREES)
def _mass(compiled: CompiledTree) -> Callable[..., Array]:
    if compiled.mass.sum() <= 0.0:
        raise ModelError(
            f"robot '{compiled.name}' has no mass: its description gives no inertial elements"
        )
    bodies = len(compiled.body_names)
    return TreeFunction(
        compiled,
        kernels.center_of_mass_batch,
        fixed=(compiled.table, compiled.mass, compiled.center_of_mass),
        inputs=(POSITIONS,),
        space=((bodies, 4, 4), (bodies, 4)),
        result=(3, 1 + compiled.velocity_count),
    ).with_shortcut(kernels.center_of_mass)
