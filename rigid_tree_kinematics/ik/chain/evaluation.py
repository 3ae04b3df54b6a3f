"""The inner arithmetic of the solvers: the tip, its Jacobian, and the damped step.

Everything is expressed in the target's frame, which costs nothing (the chain simply starts from
the inverse of the target) and gives the weights their meaning: turn about and shift along the
target's axes. The error is (rotation vector, translation) of the tip in the target's frame.
"""

from __future__ import annotations

from rigid_tree_kinematics.arrays import Array
from rigid_tree_kinematics.ik.chain.layout import (
    BEFORE,
    SLIDES,
    STEP_MULTIPLIER,
    STEP_OFFSET,
    VARIABLE,
)
from rigid_tree_kinematics.kernels import inlined
from rigid_tree_kinematics.kinematics.motion import (
    Transform,
    compose,
    read_table,
    shift,
    sincos,
    turn_z,
)

Numbers = tuple[float, ...]

# Numbers of the work space that belong to a step: its axis and a point on it, target's frame.
STEP_WORK = 6


@inlined
def tip_in_target(steps: Array, x: Array, start: Transform, axes: Array) -> Transform:
    """Return the tip in the target's frame; write each step's axis and a point on it."""
    m = start
    last = steps.shape[0] - 1
    for k in range(last):
        m = compose(m, read_table(steps, k, BEFORE))
        axes[k, 0] = m[2]
        axes[k, 1] = m[6]
        axes[k, 2] = m[10]
        axes[k, 3] = m[3]
        axes[k, 4] = m[7]
        axes[k, 5] = m[11]
        value = steps[k, STEP_MULTIPLIER] * x[int(steps[k, VARIABLE])] + steps[k, STEP_OFFSET]
        if steps[k, SLIDES] != 0.0:
            m = shift(m, 0.0, 0.0, value)
        else:
            s, c = sincos(value)
            m = turn_z(m, c, s)
    return compose(m, read_table(steps, last, BEFORE))


@inlined
def fill_jacobian(steps: Array, axes: Array, free: int, tip: Transform, J: Array) -> None:
    """Write the derivative of (turn, shift) of the tip by the free variables into J (free, 6)."""
    for v in range(free):
        for r in range(6):
            J[v, r] = 0.0
    for k in range(steps.shape[0] - 1):
        v = int(steps[k, VARIABLE])
        if v >= free:
            continue
        scale = steps[k, STEP_MULTIPLIER]
        ax = scale * axes[k, 0]
        ay = scale * axes[k, 1]
        az = scale * axes[k, 2]
        if steps[k, SLIDES] != 0.0:
            J[v, 3] += ax
            J[v, 4] += ay
            J[v, 5] += az
        else:
            rx = tip[3] - axes[k, 3]
            ry = tip[7] - axes[k, 4]
            rz = tip[11] - axes[k, 5]
            J[v, 0] += ax
            J[v, 1] += ay
            J[v, 2] += az
            J[v, 3] += ay * rz - az * ry
            J[v, 4] += az * rx - ax * rz
            J[v, 5] += ax * ry - ay * rx


@inlined
def solve_6x6(a: Numbers, b: Numbers) -> Numbers:
    """Return y with A y = b for a symmetric positive definite A given by its lower triangle.

    ``a`` holds (00, 10, 11, 20, 21, 22, ...): L D L^T without square roots, written out so that
    all of it stays in registers.
    """
    i0 = 1.0 / a[0]
    l10, l20, l30, l40, l50 = a[1] * i0, a[3] * i0, a[6] * i0, a[10] * i0, a[15] * i0
    i1 = 1.0 / (a[2] - l10 * a[1])
    u21 = a[4] - l20 * a[1]
    u31 = a[7] - l30 * a[1]
    u41 = a[11] - l40 * a[1]
    u51 = a[16] - l50 * a[1]
    l21, l31, l41, l51 = u21 * i1, u31 * i1, u41 * i1, u51 * i1
    i2 = 1.0 / (a[5] - l20 * a[3] - l21 * u21)
    u32 = a[8] - l30 * a[3] - l31 * u21
    u42 = a[12] - l40 * a[3] - l41 * u21
    u52 = a[17] - l50 * a[3] - l51 * u21
    l32, l42, l52 = u32 * i2, u42 * i2, u52 * i2
    i3 = 1.0 / (a[9] - l30 * a[6] - l31 * u31 - l32 * u32)
    u43 = a[13] - l40 * a[6] - l41 * u31 - l42 * u32
    u53 = a[18] - l50 * a[6] - l51 * u31 - l52 * u32
    l43, l53 = u43 * i3, u53 * i3
    i4 = 1.0 / (a[14] - l40 * a[10] - l41 * u41 - l42 * u42 - l43 * u43)
    u54 = a[19] - l50 * a[10] - l51 * u41 - l52 * u42 - l53 * u43
    l54 = u54 * i4
    i5 = 1.0 / (a[20] - l50 * a[15] - l51 * u51 - l52 * u52 - l53 * u53 - l54 * u54)
    z0 = b[0]
    z1 = b[1] - l10 * z0
    z2 = b[2] - l20 * z0 - l21 * z1
    z3 = b[3] - l30 * z0 - l31 * z1 - l32 * z2
    z4 = b[4] - l40 * z0 - l41 * z1 - l42 * z2 - l43 * z3
    z5 = b[5] - l50 * z0 - l51 * z1 - l52 * z2 - l53 * z3 - l54 * z4
    y5 = z5 * i5
    y4 = z4 * i4 - l54 * y5
    y3 = z3 * i3 - l43 * y4 - l53 * y5
    y2 = z2 * i2 - l32 * y3 - l42 * y4 - l52 * y5
    y1 = z1 * i1 - l21 * y2 - l31 * y3 - l41 * y4 - l51 * y5
    y0 = z0 * i0 - l10 * y1 - l20 * y2 - l30 * y3 - l40 * y4 - l50 * y5
    return y0, y1, y2, y3, y4, y5
