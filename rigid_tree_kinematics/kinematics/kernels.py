"""Numba kernels over the compiled table of a tree: transforms, Jacobians, center of mass.

The kernels do not allocate and return whether the positions were finite; the caller checks the
shapes.
"""

from rigid_tree_kinematics.arrays import Array
from rigid_tree_kinematics.kernels import (
    BATCH,
    MATRIX,
    READ_1D,
    READ_2D,
    STACK,
    TABLE,
    kernel,
    types,
)
from rigid_tree_kinematics.kinematics.motion import (
    IDENTITY,
    all_finite,
    base_from_body,
    compose,
    parent_from_body,
    quaternion_of,
    read_transform,
    rotate,
    unrotate,
    velocity_axis,
    velocity_count,
    write_matrix,
)
from rigid_tree_kinematics.model.columns import KIND, PARENT, VELOCITY


@kernel(types.boolean(TABLE, READ_1D, BATCH))
def body_transforms(table: Array, q: Array, out: Array) -> bool:
    """Write every body's frame in the base frame into ``out`` (n, 4, 4)."""
    write_matrix(out[0], IDENTITY)
    for i in range(1, table.shape[0]):
        m = parent_from_body(table, q, i)
        parent = int(table[i, PARENT])
        if parent > 0:
            m = compose(read_transform(out, parent), m)
        write_matrix(out[i], m)
    return all_finite(q)


@kernel(types.boolean(TABLE, READ_2D, STACK))
def body_transforms_batch(table: Array, q: Array, out: Array) -> bool:
    """Batch version of ``body_transforms``: ``q`` (N, nq), ``out`` (N, n, 4, 4)."""
    finite = True
    for k in range(q.shape[0]):
        finite &= body_transforms(table, q[k], out[k])
    return finite


@kernel(types.boolean(TABLE, READ_1D, MATRIX))
def parent_poses(table: Array, q: Array, out: Array) -> bool:
    """Write bodies' poses in their parents to ``out`` (n, 7): position, quaternion (w >= 0)."""
    for i in range(table.shape[0]):
        m = parent_from_body(table, q, i) if i > 0 else IDENTITY
        out[i, 0], out[i, 1], out[i, 2] = m[3], m[7], m[11]
        out[i, 3], out[i, 4], out[i, 5], out[i, 6] = quaternion_of(m)
    return all_finite(q)


@kernel(types.boolean(TABLE, READ_1D, types.int64, MATRIX))
def chain_transform(table: Array, q: Array, body: int, out: Array) -> bool:
    """Write one body's frame in the base frame to ``out`` (4, 4); computes only its chain."""
    write_matrix(out, base_from_body(table, q, body))
    return all_finite(q)


@kernel(types.boolean(TABLE, READ_2D, types.int64, BATCH))
def chain_transform_batch(table: Array, q: Array, body: int, out: Array) -> bool:
    """Batch version of ``chain_transform``: ``q`` (N, nq), ``out`` (N, 4, 4)."""
    finite = True
    for k in range(q.shape[0]):
        finite &= chain_transform(table, q[k], body, out[k])
    return finite


@kernel(types.boolean(TABLE, READ_1D, types.int64, types.boolean, MATRIX))
def jacobian(table: Array, q: Array, body: int, in_base: bool, out: Array) -> bool:
    """Write the geometric Jacobian of a body's origin into ``out`` (6, nv): linear, angular.

    Columns are computed from the body to the base, along the body's axes, and finally rotated to
    the base's axes if requested.
    """
    out[:] = 0.0
    m = IDENTITY  # the body's frame in body i's frame
    i = body
    while i > 0:
        first = int(table[i, VELOCITY])
        for k in range(velocity_count(int(table[i, KIND]))):
            turns, x, y, z, px, py, pz = velocity_axis(table, q, i, k)
            wx, wy, wz = turns * x, turns * y, turns * z
            if turns != 0.0:
                rx, ry, rz = m[3] - px, m[7] - py, m[11] - pz
                x, y, z = wy * rz - wz * ry, wz * rx - wx * rz, wx * ry - wy * rx
            x, y, z = unrotate(m, x, y, z)
            wx, wy, wz = unrotate(m, wx, wy, wz)
            out[0, first + k] += x
            out[1, first + k] += y
            out[2, first + k] += z
            out[3, first + k] += wx
            out[4, first + k] += wy
            out[5, first + k] += wz
        m = compose(parent_from_body(table, q, i), m)
        i = int(table[i, PARENT])
    if in_base:
        for k in range(out.shape[1]):
            out[0, k], out[1, k], out[2, k] = rotate(m, out[0, k], out[1, k], out[2, k])
            out[3, k], out[4, k], out[5, k] = rotate(m, out[3, k], out[4, k], out[5, k])
    return all_finite(q)


@kernel(types.boolean(TABLE, READ_2D, types.int64, types.boolean, BATCH))
def jacobian_batch(table: Array, q: Array, body: int, in_base: bool, out: Array) -> bool:
    """Batch version of ``jacobian``: ``q`` (N, nq), ``out`` (N, 6, nv)."""
    finite = True
    for k in range(q.shape[0]):
        finite &= jacobian(table, q[k], body, in_base, out[k])
    return finite


@kernel(types.boolean(TABLE, READ_1D, READ_2D, READ_1D, BATCH, MATRIX, MATRIX))
def center_of_mass(
    table: Array, mass: Array, center: Array, q: Array, frames: Array, moments: Array, out: Array
) -> bool:
    """Write the center of mass and its Jacobian, in the base frame, into ``out`` (3, 1 + nv).

    ``frames`` (n, 4, 4) and ``moments`` (n, 4) are work space: every body's frame, and the first
    moment (kg m) and mass (kg) of its subtree.
    """
    finite = body_transforms(table, q, frames)
    n = table.shape[0]
    for i in range(n):
        m = read_transform(frames, i)
        x, y, z = rotate(m, center[i, 0], center[i, 1], center[i, 2])
        moments[i, 0] = mass[i] * (x + m[3])
        moments[i, 1] = mass[i] * (y + m[7])
        moments[i, 2] = mass[i] * (z + m[11])
        moments[i, 3] = mass[i]
    for i in range(n - 1, 0, -1):
        parent = int(table[i, PARENT])
        for k in range(4):
            moments[parent, k] += moments[i, k]
    total = 1.0 / moments[0, 3]
    out[:] = 0.0
    for k in range(3):
        out[k, 0] = moments[0, k] * total
    for i in range(1, n):
        first = 1 + int(table[i, VELOCITY])
        m = read_transform(frames, i)
        for k in range(velocity_count(int(table[i, KIND]))):
            turns, x, y, z, px, py, pz = velocity_axis(table, q, i, k)
            x, y, z = rotate(m, x, y, z)
            weight = moments[i, 3]
            if turns != 0.0:
                px, py, pz = rotate(m, px, py, pz)
                rx = moments[i, 0] - weight * (px + m[3])
                ry = moments[i, 1] - weight * (py + m[7])
                rz = moments[i, 2] - weight * (pz + m[11])
                x, y, z = y * rz - z * ry, z * rx - x * rz, x * ry - y * rx
                weight = 1.0
            out[0, first + k] += x * weight * total
            out[1, first + k] += y * weight * total
            out[2, first + k] += z * weight * total
    return finite


@kernel(types.boolean(TABLE, READ_1D, READ_2D, READ_2D, BATCH, MATRIX, BATCH))
def center_of_mass_batch(
    table: Array, mass: Array, center: Array, q: Array, frames: Array, moments: Array, out: Array
) -> bool:
    """Batch version of ``center_of_mass``: ``q`` (N, nq), ``out`` (N, 3, 1 + nv)."""
    finite = True
    for k in range(q.shape[0]):
        finite &= center_of_mass(table, mass, center, q[k], frames, moments, out[k])
    return finite
