"""Kernels of the time derivative of a Jacobian."""

from rigid_tree_kinematics.arrays import Array
from rigid_tree_kinematics.kernels import BATCH, MATRIX, READ_1D, TABLE, kernel, types
from rigid_tree_kinematics.kinematics.motion import (
    IDENTITY,
    all_finite,
    compose,
    parent_from_body,
    rotate,
    unrotate,
    velocity_axis,
    velocity_count,
)
from rigid_tree_kinematics.kinematics.vectors import cross
from rigid_tree_kinematics.model.columns import KIND, PARENT, VELOCITY
from rigid_tree_kinematics.model.joints.joint_types import PLANAR


@kernel(types.boolean(TABLE, READ_1D, READ_1D, types.int64, types.boolean, MATRIX, MATRIX))
def jacobian_derivative(
    table: Array, q: Array, v: Array, body: int, in_base: bool, jacobian: Array, out: Array
) -> bool:
    """Write the time derivative of ``kernels.jacobian`` into ``out`` (6, nv): linear, angular.

    ``jacobian`` (6, nv) receives the Jacobian along the body's axes. A joint's axis is constant
    in the frame of the body that it moves: in the last body's frame, a column changes by its
    cross product with the velocity of one relative to the other.
    """
    out[:] = 0.0
    jacobian[:] = 0.0
    m = IDENTITY  # the body's frame in body i's frame
    turn, shift = (0.0, 0.0, 0.0), (0.0, 0.0, 0.0)  # velocity of body i relative to the body
    i = body
    while i > 0:
        first = int(table[i, VELOCITY])
        count = velocity_count(int(table[i, KIND]))
        parent_turn, parent_shift = turn, shift
        for k in range(count - 1, -1, -1):
            turns, x, y, z, px, py, pz = velocity_axis(table, q, i, k)
            wx, wy, wz = turns * x, turns * y, turns * z
            if turns != 0.0:
                rx, ry, rz = m[3] - px, m[7] - py, m[11] - pz
                x, y, z = wy * rz - wz * ry, wz * rx - wx * rz, wx * ry - wy * rx
            linear, angular = unrotate(m, x, y, z), unrotate(m, wx, wy, wz)
            one, two, three = cross(turn, linear), cross(shift, angular), cross(turn, angular)
            rate = v[first + k]
            for r in range(3):
                jacobian[r, first + k] += linear[r]
                jacobian[3 + r, first + k] += angular[r]
                out[r, first + k] += one[r] + two[r]
                out[3 + r, first + k] += three[r]
            parent_turn = (
                parent_turn[0] - rate * angular[0],
                parent_turn[1] - rate * angular[1],
                parent_turn[2] - rate * angular[2],
            )
            parent_shift = (
                parent_shift[0] - rate * linear[0],
                parent_shift[1] - rate * linear[1],
                parent_shift[2] - rate * linear[2],
            )
            if table[i, KIND] == PLANAR:  # its translations are constant in the parent's frame
                turn = parent_turn
        turn, shift = parent_turn, parent_shift
        m = compose(parent_from_body(table, q, i), m)
        i = int(table[i, PARENT])
    if in_base:
        for k in range(out.shape[1]):
            for r in (0, 3):
                # ``turn`` is that of the base relative to the body.
                x, y, z = cross(turn, (jacobian[r, k], jacobian[r + 1, k], jacobian[r + 2, k]))
                x, y, z = out[r, k] - x, out[r + 1, k] - y, out[r + 2, k] - z
                out[r, k], out[r + 1, k], out[r + 2, k] = rotate(m, x, y, z)
    return all_finite(q) and all_finite(v)


@kernel(types.boolean(TABLE, MATRIX, MATRIX, types.int64, types.boolean, MATRIX, BATCH))
def jacobian_derivative_batch(
    table: Array, q: Array, v: Array, body: int, in_base: bool, jacobian: Array, out: Array
) -> bool:
    """Batch version of ``jacobian_derivative``: for every row of q and v."""
    finite = True
    for k in range(q.shape[0]):
        finite &= jacobian_derivative(table, q[k], v[k], body, in_base, jacobian, out[k])
    return finite
