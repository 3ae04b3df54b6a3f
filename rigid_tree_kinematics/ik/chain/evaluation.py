"""The inner arithmetic of the solvers: pose error, its Jacobian, and the damped step.

Everything is expressed in the target's frame, which costs nothing (the chain simply starts from
the inverse of the target) and gives the weights their meaning: turn about and shift along the
target's axes. The error is (rotation vector, translation) of the tip in the target's frame.
"""

from __future__ import annotations

import math
from typing import Any

from rigid_tree_kinematics.ik.chain.chain import (
    BEFORE,
    SLIDES,
    STEP_MULTIPLIER,
    STEP_OFFSET,
    VARIABLE,
)
from rigid_tree_kinematics.kernels import inlined
from rigid_tree_kinematics.kinematics.motion import (
    compose,
    quaternion_of,
    read_table,
    shift,
    sincos,
    turn_z,
)

# Numbers of the work space that belong to a step: its axis and a point on it, target's frame.
STEP_WORK = 6


@inlined
def inverse_of_matrix(T: Any) -> Any:
    """Return the inverse of a rigid (4, 4) array as 12 numbers."""
    return (
        T[0, 0], T[1, 0], T[2, 0], -(T[0, 0] * T[0, 3] + T[1, 0] * T[1, 3] + T[2, 0] * T[2, 3]),
        T[0, 1], T[1, 1], T[2, 1], -(T[0, 1] * T[0, 3] + T[1, 1] * T[1, 3] + T[2, 1] * T[2, 3]),
        T[0, 2], T[1, 2], T[2, 2], -(T[0, 2] * T[0, 3] + T[1, 2] * T[1, 3] + T[2, 2] * T[2, 3]),
    )  # fmt: skip


@inlined
def tip_in_target(steps: Any, x: Any, start: Any, axes: Any) -> Any:
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
def rotation_vector(m: Any) -> Any:
    """Return axis times angle (rad, angle in [0, pi]) of a transform's rotation."""
    x, y, z, w = quaternion_of(m)
    norm2 = x * x + y * y + z * z
    # Below this the angle is 2 norm to the last digit, and the quotient would be 0 / 0.
    scale = 2.0
    if norm2 > 1e-24:
        norm = math.sqrt(norm2)
        scale = 2.0 * math.atan2(norm, w) / norm
    return scale * x, scale * y, scale * z


@inlined
def log_derivative(w: Any, x: float, y: float, z: float) -> Any:
    """Return the rate of the rotation vector w of a rotation that turns at the rate (x, y, z).

    The inverse left Jacobian of SO(3) (Barfoot 2017, eq. 7.76).
    """
    t2 = w[0] * w[0] + w[1] * w[1] + w[2] * w[2]
    # (1 - (t/2) cot(t/2)) / t^2, or its series; t <= pi, so the sine is not zero.
    k = 1.0 / 12.0 + t2 / 720.0
    if t2 > 1e-4:
        half = 0.5 * math.sqrt(t2)
        s, c = sincos(half)
        k = (1.0 - half * c / s) / t2
    ax = w[1] * z - w[2] * y
    ay = w[2] * x - w[0] * z
    az = w[0] * y - w[1] * x
    bx = w[1] * az - w[2] * ay
    by = w[2] * ax - w[0] * az
    bz = w[0] * ay - w[1] * ax
    return x - 0.5 * ax + k * bx, y - 0.5 * ay + k * by, z - 0.5 * az + k * bz


@inlined
def fill_jacobian(steps: Any, axes: Any, free: int, tip: Any, J: Any) -> None:
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
def solve_6x6(a: Any, b: Any) -> Any:
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
