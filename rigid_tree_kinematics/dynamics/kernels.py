"""Numba kernels of the dynamics, over the arrays of a LumpedTree.

They do not allocate and return whether they succeeded. Work space comes from the caller.
"""

from rigid_tree_kinematics.arrays import Array
from rigid_tree_kinematics.dynamics.arithmetic import (
    ZERO,
    Six,
    add_six,
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
    ARMATURE,
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
from rigid_tree_kinematics.kinematics.vectors import cross
from rigid_tree_kinematics.model.columns import KIND, PARENT, VELOCITY
from rigid_tree_kinematics.model.joints.joint_types import PLANAR, PRISMATIC

# Columns of a kernel's work space, behind the twelve of the pose: Featherstone's spatial velocity,
# acceleration, force and bias acceleration c, then U = I^A S and D = S^T U of articulated bodies.
V, A, F, C, U, D = 12, 18, 24, 30, 36, 42
COMPOSITE = 12
NEWTON_EULER_COLUMNS, COMPOSITE_COLUMNS, ARTICULATED_COLUMNS = 30, 22, 43


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
def axis_change(table: Array, q: Array, v: Array, w: Array, i: int) -> Six:
    """Return the rate of a planar joint's motion ``w`` due to the rotation ``v`` of its axes.

    Its translations are along the parent's axes, expressed in the frame of a body that rotates.
    """
    first = int(table[i, VELOCITY])
    slide = plus(ZERO, joint_axis(table, q, i, 0), w[first])
    slide = plus(slide, joint_axis(table, q, i, 1), w[first + 1])
    normal = joint_axis(table, q, i, 2)
    rate = v[first + 2]
    x, y, z = cross((normal[0], normal[1], normal[2]), (slide[3], slide[4], slide[5]))
    return 0.0, 0.0, 0.0, -rate * x, -rate * y, -rate * z


@inlined
def _base_acceleration(table: Array) -> Six:
    """Return the base's fictitious acceleration -gravity, which adds all bodies' weight."""
    return (
        0.0, 0.0, 0.0, -table[0, GRAVITY], -table[0, GRAVITY + 1], -table[0, GRAVITY + 2]
    )  # fmt: skip


@inlined
def write_torques(table: Array, q: Array, work: Array, out: Array) -> None:
    """Write the joint torques of the bodies' forces into ``out`` (nv,); changes the forces."""
    out[:] = 0.0
    for i in range(table.shape[0] - 1, 0, -1):
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


@kernel(types.boolean(TABLE, READ_1D, READ_1D, READ_1D, MATRIX, VECTOR))
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
            acceleration = plus(acceleration, axis_change(table, q, v, v, i), 1.0)
        write_six(work, i, V, velocity)
        write_six(work, i, A, acceleration)
        gyroscopic = force_cross(velocity, momentum(table, i, BODY_INERTIA, velocity))
        force = plus(momentum(table, i, BODY_INERTIA, acceleration), gyroscopic, 1.0)
        write_six(work, i, F, force)
    write_torques(table, q, work, out)
    for i in range(1, n):
        if table[i, ARMATURE] > 0.0:
            first = int(table[i, VELOCITY])
            for k in range(velocity_count(int(table[i, KIND]))):
                out[first + k] += table[i, ARMATURE] * a[first + k]
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
    about = composite[parent, INERTIA:]
    about[0] += a0 * m[0] + b0 * m[1] + c0 * m[2] + along - 2.0 * hx * px - mass * px * px
    about[1] += a0 * m[4] + b0 * m[5] + c0 * m[6] - hx * py - hy * px - mass * px * py
    about[2] += a0 * m[8] + b0 * m[9] + c0 * m[10] - hx * pz - hz * px - mass * px * pz
    about[3] += a1 * m[4] + b1 * m[5] + c1 * m[6] + along - 2.0 * hy * py - mass * py * py
    about[4] += a1 * m[8] + b1 * m[9] + c1 * m[10] - hy * pz - hz * py - mass * py * pz
    about[5] += a2 * m[8] + b2 * m[9] + c2 * m[10] + along - 2.0 * hz * pz - mass * pz * pz


@kernel(types.boolean(TABLE, READ_1D, MATRIX, MATRIX))
def mass_matrix(table: Array, q: Array, work: Array, out: Array) -> bool:
    """Write M into ``out`` (nv, nv): composite rigid bodies (Featherstone, 6.2).

    ``work`` (n, 22) is work space: parent from body; the inertia of the body's subtree. Joints
    that share a velocity, like mimic joints, add up.
    """
    n = table.shape[0]
    for i in range(n):
        for k in range(INERTIA_COLUMNS):
            work[i, COMPOSITE + k] = table[i, BODY_INERTIA + k]
    for i in range(1, n):
        write_pose(work, i, parent_from_body(table, q, i))
    out[:] = 0.0
    for i in range(n - 1, 0, -1):
        parent = int(table[i, PARENT])
        if parent > 0:
            add_composite(work, i, read_table(work, i, 0), parent)
        first = int(table[i, VELOCITY])
        count = velocity_count(int(table[i, KIND]))
        for k in range(count):
            out[first + k, first + k] += table[i, ARMATURE]
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
    return all_finite(q)


@inlined
def _write_inertia(articulated: Array, i: int, table: Array) -> None:
    """Write body i's inertia as a symmetric 6x6: [[I, h x], [-h x, m]]."""
    inertia = table[:, BODY_INERTIA:]
    mass = inertia[i, MASS]
    hx, hy, hz = inertia[i, MOMENT], inertia[i, MOMENT + 1], inertia[i, MOMENT + 2]
    big = articulated[i]
    big[:] = 0.0
    big[0, 0] = inertia[i, INERTIA]
    big[0, 1] = big[1, 0] = inertia[i, INERTIA + 1]
    big[0, 2] = big[2, 0] = inertia[i, INERTIA + 2]
    big[1, 1] = inertia[i, INERTIA + 3]
    big[1, 2] = big[2, 1] = inertia[i, INERTIA + 4]
    big[2, 2] = inertia[i, INERTIA + 5]
    big[0, 4] = big[4, 0] = -hz
    big[0, 5] = big[5, 0] = hy
    big[1, 3] = big[3, 1] = hz
    big[1, 5] = big[5, 1] = -hx
    big[2, 3] = big[3, 2] = -hy
    big[2, 4] = big[4, 2] = hx
    big[3, 3] = big[4, 4] = big[5, 5] = mass


@inlined
def _times(articulated: Array, i: int, x: Six) -> Six:
    """Return the i-th 6x6 times a motion."""
    big = articulated[i]
    return (
        dot(read_six(big, 0, 0), x), dot(read_six(big, 1, 0), x), dot(read_six(big, 2, 0), x),
        dot(read_six(big, 3, 0), x), dot(read_six(big, 4, 0), x), dot(read_six(big, 5, 0), x),
    )  # fmt: skip


@inlined
def _add_to_parent(articulated: Array, i: int, m: Transform, parent: int) -> None:
    """Add the i-th 6x6, in the parent's frame, to the parent's; ``m`` is parent from body.

    With A = [[J, H], [H^T, M]] rotated to the parent's axes and p from origin to origin:
    H' = H + [p] M, J' = J + [p] H^T - H' [p].
    """
    a, b = articulated[i], articulated[parent]
    px, py, pz = m[3], m[7], m[11]
    j = _turned(m, a, 0, 0)
    h = _turned(m, a, 0, 3)
    w = _turned(m, a, 3, 3)
    g = (
        h[0] + py * w[6] - pz * w[3], h[1] + py * w[7] - pz * w[4], h[2] + py * w[8] - pz * w[5],
        h[3] + pz * w[0] - px * w[6], h[4] + pz * w[1] - px * w[7], h[5] + pz * w[2] - px * w[8],
        h[6] + px * w[3] - py * w[0], h[7] + px * w[4] - py * w[1], h[8] + px * w[5] - py * w[2],
    )  # fmt: skip
    k = (
        j[0] + py * h[2] - pz * h[1], j[1] + py * h[5] - pz * h[4], j[2] + py * h[8] - pz * h[7],
        j[3] + pz * h[0] - px * h[2], j[4] + pz * h[3] - px * h[5], j[5] + pz * h[6] - px * h[8],
        j[6] + px * h[1] - py * h[0], j[7] + px * h[4] - py * h[3], j[8] + px * h[7] - py * h[6],
    )  # fmt: skip
    for r in range(3):
        gx, gy, gz = g[3 * r], g[3 * r + 1], g[3 * r + 2]
        b[r, 0] += k[3 * r] - (gy * pz - gz * py)
        b[r, 1] += k[3 * r + 1] - (gz * px - gx * pz)
        b[r, 2] += k[3 * r + 2] - (gx * py - gy * px)
        b[r, 3] += gx
        b[r, 4] += gy
        b[r, 5] += gz
        b[3, r] += gx
        b[4, r] += gy
        b[5, r] += gz
        for c in range(3):
            b[3 + r, 3 + c] += w[3 * r + c]


@inlined
def _turned(m: Transform, a: Array, row: int, column: int) -> tuple[float, ...]:
    """Return R B R^T, nine numbers row by row, of a 3x3 block of ``a``."""
    x0, x1, x2 = rotate(m, a[row, column], a[row + 1, column], a[row + 2, column])
    y0, y1, y2 = rotate(m, a[row, column + 1], a[row + 1, column + 1], a[row + 2, column + 1])
    z0, z1, z2 = rotate(m, a[row, column + 2], a[row + 1, column + 2], a[row + 2, column + 2])
    a0, a1, a2 = rotate(m, x0, y0, z0)
    b0, b1, b2 = rotate(m, x1, y1, z1)
    c0, c1, c2 = rotate(m, x2, y2, z2)
    return a0, a1, a2, b0, b1, b2, c0, c1, c2


@kernel(types.boolean(TABLE, READ_1D, READ_1D, READ_1D, MATRIX, BATCH, VECTOR))
def articulated_dynamics(
    table: Array, q: Array, v: Array, torque: Array, work: Array, articulated: Array, out: Array
) -> bool:
    """Write joint accelerations to ``out`` (nv,): articulated bodies (Featherstone, 7.3).

    For plain trees only: one velocity per joint, none shared. ``work`` (n, 43) and ``articulated``
    (n, 6, 6) are work space. Also returns False if a joint moves no mass.
    """
    n = table.shape[0]
    write_six(work, 0, V, ZERO)
    for i in range(1, n):
        m = parent_from_body(table, q, i)
        write_pose(work, i, m)
        relative = plus(ZERO, read_six(table, i, MOTION_AXIS), v[int(table[i, VELOCITY])])
        before = read_six(work, int(table[i, PARENT]), V)
        velocity = plus(motion_to_child(m, before), relative, 1.0)
        write_six(work, i, V, velocity)
        write_six(work, i, C, motion_cross(velocity, relative))
        gyroscopic = force_cross(velocity, momentum(table, i, BODY_INERTIA, velocity))
        write_six(work, i, F, gyroscopic)
        _write_inertia(articulated, i, table)
    well = True
    for i in range(n - 1, 0, -1):
        slot = int(table[i, VELOCITY])
        s = read_six(table, i, MOTION_AXIS)
        u = _times(articulated, i, s)
        d = dot(s, u) + table[i, ARMATURE]
        well &= d > 0.0
        p = read_six(work, i, F)
        push = torque[slot] - dot(s, p)
        write_six(work, i, U, u)
        work[i, D] = d
        out[slot] = push  # for the outward pass
        parent = int(table[i, PARENT])
        if parent > 0:
            for r in range(6):  # the joint transmits no force along its axis
                for c in range(6):
                    articulated[i, r, c] -= 1.0 / d * u[r] * u[c]
            p = plus(p, _times(articulated, i, read_six(work, i, C)), 1.0)
            p = plus(p, u, push / d)
            m = read_table(work, i, 0)
            add_six(work, parent, F, force_to_parent(m, p))
            _add_to_parent(articulated, i, m, parent)
    write_six(work, 0, A, _base_acceleration(table))
    for i in range(1, n):
        slot = int(table[i, VELOCITY])
        m = read_table(work, i, 0)
        acceleration = motion_to_child(m, read_six(work, int(table[i, PARENT]), A))
        acceleration = plus(acceleration, read_six(work, i, C), 1.0)
        out[slot] = (out[slot] - dot(read_six(work, i, U), acceleration)) / work[i, D]
        write_six(work, i, A, plus(acceleration, read_six(table, i, MOTION_AXIS), out[slot]))
    return well and all_finite(q) and all_finite(v) and all_finite(torque)


@kernel(types.boolean(TABLE, MATRIX, MATRIX, MATRIX, MATRIX, MATRIX))
def inverse_dynamics_batch(
    table: Array, q: Array, v: Array, a: Array, work: Array, out: Array
) -> bool:
    """Batch version of ``inverse_dynamics``: for every row of q, v and a."""
    finite = True
    for k in range(q.shape[0]):
        finite &= inverse_dynamics(table, q[k], v[k], a[k], work, out[k])
    return finite


@kernel(types.boolean(TABLE, MATRIX, MATRIX, BATCH))
def mass_matrix_batch(table: Array, q: Array, work: Array, out: Array) -> bool:
    """Batch version of ``mass_matrix``: for every row of q."""
    finite = True
    for k in range(q.shape[0]):
        finite &= mass_matrix(table, q[k], work, out[k])
    return finite


@kernel(types.boolean(TABLE, MATRIX, MATRIX, MATRIX, MATRIX, BATCH, MATRIX))
def articulated_dynamics_batch(
    table: Array, q: Array, v: Array, torque: Array, work: Array, articulated: Array, out: Array
) -> bool:
    """Batch version of ``articulated_dynamics``: for every row of q, v and torque."""
    well = True
    for k in range(q.shape[0]):
        well &= articulated_dynamics(table, q[k], v[k], torque[k], work, articulated, out[k])
    return well
