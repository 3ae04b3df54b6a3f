"""Kernels for the forward dynamics of any tree, including mimic joints."""

import math

from rigid_tree_kinematics.arrays import Array
from rigid_tree_kinematics.dynamics.kernels import inverse_dynamics, mass_matrix
from rigid_tree_kinematics.kernels import MATRIX, READ_1D, TABLE, VECTOR, kernel, types
from rigid_tree_kinematics.kinematics.motion import all_finite


@kernel(types.boolean(TABLE, READ_1D, READ_1D, READ_1D, MATRIX, MATRIX, VECTOR))
def solved_dynamics(
    table: Array, q: Array, v: Array, torque: Array, work: Array, matrix: Array, out: Array
) -> bool:
    """Write the joint accelerations of any tree into ``out`` (nv,): M a = torque - bias.

    By Cholesky factorization of M. ``work`` (n, 30) and ``matrix`` (nv, nv) are work space. Also
    returns False if M is not positive definite.
    """
    count = out.shape[0]
    matrix[:] = 0.0
    finite = inverse_dynamics(table, q, v, matrix[0], work, out) and all_finite(torque)
    mass_matrix(table, q, work, matrix)
    for i in range(count):
        out[i] = torque[i] - out[i]
        for j in range(i + 1):
            total = matrix[i, j]
            for k in range(j):
                total -= matrix[i, k] * matrix[j, k]
            if i > j:
                matrix[i, j] = total / matrix[j, j]
            elif total > 0.0:
                matrix[i, i] = math.sqrt(total)
            else:
                return False
        for k in range(i):
            out[i] -= matrix[i, k] * out[k]
        out[i] /= matrix[i, i]
    for i in range(count - 1, -1, -1):
        out[i] /= matrix[i, i]
        for k in range(i):
            out[k] -= matrix[i, k] * out[i]
    return finite


@kernel(types.boolean(TABLE, MATRIX, MATRIX, MATRIX, MATRIX, MATRIX, MATRIX))
def solved_dynamics_batch(
    table: Array, q: Array, v: Array, torque: Array, work: Array, matrix: Array, out: Array
) -> bool:
    """Batch version of ``solved_dynamics``: for every row of q, v and torque."""
    well = True
    for k in range(q.shape[0]):
        well &= solved_dynamics(table, q[k], v[k], torque[k], work, matrix, out[k])
    return well
