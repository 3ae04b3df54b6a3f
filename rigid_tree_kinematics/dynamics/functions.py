"""Dynamics of a robot: torques, accelerations, the mass matrix, energies.

The equation of motion is M(q) a + C(q, v) v + g(q) = torque + sum of J_b^T w_b, with the joints'
velocities v as in ``geometric_jacobian``. Damping and friction of the joints are no part of it:
``friction_torque`` gives them. Gravity is a property of the tree (``tree.gravity``).
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from rigid_tree_kinematics.arrays import Array
from rigid_tree_kinematics.dynamics import kernels
from rigid_tree_kinematics.dynamics.lumped import LumpedTree, lumped
from rigid_tree_kinematics.errors import ConfigurationError, ModelError
from rigid_tree_kinematics.kinematics import body_transforms, geometric_jacobian
from rigid_tree_kinematics.kinematics.arguments import (
    FLOAT64,
    Tree,
    as_positions,
    compiled_of,
    direct_call,
    in_threads,
    refuse_non_finite,
)
from rigid_tree_kinematics.model import CompiledTree

Wrenches = Mapping[str, ArrayLike]

_inverse_dynamics = direct_call(kernels.inverse_dynamics)
_mass_matrix = direct_call(kernels.mass_matrix)
_articulated_dynamics = direct_call(kernels.articulated_dynamics)


def inverse_dynamics(
    robot: Tree,
    q: ArrayLike,
    v: ArrayLike,
    a: ArrayLike,
    wrenches: Wrenches | None = None,
) -> Array:
    """Return the joint torques (N m, N) of a motion: recursive Newton-Euler.

    Args:
        robot: a tree, or its ``compiled()`` arrays.
        q: positions (nq,), or a batch (N, nq).
        v: velocities (nv,), or (N, nv).
        a: accelerations, likewise.
        wrenches: body -> force (N) and moment (N m) that act on it from outside at its frame's
            origin, along the base's axes; (6,), or (N, 6).

    Returns:
        (nv,), or (N, nv). Raises ConfigurationError for shapes or numbers that make no sense.
    """
    compiled = compiled_of(robot)
    table = lumped(compiled).table
    if wrenches is None and _fits(compiled, q, v, a):
        quick = np.empty(compiled.rate_shape)
        space = np.empty((len(table), kernels.NEWTON_EULER_COLUMNS))
        if _inverse_dynamics(table, q, v, a, space, quick):
            return quick
    q = as_positions(compiled, q)
    v, a = _rates(compiled, q, v, "v"), _rates(compiled, q, a, "a")
    torque = _newton_euler(compiled, table, q, v, a)
    return torque if wrenches is None else torque - external_torque(compiled, q, wrenches)


def gravity_torque(robot: Tree, q: ArrayLike) -> Array:
    """Return the joint torques (N m, N) that hold the robot still: g(q); (nv,), or (N, nv)."""
    compiled = compiled_of(robot)
    q = as_positions(compiled, q)
    still = np.zeros((*q.shape[:-1], compiled.velocity_count))
    return _newton_euler(compiled, lumped(compiled).table, q, still, still)


def velocity_product(robot: Tree, q: ArrayLike, v: ArrayLike) -> Array:
    """Return the Coriolis and centrifugal torques (N m, N) C(q, v) v; (nv,), or (N, nv)."""
    compiled = compiled_of(robot)
    q = as_positions(compiled, q)
    v = _rates(compiled, q, v, "v")
    return _newton_euler(compiled, lumped(compiled).weightless, q, v, np.zeros_like(v))


def mass_matrix(robot: Tree, q: ArrayLike) -> Array:
    """Return M(q) (kg m^2, kg m, kg): (nv, nv), or (N, nv, nv) for a batch."""
    compiled = compiled_of(robot)
    tree = lumped(compiled)
    q = as_positions(compiled, q)
    count, n = compiled.velocity_count, len(tree.table)
    if q.ndim == 1:
        result = np.empty((count, count))
        space = np.empty((n, kernels.COMPOSITE_COLUMNS))
        finite = _mass_matrix(tree.table, q, space, result)
    else:
        result = np.empty((len(q), count, count))

        def work(first: int, last: int) -> bool:
            space = np.empty((n, kernels.COMPOSITE_COLUMNS))
            return kernels.mass_matrix_batch(tree.table, q[first:last], space, result[first:last])

        finite = in_threads(work, len(q))
    if not finite:
        refuse_non_finite(compiled, q)
    return result


def forward_dynamics(
    robot: Tree,
    q: ArrayLike,
    v: ArrayLike,
    torque: ArrayLike,
    wrenches: Wrenches | None = None,
) -> Array:
    """Return the joint accelerations (rad/s^2, m/s^2) that torques (N m, N) cause.

    Articulated bodies; for trees with planar, floating or mimic joints M a = torque - bias is
    solved. Arguments as in ``inverse_dynamics``. Raises ModelError where a joint has no mass to
    move.
    """
    compiled = compiled_of(robot)
    tree = lumped(compiled)
    if wrenches is None and tree.is_plain and _fits(compiled, q, v, torque):
        n = len(tree.table)
        quick = np.empty(compiled.rate_shape)
        space = np.empty((n, kernels.ARTICULATED_COLUMNS)), np.empty((n, 6, 6))
        if _articulated_dynamics(tree.table, q, v, torque, *space, quick):
            return quick
    q = as_positions(compiled, q)
    v, torque = _rates(compiled, q, v, "v"), _rates(compiled, q, torque, "torque")
    if wrenches is not None:
        torque = torque + external_torque(compiled, q, wrenches)
    if not tree.is_plain:
        return _solved_for_acceleration(compiled, tree, q, v, torque)
    n = len(tree.table)
    result = np.empty(v.shape)
    if q.ndim == 1:
        space = np.empty((n, kernels.ARTICULATED_COLUMNS)), np.empty((n, 6, 6))
        well = kernels.articulated_dynamics(tree.table, q, v, torque, *space, result)
    else:

        def work(first: int, last: int) -> bool:
            space = np.empty((n, kernels.ARTICULATED_COLUMNS)), np.empty((n, 6, 6))
            part = slice(first, last)
            return kernels.articulated_dynamics_batch(
                tree.table, q[part], v[part], torque[part], *space, result[part]
            )

        well = in_threads(work, len(q))
    if not well:
        _refuse(compiled, q, v=v, torque=torque)
        raise _massless(compiled)
    return result


def external_torque(robot: Tree, q: ArrayLike, wrenches: Wrenches) -> Array:
    """Return the joint torques (N m, N) that outside wrenches amount to: sum of J_b^T w_b.

    Arguments as in ``inverse_dynamics``. Raises UnknownNameError for a body that is not there.
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
    """Return the torques (N m, N) with which the joints resist: damping v + friction sign(v)."""
    compiled = compiled_of(robot)
    v = np.asarray(v, dtype=np.float64)
    if v.shape[-1:] != (compiled.velocity_count,):
        raise ConfigurationError(f"v has {compiled.velocity_count} entries, not shape {v.shape}")
    return compiled.damping * v + compiled.friction * np.sign(v)


def kinetic_energy(robot: Tree, q: ArrayLike, v: ArrayLike) -> Any:
    """Return the energy of motion (J): a number, or (N,) for a batch."""
    compiled = compiled_of(robot)
    q = as_positions(compiled, q)
    v = _rates(compiled, q, v, "v")
    energy = 0.5 * np.einsum("...i,...ij,...j->...", v, mass_matrix(compiled, q), v)
    return float(energy) if energy.ndim == 0 else energy


def potential_energy(robot: Tree, q: ArrayLike) -> Any:
    """Return the energy of height (J), 0 with all masses at the base's origin; or (N,)."""
    compiled = compiled_of(robot)
    frames = body_transforms(compiled, as_positions(compiled, q))
    centers = np.einsum("...nij,nj->...ni", frames[..., :3, :3], compiled.center_of_mass)
    centers = centers + frames[..., :3, 3]
    energy = -np.einsum("n,...ni,i->...", compiled.mass, centers, compiled.gravity)
    return float(energy) if energy.ndim == 0 else energy


# -- inside --------------------------------------------------------------------------------------


def _fits(compiled: CompiledTree, q: Any, v: Any, other: Any) -> bool:
    """Return whether three vectors may go to a kernel as they are: a quarter of the time saved."""
    return (
        type(q) is type(v) is type(other) is np.ndarray
        and q.dtype is v.dtype is other.dtype is FLOAT64
        and q.shape == compiled.vector_shape
        and v.shape == other.shape == compiled.rate_shape
        and q.flags.c_contiguous
        and v.flags.c_contiguous
        and other.flags.c_contiguous
    )


def _newton_euler(compiled: CompiledTree, table: Array, q: Array, v: Array, a: Array) -> Array:
    shape = (len(table), kernels.NEWTON_EULER_COLUMNS)
    result = np.empty(v.shape)
    if q.ndim == 1:
        finite = kernels.inverse_dynamics(table, q, v, a, np.empty(shape), result)
    else:

        def work(first: int, last: int) -> bool:
            part = slice(first, last)
            return kernels.inverse_dynamics_batch(
                table, q[part], v[part], a[part], np.empty(shape), result[part]
            )

        finite = in_threads(work, len(q))
    if not finite:
        _refuse(compiled, q, v=v, a=a)
    return result


def _solved_for_acceleration(
    compiled: CompiledTree, tree: LumpedTree, q: Array, v: Array, torque: Array
) -> Array:
    bias = _newton_euler(compiled, tree.table, q, v, np.zeros_like(v))
    _refuse(compiled, q, torque=torque)
    try:
        # Cholesky says whether M is positive definite; LU would not.
        factor = np.linalg.cholesky(mass_matrix(compiled, q))
    except np.linalg.LinAlgError:
        raise _massless(compiled) from None
    half = np.linalg.solve(factor, (torque - bias)[..., None])
    return np.linalg.solve(np.swapaxes(factor, -1, -2), half)[..., 0]


def _massless(compiled: CompiledTree) -> ModelError:
    matrix = np.diag(mass_matrix(compiled, compiled.home))
    idle = compiled.position_of_velocity[matrix <= 1e-12]
    which = ", ".join(compiled.position_names[k] for k in idle) or "at this configuration"
    return ModelError(
        f"robot '{compiled.name}': the mass matrix is not positive definite; joints that move "
        f"no mass: {which}. Give the bodies behind them inertia, or fix the joints"
    )


def _rates(compiled: CompiledTree, q: Array, values: ArrayLike, name: str) -> Array:
    """Return velocities or the like as a C-contiguous float64 array that fits the positions."""
    rates: Any = values
    if type(rates) is not np.ndarray or rates.dtype is not FLOAT64 or not rates.flags.carray:
        try:
            rates = np.array(values, dtype=np.float64, order="C")
        except (TypeError, ValueError) as error:
            raise ConfigurationError(f"{name} must be numbers: {error}") from error
    if rates.shape != (*q.shape[:-1], compiled.velocity_count):
        wanted = (*q.shape[:-1], compiled.velocity_count)
        raise ConfigurationError(f"{name} must have shape {wanted}, not {rates.shape}")
    return rates


def _refuse(compiled: CompiledTree, q: Array, **rates: Array) -> None:
    """Raise the ConfigurationError that names what is not finite, if anything is not."""
    if not np.isfinite(q).all():
        refuse_non_finite(compiled, q)
    for name, values in rates.items():
        if not np.isfinite(values).all():
            raise ConfigurationError(f"{name} has numbers that are not finite")
