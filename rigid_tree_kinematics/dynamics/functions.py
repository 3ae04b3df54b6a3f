"""Dynamics of a robot: torques, accelerations, the mass matrix, energies.

The equation of motion is M(q) a + C(q, v) v + g(q) = torque + sum of J_b^T w_b, with the joints'
velocities v as in ``geometric_jacobian``. It excludes damping and friction of the joints, which
``friction_torque`` returns. Gravity is a property of the tree (``tree.gravity``).
"""

from collections.abc import Callable, Mapping
from functools import lru_cache
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from rigid_tree_kinematics.arrays import Array
from rigid_tree_kinematics.dynamics import coriolis_kernels, kernels
from rigid_tree_kinematics.dynamics.lumped import lumped
from rigid_tree_kinematics.dynamics.solved_kernels import solved_dynamics, solved_dynamics_batch
from rigid_tree_kinematics.errors import ConfigurationError, ModelError
from rigid_tree_kinematics.kinematics import body_transforms, geometric_jacobian
from rigid_tree_kinematics.kinematics.arguments import (
    POSITIONS,
    TREES,
    Tree,
    as_positions,
    as_rates,
    compiled_of,
    tree_function,
)
from rigid_tree_kinematics.model import CompiledTree

Wrenches = Mapping[str, ArrayLike]


def inverse_dynamics(
    robot: Tree,
    q: ArrayLike,
    v: ArrayLike | None = None,
    a: ArrayLike | None = None,
    wrenches: Wrenches | None = None,
) -> Array:
    """Return the joint torques (N m, N) of a motion: recursive Newton-Euler.

    Args:
        robot: a tree, or its ``compiled()`` arrays.
        q: positions (nq,), or a batch (N, nq).
        v: velocities (nv,), or (N, nv); None: zero.
        a: accelerations, likewise.
        wrenches: body -> force (N) and moment (N m) that act on it from outside at its frame's
            origin, along the base's axes; six numbers (6,), or (N, 6).

    Returns:
        (nv,), or (N, nv). Raises ConfigurationError for invalid shapes or numbers.

    Example:
        >>> robot = load_robot("ur5")
        >>> q = [0.3, -1.2, 1.5, -0.8, 0.9, 0.2]
        >>> print(inverse_dynamics(robot, q)[1:4].round(2))  # N m, at rest
        [-29.72 -15.89  -0.95]
        >>> print(inverse_dynamics(robot, q, a=[0, 1, 0, 0, 0, 0])[1:4].round(2))
        [-27.59 -15.18  -0.91]
    """
    compiled = compiled_of(robot)
    v = _zero(compiled, q) if v is None else v
    a = _zero(compiled, q) if a is None else a
    torque = _newton_euler(compiled)(q, v, a)
    return torque if wrenches is None else torque - external_torque(compiled, q, wrenches)


def gravity_torque(robot: Tree, q: ArrayLike) -> Array:
    """Return the joint torques (N m, N) that hold the robot still: g(q); (nv,), or (N, nv).

    Example:
        >>> robot = load_robot("ur5")
        >>> print(gravity_torque(robot, [0.3, -1.2, 1.5, -0.8, 0.9, 0.2])[1:4].round(2))  # N m
        [-29.72 -15.89  -0.95]
    """
    return inverse_dynamics(robot, q)


def velocity_product(robot: Tree, q: ArrayLike, v: ArrayLike) -> Array:
    """Return the Coriolis and centrifugal torques (N m, N) C(q, v) v; (nv,), or (N, nv).

    Example:
        >>> robot = load_robot("ur5")
        >>> q, v = [0.3, -1.2, 1.5, -0.8, 0.9, 0.2], [0.5, 1, 0, 0, 0, 0]
        >>> print(velocity_product(robot, q, v)[:3].round(3))
        [ 1.07  -0.2    0.811]
    """
    compiled = compiled_of(robot)
    v = as_rates(compiled, as_positions(compiled, q), v, "v")
    return _newton_euler(compiled, weightless=True)(q, v, np.zeros_like(v))


def coriolis_matrix(robot: Tree, q: ArrayLike, v: ArrayLike) -> Array:
    """Return C(q, v) (N m s): (nv, nv), or (N, nv, nv) for a batch.

    ``C @ v`` is ``velocity_product``, and dM/dt - 2 C is skew-symmetric, as adaptive and passive
    controllers require. Of the matrices with these properties, it is that of the Christoffel
    symbols.

    Example:
        >>> robot = load_robot("ur5")
        >>> q, v = [0.3, -1.2, 1.5, -0.8, 0.9, 0.2], [0.5, 1, 0, 0, 0, 0]
        >>> print((coriolis_matrix(robot, q, v) @ v)[:3].round(3))
        [ 1.07  -0.2    0.811]
    """
    return _coriolis_matrix(compiled_of(robot))(q, v)


def mass_matrix(robot: Tree, q: ArrayLike) -> Array:
    """Return M(q) (kg m^2, kg m, kg): (nv, nv), or (N, nv, nv) for a batch.

    The joints' ``armature``, the inertia of their motors, is added to the diagonal.

    Example:
        >>> robot = load_robot("double_pendulum")
        >>> print(mass_matrix(robot, [0.5, 0.0]).round(4))
        [[0.6669 0.2084]
         [0.2084 0.0834]]
    """
    return _mass_matrix(compiled_of(robot))(q)


def forward_dynamics(
    robot: Tree,
    q: ArrayLike,
    v: ArrayLike | None = None,
    torque: ArrayLike | None = None,
    wrenches: Wrenches | None = None,
) -> Array:
    """Return the joint accelerations (rad/s^2, m/s^2) that torques (N m, N) cause.

    Uses the articulated-body algorithm; for trees with planar, floating or mimic joints, solves
    M a = torque - bias. Arguments as in ``inverse_dynamics``. Raises ModelError if a joint moves
    no mass.

    Example:
        >>> robot = load_robot("ur5")
        >>> q = [0.3, -1.2, 1.5, -0.8, 0.9, 0.2]
        >>> torque = gravity_torque(robot, q) + [0, 10, 0, 0, 0, 0]  # N m
        >>> print(forward_dynamics(robot, q, torque=torque)[:3].round(2))  # rad/s^2
        [  1.78   8.09 -10.72]
    """
    compiled = compiled_of(robot)
    v = _zero(compiled, q) if v is None else v
    torque = _zero(compiled, q) if torque is None else torque
    if wrenches is not None:
        torque = as_rates(compiled, as_positions(compiled, q), torque, "torque")
        torque = torque + external_torque(compiled, q, wrenches)
    return _forward_dynamics(compiled)(q, v, torque)


def external_torque(robot: Tree, q: ArrayLike, wrenches: Wrenches) -> Array:
    """Return the joint torques (N m, N) of external wrenches: the sum of J_b^T w_b.

    Arguments as in ``inverse_dynamics``. Raises UnknownNameError for an unknown body.

    Example:
        >>> robot = load_robot("ur5")
        >>> q = [0.3, -1.2, 1.5, -0.8, 0.9, 0.2]
        >>> wrenches = {"tool0": (0, 0, -10, 0, 0, 0)}  # 10 N down, no moment
        >>> print(external_torque(robot, q, wrenches)[1:4].round(2))
        [6.31 4.77 1.02]
    """
    compiled = compiled_of(robot)
    q = as_positions(compiled, q)
    total = np.zeros((*q.shape[:-1], compiled.velocity_count))
    for body, wrench in wrenches.items():
        w = np.asarray(wrench, dtype=np.float64)
        if w.shape not in ((6,), (*q.shape[:-1], 6)) or not np.isfinite(w).all():
            raise ConfigurationError(
                f"the wrench on '{body}' is a force and a moment, six finite numbers, not {w}"
            )
        J = geometric_jacobian(compiled, q, body)
        total += np.einsum("...ji,...j->...i", J, np.broadcast_to(w, (*q.shape[:-1], 6)))
    return total


def friction_torque(robot: Tree, v: ArrayLike) -> Array:
    """Return the torques (N m, N) of joint friction: damping v + friction sign(v).

    Example:
        >>> from rigid_tree_kinematics.model import JointDynamics
        >>> robot = load_robot("double_pendulum")
        >>> robot.get_joint("joint_A").dynamics = JointDynamics(damping=0.1, friction=0.05)
        >>> print(friction_torque(robot, [2.0, 0.0]))
        [0.25 0.  ]
    """
    compiled = compiled_of(robot)
    v = np.asarray(v, dtype=np.float64)
    if v.shape[-1:] != (compiled.velocity_count,):
        raise ConfigurationError(f"v has {compiled.velocity_count} entries, not shape {v.shape}")
    torque: Array = compiled.damping * v + compiled.friction * np.sign(v)
    return torque


def kinetic_energy(robot: Tree, q: ArrayLike, v: ArrayLike) -> Any:
    """Return the kinetic energy (J): a number, or (N,) for a batch.

    Example:
        >>> robot = load_robot("ur5")
        >>> v = [1, 0, 0, 0, 0, 0]  # rad/s
        >>> print(round(kinetic_energy(robot, robot.home_configuration(), v), 3))  # J
        0.436
    """
    compiled = compiled_of(robot)
    q = as_positions(compiled, q)
    v = as_rates(compiled, q, v, "v")
    energy = 0.5 * np.einsum("...i,...ij,...j->...", v, mass_matrix(compiled, q), v)
    return float(energy) if energy.ndim == 0 else energy


def potential_energy(robot: Tree, q: ArrayLike) -> Any:
    """Return the potential energy (J), 0 with all masses at the base's origin; or (N,).

    Example:
        >>> robot = load_robot("ur5")
        >>> print(round(potential_energy(robot, robot.home_configuration()), 3))  # J
        51.796
    """
    compiled = compiled_of(robot)
    frames = body_transforms(compiled, as_positions(compiled, q))
    centers = np.einsum("...nij,nj->...ni", frames[..., :3, :3], compiled.center_of_mass)
    centers = centers + frames[..., :3, 3]
    energy = -np.einsum("n,...ni,i->...", compiled.mass, centers, compiled.gravity)
    return float(energy) if energy.ndim == 0 else energy


# -- internal ------------------------------------------------------------------------------------


def _zero(compiled: CompiledTree, q: ArrayLike) -> Array:
    """Return zeros (nv,), or (N, nv) for a batch of positions."""
    return np.zeros((*as_positions(compiled, q).shape[:-1], compiled.velocity_count))


@lru_cache(maxsize=TREES)
def _newton_euler(compiled: CompiledTree, weightless: bool = False) -> Callable[..., Array]:
    tree = lumped(compiled)
    fixed, inputs = (tree.weightless if weightless else tree.table,), (POSITIONS, "v", "a")
    space = ((len(tree.table), kernels.NEWTON_EULER_COLUMNS),)
    one, many = kernels.inverse_dynamics, kernels.inverse_dynamics_batch
    return tree_function(compiled, one, many, fixed, inputs, compiled.rate_shape, space)


@lru_cache(maxsize=TREES)
def _mass_matrix(compiled: CompiledTree) -> Callable[..., Array]:
    table, shape = lumped(compiled).table, 2 * compiled.rate_shape
    space = ((len(table), kernels.COMPOSITE_COLUMNS),)
    one, many = kernels.mass_matrix, kernels.mass_matrix_batch
    return tree_function(compiled, one, many, (table,), (POSITIONS,), shape, space)


@lru_cache(maxsize=TREES)
def _coriolis_matrix(compiled: CompiledTree) -> Callable[..., Array]:
    table, (count,) = lumped(compiled).table, compiled.rate_shape
    space = (len(table), coriolis_kernels.CORIOLIS_COLUMNS), (2, count)
    one, many = coriolis_kernels.coriolis_matrix, coriolis_kernels.coriolis_matrix_batch
    return tree_function(compiled, one, many, (table,), (POSITIONS, "v"), (count, count), space)


@lru_cache(maxsize=TREES)
def _forward_dynamics(compiled: CompiledTree) -> Callable[..., Array]:
    tree = lumped(compiled)
    n, count = len(tree.table), compiled.velocity_count
    one: Any = solved_dynamics
    batch: Any = solved_dynamics_batch
    space: tuple[tuple[int, ...], ...] = ((n, kernels.NEWTON_EULER_COLUMNS), (count, count))
    if tree.is_plain:
        one, batch = kernels.articulated_dynamics, kernels.articulated_dynamics_batch
        space = (n, kernels.ARTICULATED_COLUMNS), (n, 6, 6)
    inputs, shape = (POSITIONS, "v", "torque"), compiled.rate_shape
    return tree_function(compiled, one, batch, (tree.table,), inputs, shape, space, _massless)


def _massless(compiled: CompiledTree) -> ModelError:
    matrix = np.diag(mass_matrix(compiled, compiled.home))
    idle = compiled.position_of_velocity[matrix <= 1e-12]
    which = ", ".join(compiled.position_names[k] for k in idle) or "at this configuration"
    return ModelError(
        f"robot '{compiled.name}': the mass matrix is not positive definite; joints that move "
        f"no mass: {which}. Give the bodies behind them inertia, the joints an armature, or fix "
        "the joints"
    )
