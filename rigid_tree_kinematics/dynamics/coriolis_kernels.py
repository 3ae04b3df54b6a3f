"""Kernels of the Coriolis matrix, over the arrays of a LumpedTree."""

from rigid_tree_kinematics.arrays import Array
from rigid_tree_kinematics.dynamics.arithmetic import (
    ZERO,
    Six,
    force_cross,
    momentum,
    motion_cross,
    motion_to_child,
    plus,
    read_six,
    write_pose,
    write_six,
)
from rigid_tree_kinematics.dynamics.kernels import (
    NEWTON_EULER_COLUMNS,
    A,
    F,
    V,
    axis_change,
    joint_motion,
    write_torques,
)
from rigid_tree_kinematics.dynamics.lumped import BODY_INERTIA
from rigid_tree_kinematics.kernels import BATCH, MATRIX, READ_1D, TABLE, inlined, kernel, types
from rigid_tree_kinematics.kinematics.motion import all_finite, parent_from_body, read_table
from rigid_tree_kinematics.model.columns import KIND, PARENT
from rigid_tree_kinematics.model.joints.joint_types import PLANAR

W = NEWTON_EULER_COLUMNS  # the motion of a unit velocity, behind the columns of inverse_dynamics
CORIOLIS_COLUMNS = W + 6


@inlined
def _coriolis_force(table: Array, i: int, velocity: Six, motion: Six) -> Six:
    """Return B(velocity) times a motion of body i, with B + B^T the rate of its inertia.

    B = (v x* I - I v x + (I v) x*) / 2.
    """
    force = force_cross(velocity, momentum(table, i, BODY_INERTIA, motion))
    force = plus(force, force_cross(motion, momentum(table, i, BODY_INERTIA, velocity)), 1.0)
    change = momentum(table, i, BODY_INERTIA, motion_cross(velocity, motion))
    return plus(ZERO, plus(force, change, -1.0), 0.5)


@kernel(types.boolean(TABLE, READ_1D, READ_1D, MATRIX, MATRIX, MATRIX))
def coriolis_matrix(
    table: Array, q: Array, v: Array, work: Array, vectors: Array, out: Array
) -> bool:
    """Write C into ``out`` (nv, nv), a column for each unit velocity (Echeandia, Wensing 2021).

    ``work`` (n, 36) and ``vectors`` (2, nv) are work space. The k-th column is the inverse
    dynamics of accelerations due to the k-th velocity alone, with forces bilinear in both.
    """
    n = table.shape[0]
    write_six(work, 0, V, ZERO)
    write_six(work, 0, W, ZERO)
    write_six(work, 0, A, ZERO)
    for i in range(1, n):
        m = parent_from_body(table, q, i)
        write_pose(work, i, m)
        velocity = motion_to_child(m, read_six(work, int(table[i, PARENT]), V))
        write_six(work, i, V, plus(velocity, joint_motion(table, q, v, i), 1.0))
    unit, column = vectors[0], vectors[1]
    for k in range(v.shape[0]):
        unit[:] = 0.0
        unit[k] = 1.0
        for i in range(1, n):
            m, parent = read_table(work, i, 0), int(table[i, PARENT])
            velocity, relative = read_six(work, i, V), joint_motion(table, q, unit, i)
            motion = plus(motion_to_child(m, read_six(work, parent, W)), relative, 1.0)
            acceleration = motion_to_child(m, read_six(work, parent, A))
            acceleration = plus(acceleration, motion_cross(velocity, relative), 1.0)
            if table[i, KIND] == PLANAR:
                acceleration = plus(acceleration, axis_change(table, q, v, unit, i), 1.0)
            write_six(work, i, W, motion)
            write_six(work, i, A, acceleration)
            force = momentum(table, i, BODY_INERTIA, acceleration)
            write_six(work, i, F, plus(force, _coriolis_force(table, i, velocity, motion), 1.0))
        write_torques(table, q, work, column)
        for j in range(v.shape[0]):
            out[j, k] = column[j]
    return all_finite(q) and all_finite(v)


@kernel(types.boolean(TABLE, MATRIX, MATRIX, MATRIX, MATRIX, BATCH))
def coriolis_matrix_batch(
    table: Array, q: Array, v: Array, work: Array, vectors: Array, out: Array
) -> bool:
    """Batch version of ``coriolis_matrix``: for every row of q and v."""
    finite = True
    for k in range(q.shape[0]):
        finite &= coriolis_matrix(table, q[k], v[k], work, vectors, out[k])
    return finite
