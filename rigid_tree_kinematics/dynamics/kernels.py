"""Numba kernels of the dynamics, over the arrays of a LumpedTree.

As in ``kinematics``: compiled for given signatures, without allocation; the result says whether
all went well. Work space comes from the caller.
"""

from __future__ import annotations

import math

from rigid_tree_kinematics.arrays import Array
from rigid_tree_kinematics.dynamics.arithmetic import (
    ZERO,
    Six,
    add_six,
    cross,
    dot,
    force_cross,
    force_to_parent,
    joint_axis,
    momentum,
    motion_cross,
    motion_to_child,
    plus,
    read_six,
    write_pose,
    write_six,
)
from rigid_tree_kinematics.dynamics.lumped import (
    BODY_INERTIA,
    GRAVITY,
    INERTIA,
    INERTIA_COLUMNS,
    MASS,
    MOMENT,
    MOTION_AXIS,
)
from rigid_tree_kinematics.kernels import (
    BATCH,
    MATRIX,
    READ_1D,
    TABLE,
    VECTOR,
    inlined,
    kernel,
    types,
)
from rigid_tree_kinematics.kinematics.motion import (
    Transform,
    all_finite,
    parent_from_body,
    read_table,
    rotate,
    velocity_count,
)
from rigid_tree_kinematics.model.columns import KIND, PARENT, VELOCITY
from rigid_tree_kinematics.model.joints.joint_types import PLANAR, PRISMATIC

# Columns of a kernel's work space, behind the twelve of the pose: Featherstone's spatial velocity,
# acceleration and force; or the composite inertia.
V, A, F = 12, 18, 24
COMPOSITE = 12
NEWTON_EULER_COLUMNS, COMPOSITE_COLUMNS = 30, 22
SWEEPS = 50  # of the iteration of ``resist``, at most
CONVERGED = 1e-12  # of its largest change of a velocity (rad/s, m/s)


@inlined
def joint_motion(table: Array, q: Array, v: Array, i: int) -> Six:
    """Return body i's motion relative to its parent."""
    first = int(table[i, VELOCITY])
    if table[i, KIND] <= PRISMATIC:
        return plus(ZERO, read_six(table, i, MOTION_AXIS), v[first])
    total = ZERO
    for k in range(velocity_count(int(table[i, KIND]))):
        total = plus(total, joint_axis(table, q, i, k), v[first + k])
    return total


@inlined
def axis_change(table: Array, q: Array, v: Array, i: int) -> Six:
    """Return what a planar joint's axes add to its acceleration by turning in its own frame.

    Its translations are along the parent's axes, seen from a body that turns.
    """
    first = int(table[i, VELOCITY])
    slide = plus(ZERO, joint_axis(table, q, i, 0), v[first])
    slide = plus(slide, joint_axis(table, q, i, 1), v[first + 1])
    normal = joint_axis(table, q, i, 2)
    rate = v[first + 2]
    x, y, z = cross((normal[0], normal[1], normal[2]), (slide[3], slide[4], slide[5]))
    return 0.0, 0.0, 0.0, -rate * x, -rate * y, -rate * z


@inlined
def _base_acceleration(table: Array) -> Six:
    """Return the base's acceleration -gravity, which stands for the weight of all bodies."""
    return (
        0.0, 0.0, 0.0, -table[0, GRAVITY], -table[0, GRAVITY + 1], -table[0, GRAVITY + 2]
    )  # fmt: skip


@kernel(types.boolean(TABLE, READ_1D, READ_1D, READ_1D, MATRIX, VECTOR), allocates=False)
def inverse_dynamics(table: Array, q: Array, v: Array, a: Array, work: Array, out: Array) -> bool:
    """Write the joint torques into ``out`` (nv,): recursive Newton-Euler (Featherstone, 5.3).

    ``work`` (n, 30) is work space: parent from body; velocity, acceleration, force.
    """
    write_six(work, 0, V, ZERO)
    write_six(work, 0, A, _base_acceleration(table))
    n = table.shape[0]
    for i in range(1, n):
        m = parent_from_body(table, q, i)
        write_pose(work, i, m)
        parent = int(table[i, PARENT])
        relative = joint_motion(table, q, v, i)
        velocity = plus(motion_to_child(m, read_six(work, parent, V)), relative, 1.0)
        acceleration = motion_to_child(m, read_six(work, parent, A))
        acceleration = plus(acceleration, joint_motion(table, q, a, i), 1.0)
        acceleration = plus(acceleration, motion_cross(velocity, relative), 1.0)
        if table[i, KIND] == PLANAR:
            acceleration = plus(acceleration, axis_change(table, q, v, i), 1.0)
        write_six(work, i, V, velocity)
        write_six(work, i, A, acceleration)
        gyroscopic = force_cross(velocity, momentum(table, i, BODY_INERTIA, velocity))
        force = plus(momentum(table, i, BODY_INERTIA, acceleration), gyroscopic, 1.0)
        write_six(work, i, F, force)
    out[:] = 0.0
    for i in range(n - 1, 0, -1):
        f = read_six(work, i, F)
        first = int(table[i, VELOCITY])
        if table[i, KIND] <= PRISMATIC:
            out[first] += dot(read_six(table, i, MOTION_AXIS), f)
        else:
            for k in range(velocity_count(int(table[i, KIND]))):
                out[first + k] += dot(joint_axis(table, q, i, k), f)
        parent = int(table[i, PARENT])
        if parent > 0:
            add_six(work, parent, F, force_to_parent(read_table(work, i, 0), f))
    return all_finite(q) and all_finite(v) and all_finite(a)


@inlined
def add_composite(work: Array, i: int, m: Transform, parent: int) -> None:
    """Add body i's ten inertia numbers to its parent's; ``m`` is parent from body."""
    composite = work[:, COMPOSITE:]
    mass = composite[i, MASS]
    hx, hy, hz = rotate(
        m, composite[i, MOMENT], composite[i, MOMENT + 1], composite[i, MOMENT + 2]
    )
    px, py, pz = m[3], m[7], m[11]
    xx, xy, xz = composite[i, INERTIA], composite[i, INERTIA + 1], composite[i, INERTIA + 2]
    yy, yz, zz = composite[i, INERTIA + 3], composite[i, INERTIA + 4], composite[i, INERTIA + 5]
    # R I
    a0, a1, a2 = rotate(m, xx, xy, xz)
    b0, b1, b2 = rotate(m, xy, yy, yz)
    c0, c1, c2 = rotate(m, xz, yz, zz)
    # (R I) R^T, about the body's origin; then moved to the parent's.
    along = 2.0 * (hx * px + hy * py + hz * pz) + mass * (px * px + py * py + pz * pz)
    composite[parent, MASS] += mass
    composite[parent, MOMENT] += hx + mass * px
    composite[parent, MOMENT + 1] += hy + mass * py
    composite[parent, MOMENT + 2] += hz + mass * pz
    composite[parent, INERTIA] += (
        a0 * m[0] + b0 * m[1] + c0 * m[2] + along - 2.0 * hx * px - mass * px * px
    )
    composite[parent, INERTIA + 1] += (
        a0 * m[4] + b0 * m[5] + c0 * m[6] - hx * py - hy * px - mass * px * py
    )
    composite[parent, INERTIA + 2] += (
        a0 * m[8] + b0 * m[9] + c0 * m[10] - hx * pz - hz * px - mass * px * pz
    )
    composite[parent, INERTIA + 3] += (
        a1 * m[4] + b1 * m[5] + c1 * m[6] + along - 2.0 * hy * py - mass * py * py
    )
    composite[parent, INERTIA + 4] += (
        a1 * m[8] + b1 * m[9] + c1 * m[10] - hy * pz - hz * py - mass * py * pz
    )
    composite[parent, INERTIA + 5] += (
        a2 * m[8] + b2 * m[9] + c2 * m[10] + along - 2.0 * hz * pz - mass * pz * pz
    )


@inlined
def _write_mass_matrix(table: Array, q: Array, work: Array, out: Array) -> None:
    """Write M into ``out`` (nv, nv); ``work`` has the bodies' poses in their parents."""
    n = table.shape[0]
    for i in range(n):
        for k in range(INERTIA_COLUMNS):
            work[i, COMPOSITE + k] = table[i, BODY_INERTIA + k]
    out[:] = 0.0
    for i in range(n - 1, 0, -1):
        parent = int(table[i, PARENT])
        if parent > 0:
            add_composite(work, i, read_table(work, i, 0), parent)
        first = int(table[i, VELOCITY])
        count = velocity_count(int(table[i, KIND]))
        for k in range(count):
            f = momentum(work, i, COMPOSITE, joint_axis(table, q, i, k))
            for other in range(count):
                out[first + k, first + other] += dot(joint_axis(table, q, i, other), f)
            j = i
            while int(table[j, PARENT]) > 0:
                f = force_to_parent(read_table(work, j, 0), f)
                j = int(table[j, PARENT])
                start = int(table[j, VELOCITY])
                for other in range(velocity_count(int(table[j, KIND]))):
                    value = dot(joint_axis(table, q, j, other), f)
                    out[first + k, start + other] += value
                    out[start + other, first + k] += value


@kernel(types.boolean(TABLE, READ_1D, MATRIX, MATRIX), allocates=False)
def mass_matrix(table: Array, q: Array, work: Array, out: Array) -> bool:
    """Write M into ``out`` (nv, nv): composite rigid bodies (Featherstone, 6.2).

    ``work`` (n, 22) is work space: parent from body; the inertia of the body with all that hangs
    on it. Joints that share a velocity, as mimic joints do, add up.
    """
    for i in range(1, table.shape[0]):
        write_pose(work, i, parent_from_body(table, q, i))
    _write_mass_matrix(table, q, work, out)
    return all_finite(q)


@kernel(types.boolean(TABLE, READ_1D, READ_1D, READ_1D, MATRIX, MATRIX, VECTOR), allocates=False)
def forward_dynamics(
    table: Array, q: Array, v: Array, torque: Array, work: Array, matrix: Array, out: Array
) -> bool:
    """Write the joint accelerations into ``out`` (nv,): M a = torque - bias (Featherstone, 6.1).

    By Cholesky's factorisation of M. ``work`` (n, 30) and ``matrix`` (nv, nv) are work space.
    False also if M is not positive definite.
    """
    matrix[:] = 0.0
    finite = inverse_dynamics(table, q, v, matrix[0], work, out) and all_finite(torque)
    _write_mass_matrix(table, q, work, matrix)
    count = out.shape[0]
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


@kernel(types.boolean(MATRIX, READ_1D, READ_1D, VECTOR, VECTOR))
def resist(inverse: Array, low: Array, high: Array, impulse: Array, v: Array) -> bool:
    """Brake ``v`` (nv,) with impulses within [low, high] (N m s, N s) that take no more than it.

    ``inverse`` is the inverse of the mass matrix. Each impulse brings its own velocity to rest, or
    stays at a bound: projected Gauss-Seidel (Moreau 1988; Catto, "Iterative dynamics with temporal
    coherence", GDC 2005). ``impulse`` (nv,) holds a guess, within the bounds, and then the result.
    Returns whether the iteration converged.
    """
    count = v.shape[0]
    for i in range(count):
        for k in range(count):
            v[k] += inverse[k, i] * impulse[i]
    for _ in range(SWEEPS):
        largest = 0.0
        for i in range(count):
            if low[i] == 0.0 and high[i] == 0.0:
                continue
            wanted = impulse[i] - v[i] / inverse[i, i]
            change = min(max(wanted, low[i]), high[i]) - impulse[i]
            impulse[i] += change
            for k in range(count):
                v[k] += inverse[k, i] * change
            largest = max(largest, abs(change) * inverse[i, i])
        if largest < CONVERGED:
            return True
    return False


@kernel(types.boolean(TABLE, MATRIX, MATRIX, MATRIX, MATRIX, MATRIX), allocates=False)
def inverse_dynamics_batch(
    table: Array, q: Array, v: Array, a: Array, work: Array, out: Array
) -> bool:
    """Batch version of ``inverse_dynamics``: for every row of q, v and a."""
    finite = True
    for k in range(q.shape[0]):
        finite &= inverse_dynamics(table, q[k], v[k], a[k], work, out[k])
    return finite


@kernel(types.boolean(TABLE, MATRIX, MATRIX, BATCH), allocates=False)
def mass_matrix_batch(table: Array, q: Array, work: Array, out: Array) -> bool:
    """Batch version of ``mass_matrix``: for every row of q."""
    finite = True
    for k in range(q.shape[0]):
        finite &= mass_matrix(table, q[k], work, out[k])
    return finite


@kernel(types.boolean(TABLE, MATRIX, MATRIX, MATRIX, MATRIX, MATRIX, MATRIX), allocates=False)
def forward_dynamics_batch(
    table: Array, q: Array, v: Array, torque: Array, work: Array, matrix: Array, out: Array
) -> bool:
    """Batch version of ``forward_dynamics``: for every row of q, v and torque."""
    well = True
    for k in range(q.shape[0]):
        well &= forward_dynamics(table, q[k], v[k], torque[k], work, matrix, out[k])
    return well
