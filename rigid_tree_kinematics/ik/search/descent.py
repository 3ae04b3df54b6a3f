"""Levenberg-Marquardt descent on a chain from a start to a local minimum.

The damping is proportional to the squared error (Chan and Lawrence 1988; Sugihara 2011), so steps
far from the target are small and the last ones converge quadratically. Variables at a limit that
would exceed it are excluded from the step, and every step is clamped to the limits. The normal
equations are solved in the space of the six pose errors, for any number of joints.

Everything is expressed in the target's frame, at no cost (the chain starts from the inverse of the
target), because weights refer to its axes: rotations about them and translations along them. The
error is (rotation vector, translation) of the tip in the target's frame.

The functions are parts of kernels: they check nothing and raise nothing. Their arguments:

- ``chain`` and ``w`` are the arrays of ``layout.py``; ``v`` is the number of a variable, ``free``
  the number of free ones;
- ``e``, six numbers, is the weighted error of the tip in the target's frame: 3 of the rotation
  vector (rad), 3 of the position (m), each times its weight of ``settings``;
- ``J`` (free, 6) is the derivative of that error, row v by variable v.
"""

import math

import rigid_tree_kinematics.ik.chain.layout as layout
from rigid_tree_kinematics.arrays import Array
from rigid_tree_kinematics.ik.chain.layout import ChainArrays, Workspace
from rigid_tree_kinematics.ik.search.space import recenter_balls
from rigid_tree_kinematics.kernels import inlined
from rigid_tree_kinematics.kinematics.motion import (
    Transform,
    Vector,
    compose,
    log_derivative,
    read_table,
    rotation_vector,
    shift,
    sincos,
    turn_z,
)

Numbers = tuple[float, ...]

DAMPING = 0.1  # times half the squared weighted error; measured over a dozen robots
LEAST_DAMPING = 1e-9  # keeps the equations solvable where the error vanishes
MOST_ITERATIONS = 40
# A descent that has not halved the squared error in this many iterations is in a local minimum.
WINDOW = 5
PROGRESS = 0.5
# Numbers of the work space that belong to a step: its axis and a point on it, target's frame.
STEP_WORK = 6


@inlined
def tip_in_target(steps: Array, x: Array, start: Transform, axes: Array) -> Transform:
    """Return the tip in the target's frame; write each step's axis and a point on it."""
    m = start
    last = steps.shape[0] - 1
    for k in range(last):
        m = compose(m, read_table(steps, k, layout.BEFORE))
        axes[k, 0], axes[k, 1], axes[k, 2] = m[2], m[6], m[10]
        axes[k, 3], axes[k, 4], axes[k, 5] = m[3], m[7], m[11]
        variable = int(steps[k, layout.VARIABLE])
        value = steps[k, layout.STEP_MULTIPLIER] * x[variable] + steps[k, layout.STEP_OFFSET]
        if steps[k, layout.SLIDES] != 0.0:
            m = shift(m, 0.0, 0.0, value)
        else:
            s, c = sincos(value)
            m = turn_z(m, c, s)
    return compose(m, read_table(steps, last, layout.BEFORE))


@inlined
def fill_jacobian(steps: Array, axes: Array, free: int, tip: Transform, J: Array) -> None:
    """Write the free variables' Jacobian of the tip (rotation, translation) to J (free, 6)."""
    for v in range(free):
        for r in range(6):
            J[v, r] = 0.0
    for k in range(steps.shape[0] - 1):
        v = int(steps[k, layout.VARIABLE])
        if v >= free:
            continue
        scale = steps[k, layout.STEP_MULTIPLIER]
        ax, ay, az = scale * axes[k, 0], scale * axes[k, 1], scale * axes[k, 2]
        if steps[k, layout.SLIDES] != 0.0:
            J[v, 3] += ax
            J[v, 4] += ay
            J[v, 5] += az
        else:
            rx, ry, rz = tip[3] - axes[k, 3], tip[7] - axes[k, 4], tip[11] - axes[k, 5]
            J[v, 0] += ax
            J[v, 1] += ay
            J[v, 2] += az
            J[v, 3] += ay * rz - az * ry
            J[v, 4] += az * rx - ax * rz
            J[v, 5] += ax * ry - ay * rx


@inlined
def solve_6x6(a: Numbers, b: Numbers) -> Numbers:
    """Return y with A y = b for a symmetric positive definite A given by its lower triangle.

    ``a`` is (00, 10, 11, 20, 21, 22, ...). L D L^T without square roots, unrolled so that all
    numbers stay in registers.
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


@inlined
def weighted_error(settings: Array, m: Transform) -> tuple[bool, Numbers, Vector]:
    """Return (met, e, w) of the tip's transform ``m`` in the target's frame (12 numbers).

    ``met`` is whether the components with a weight are within both tolerances (rad, m); ``w`` is
    the rotation vector without weights (3 numbers, rad).
    """
    w = rotation_vector(m)
    turn, away = errors_with_weight(settings, m, w)
    met = turn <= settings[layout.ORIENTATION_TOLERANCE]
    met = met and away <= settings[layout.POSITION_TOLERANCE]
    e = (
        settings[0] * w[0], settings[1] * w[1], settings[2] * w[2],
        settings[3] * m[3], settings[4] * m[7], settings[5] * m[11],
    )  # fmt: skip
    return met, e, w


@inlined
def errors_with_weight(settings: Array, m: Transform, w: Vector) -> tuple[float, float]:
    """Return the orientation error (rad) and position error (m) of components with a weight."""
    o, p = 0.0, 0.0
    for k in range(3):
        if settings[k] != 0.0:
            o += w[k] * w[k]
        if settings[3 + k] != 0.0:
            p += m[4 * k + 3] * m[4 * k + 3]
    return math.sqrt(o), math.sqrt(p)


@inlined
def half_square(e: Numbers) -> float:
    """Return half the squared norm of six numbers ``e``: the cost of a descent."""
    return 0.5 * (
        e[0] * e[0] + e[1] * e[1] + e[2] * e[2] + e[3] * e[3] + e[4] * e[4] + e[5] * e[5]
    )


@inlined
def weigh_jacobian(settings: Array, w: Vector, free: int, J: Array) -> None:
    """Convert ``J`` from rates of the tip to rates of the weighted error, in place.

    ``w`` is the rotation vector (rad). With equal orientation weights, the angular velocity is
    used as its rate, which does not change the gradient; with unequal ones the exact derivative.
    """
    exact = settings[layout.PARTIAL_ORIENTATION] != 0.0
    for v in range(free):
        x, y, z = J[v, 0], J[v, 1], J[v, 2]
        if exact:
            x, y, z = log_derivative(w, x, y, z)
        J[v, 0] = settings[0] * x
        J[v, 1] = settings[1] * y
        J[v, 2] = settings[2] * z
        J[v, 3] *= settings[3]
        J[v, 4] *= settings[4]
        J[v, 5] *= settings[5]


@inlined
def distance_in_units(e: Numbers) -> float:
    """Return the position error in units of a prismatic joint, at least 1."""
    return max(1.0, math.sqrt(e[3] * e[3] + e[4] * e[4] + e[5] * e[5]))


@inlined
def unit_of(variables: Array, v: int, far: float) -> float:
    """Return the unit (rad or m) of variable v, that of a slide ``far`` times as long."""
    unit = float(variables[v, layout.UNIT])
    return far * unit if variables[v, layout.LONGEST] == math.inf else unit


@inlined
def scale_to_units(variables: Array, far: float, free: int, J: Array) -> None:
    """Convert ``J`` from rates by the variables (rad, m) to rates by their units, in place."""
    for v in range(free):
        unit = unit_of(variables, v, far)
        if unit != 1.0:
            for r in range(6):
                J[v, r] *= unit


@inlined
def gradient_of(J: Array, v: int, e: Numbers) -> float:
    """Return the derivative of half the squared error ``e`` by variable v."""
    return float(
        J[v, 0] * e[0] + J[v, 1] * e[1] + J[v, 2] * e[2]
        + J[v, 3] * e[3] + J[v, 4] * e[4] + J[v, 5] * e[5]
    )  # fmt: skip


@inlined
def pushes_out(variables: Array, v: int, value: float, gradient: float) -> bool:
    """Return whether variable v is at a limit, which a descent would exceed.

    ``gradient`` is the derivative of half the squared error by it.
    """
    if value <= variables[v, layout.LOWER]:
        return gradient > 0.0
    if value >= variables[v, layout.UPPER]:
        return gradient < 0.0
    return False


@inlined
def clamped(variables: Array, v: int, value: float) -> float:
    """Return ``value`` (rad, m) clamped at the limits of variable v."""
    if value < variables[v, layout.LOWER]:
        return float(variables[v, layout.LOWER])
    if value > variables[v, layout.UPPER]:
        return float(variables[v, layout.UPPER])
    return value


@inlined
def normal_matrix(J: Array, use: Array, damping: float, free: int) -> Numbers:
    """Return J^T J + damping I (6x6), summed over the variables v with ``use[v]`` not 0.

    As its lower triangle by rows, 21 numbers; ``use`` is (free,).
    """
    a0 = a2 = a5 = a9 = a14 = a20 = damping
    a1 = a3 = a4 = a6 = a7 = a8 = a10 = a11 = 0.0
    a12 = a13 = a15 = a16 = a17 = a18 = a19 = 0.0
    for v in range(free):
        if use[v] == 0.0:
            continue
        j0, j1, j2, j3, j4, j5 = J[v, 0], J[v, 1], J[v, 2], J[v, 3], J[v, 4], J[v, 5]
        a0, a1, a2 = a0 + j0 * j0, a1 + j1 * j0, a2 + j1 * j1
        a3, a4, a5 = a3 + j2 * j0, a4 + j2 * j1, a5 + j2 * j2
        a6, a7, a8, a9 = a6 + j3 * j0, a7 + j3 * j1, a8 + j3 * j2, a9 + j3 * j3
        a10, a11, a12 = a10 + j4 * j0, a11 + j4 * j1, a12 + j4 * j2
        a13, a14 = a13 + j4 * j3, a14 + j4 * j4
        a15, a16, a17 = a15 + j5 * j0, a16 + j5 * j1, a17 + j5 * j2
        a18, a19, a20 = a18 + j5 * j3, a19 + j5 * j4, a20 + j5 * j5
    return (
        a0, a1, a2, a3, a4, a5, a6, a7, a8, a9, a10,
        a11, a12, a13, a14, a15, a16, a17, a18, a19, a20,
    )  # fmt: skip


@inlined
def damped_step(
    variables: Array, x: Array, J: Array, e: Numbers, damping: float, free: int, step: Array
) -> None:
    """Write the free variables' damped Gauss-Newton step, in units, into ``step`` (free,).

    It is -J (J^T J + damping I)^-1 e over the variables that can move. A variable at a limit does
    not move if the gradient or its own step pushes it out; in the latter case the steps of the
    others are recomputed without it.
    """
    for v in range(free):
        step[v] = 1.0
        if pushes_out(variables, v, x[v], gradient_of(J, v, e)):
            step[v] = 0.0
    again = True
    while again:
        again = False
        y = solve_6x6(normal_matrix(J, step, damping, free), e)
        for v in range(free):
            if step[v] != 0.0:
                step[v] = -gradient_of(J, v, y)
                if pushes_out(variables, v, x[v], -step[v]):
                    step[v] = 0.0
                    again = True


@inlined
def descend_lm(chain: ChainArrays, start: Transform, w: Workspace) -> tuple[bool, int, float]:
    """Descend from w.x, in place; return (converged, iterations, half the squared error).

    ``start`` is the base body in the target's frame. At most MOST_ITERATIONS iterations, fewer in
    a local minimum.
    """
    free = int(chain.settings[layout.FREE_COUNT])
    window_error = math.inf
    error = math.inf
    for iteration in range(MOST_ITERATIONS):
        m = tip_in_target(chain.steps, w.x, start, w.axes)
        met, e, turn = weighted_error(chain.settings, m)
        error = half_square(e)
        if met:
            return True, iteration, error
        if iteration % WINDOW == WINDOW - 1:
            if not error < PROGRESS * window_error:
                return False, iteration, error
            window_error = error
        iterate_lm(chain, w, m, e, turn, free)
    return False, MOST_ITERATIONS, error


@inlined
def iterate_lm(
    chain: ChainArrays, w: Workspace, tip: Transform, e: Numbers, turn: Vector, free: int
) -> None:
    """Move w.x by one step of Levenberg-Marquardt, for the tip and the error at w.x."""
    fill_jacobian(chain.steps, w.axes, free, tip, w.J)
    weigh_jacobian(chain.settings, turn, free, w.J)
    far = distance_in_units(e)
    scale_to_units(chain.variables, far, free, w.J)
    damping = DAMPING * half_square(e) + LEAST_DAMPING
    damped_step(chain.variables, w.x, w.J, e, damping, free, w.step)
    advance(chain.steps, chain.variables, w.x, w.step, far, free)


@inlined
def approach(chain: ChainArrays, start: Transform, w: Workspace) -> int:
    """Bring a tip that is far from the target near it by prismatic joints; return iterations."""
    free = int(chain.settings[layout.FREE_COUNT])
    slides = False
    for v in range(free):
        slides = slides or chain.variables[v, layout.LONGEST] == math.inf
    if not slides:
        return 0
    for iteration in range(MOST_ITERATIONS):
        tip = tip_in_target(chain.steps, w.x, start, w.axes)
        _, e, turn = weighted_error(chain.settings, tip)
        if distance_in_units(e) <= 1.0:
            return iteration
        iterate_lm(chain, w, tip, e, turn, free)
    return MOST_ITERATIONS


@inlined
def advance(steps: Array, variables: Array, x: Array, step: Array, far: float, free: int) -> None:
    """Add ``step`` (free,), in units, to x, in place.

    The step is scaled to the maximum changes in one iteration (column LONGEST), and the sum is
    clamped to the limits. Ball joints are recentered.
    """
    scale = 1.0
    for v in range(free):
        if scale * abs(step[v]) > variables[v, layout.LONGEST]:
            scale = variables[v, layout.LONGEST] / abs(step[v])
    for v in range(free):
        x[v] = clamped(variables, v, x[v] + scale * unit_of(variables, v, far) * step[v])
    recenter_balls(steps, variables, x)
