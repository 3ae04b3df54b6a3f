"""Slowing down a step, all joints together, for bodies that are near."""

import rigid_tree_kinematics.ik.differential.steps.layout as layout
from rigid_tree_kinematics.arrays import Array
from rigid_tree_kinematics.ik.differential.near.near_arrays import NEAR, NearRows
from rigid_tree_kinematics.ik.differential.steps.layout import PROGRAM, Program
from rigid_tree_kinematics.ik.differential.steps.limit_kernels import CREEPING, least_rate
from rigid_tree_kinematics.ik.differential.steps.step_kernels import move
from rigid_tree_kinematics.kernels import READ_1D, VECTOR, kernel, types


@kernel(types.void(PROGRAM, NEAR, READ_1D, VECTOR))
def slow_down(program: Program, near: NearRows, state: Array, out: Array) -> None:
    """Scale the velocities of the step from ``state`` to ``out``, and move again.

    No distance shrinks faster than allowed, as far as the accelerations permit. The nearest pair
    is marked as active.
    """
    nq, nv = program.kinds.shape[0], program.joints.shape[0]
    share, nearest = 1.0, -1
    for row in range(near.counts[layout.NEAR]):
        approach = 0.0
        for k in range(nv):
            approach -= program.near[row, k] * out[nq + k]
        allowed = max(-least_rate(program, state[nq : nq + nv], row), 0.0)
        if approach > CREEPING and allowed < share * approach:
            share, nearest = allowed / approach, row
    if nearest < 0:
        return
    low, high = program.constraints.low, program.constraints.high
    for k in range(nv):
        v = out[nq + k]
        if v > 0.0 and low[k] > 0.0:
            share = max(share, low[k] / v)
        elif v < 0.0 and high[k] < 0.0:
            share = max(share, high[k] / v)
    for k in range(nv):
        out[nq + k] *= min(share, 1.0)
    out[nq + 2 * nv + 1 + program.planes.shape[0] + nearest] = 1.0
    move(program, state, out)
