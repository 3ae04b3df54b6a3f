"""BFGS gradient projection on a chain: the solver of MathWorks' inverse kinematics.

Minimizes half the squared weighted pose error over the box of the joint limits. Variables at a
limit that would exceed it are removed from the quasi-Newton direction, steps end at the limits,
and a backtracking search (Armijo's condition) makes every step an improvement.
"""

import math

import rigid_tree_kinematics.ik.chain.layout as layout
from rigid_tree_kinematics.arrays import Array
from rigid_tree_kinematics.ik.chain.layout import ChainArrays, Workspace
from rigid_tree_kinematics.ik.search.descent import (
    DAMPING,
    LEAST_DAMPING,
    Numbers,
    clamped,
    fill_jacobian,
    gradient_of,
    half_square,
    pushes_out,
    tip_in_target,
    weigh_jacobian,
    weighted_error,
)
from rigid_tree_kinematics.ik.search.space import recenter_balls
from rigid_tree_kinematics.kernels import inlined
from rigid_tree_kinematics.kinematics.motion import Transform, Vector

MOST_EVALUATIONS = 300
SUFFICIENT_DECREASE = 1e-4
SHORTEST_STEP = 1e-6  # of the full quasi-Newton step; below it the direction is abandoned
# Accepted steps after which the squared error must have fallen by the factor PROGRESS.
WINDOW = 12
PROGRESS = 0.7
PATIENT_PROGRESS = 1.0 - 1e-9

# Source of the next direction: nothing yet, the gradient alone, or the curvature.
AT_START, FRESH, CURVED = range(3)


@inlined
def reset_curvature(variables: Array, H: Array, J: Array, error: float, free: int) -> None:
    """Set the inverse Hessian to the inverse diagonal of the damped J J^T.

    So a descent does not depend on the scales of the variables.
    """
    for i in range(free):
        curvature = (DAMPING * error + LEAST_DAMPING) / variables[i, layout.UNIT] ** 2
        for r in range(6):
            curvature += J[i, r] * J[i, r]
        for j in range(free):
            H[i, j] = 1.0 / curvature if i == j else 0.0


@inlined
def update_curvature(H: Array, s: Array, y: Array, Hy: Array, free: int, first: bool) -> None:
    """Update the inverse Hessian for a step s along which the gradient changed by y."""
    sy, yHy = 0.0, 0.0
    for i in range(free):
        total = 0.0
        for j in range(free):
            total += H[i, j] * y[j]
        Hy[i] = total
        sy += s[i] * y[i]
        yHy += y[i] * total
    if not sy > 1e-10 * yHy:
        return  # the curvature condition fails: keep H positive definite
    if first:  # Nocedal and Wright 2006, eq. 6.20, for scaled variables
        shrink = sy / yHy
        for i in range(free):
            H[i, i] *= shrink
            Hy[i] *= shrink
        yHy = sy
    scale = (1.0 + yHy / sy) / sy
    for i in range(free):
        for j in range(free):
            H[i, j] += scale * s[i] * s[j] - (Hy[i] * s[j] + s[i] * Hy[j]) / sy


@inlined
def set_direction(variables: Array, x: Array, g: Array, H: Array, d: Array, free: int) -> bool:
    """Write the projected quasi-Newton direction into d; return whether it descends."""
    slope = 0.0
    scale = 1.0
    for i in range(free):
        d[i] = 0.0
        if pushes_out(variables, i, x[i], g[i]):
            continue
        for j in range(free):
            if not pushes_out(variables, j, x[j], g[j]):
                d[i] -= H[i, j] * g[j]
        slope += g[i] * d[i]
    for i in range(free):
        longest = variables[i, layout.LONGEST] * variables[i, layout.UNIT]
        if scale * abs(d[i]) > longest:
            scale = longest / abs(d[i])
    for i in range(free):
        d[i] *= scale
    return slope < 0.0


@inlined
def is_improvement(w: Workspace, free: int, error: float, base_error: float) -> bool:
    """Return whether the step from the base to w.x is good enough (Armijo's condition)."""
    g, x, base = w.g, w.x, w.base
    expected = 0.0
    for i in range(free):
        expected += g[i] * (x[i] - base[i])
    return error <= base_error + SUFFICIENT_DECREASE * expected


@inlined
def move_base(
    chain: ChainArrays, w: Workspace, m: Transform, e: Numbers, turn: Vector, state: int
) -> None:
    """Make w.x the base: write its gradient, and start or update the curvature."""
    free = int(chain.settings[layout.FREE_COUNT])
    # Local names: every access to a field of a tuple costs two atomic operations.
    J, x, base, d, g, y = w.J, w.x, w.base, w.d, w.g, w.y
    fill_jacobian(chain.steps, w.axes, free, m, J)
    weigh_jacobian(chain.settings, turn, free, J)
    for i in range(free):
        gradient = gradient_of(J, i, e)
        y[i] = gradient - g[i]
        g[i] = gradient
        d[i] = x[i] - base[i]
    if state == AT_START:
        reset_curvature(chain.variables, w.H, J, half_square(e), free)
    else:
        update_curvature(w.H, d, y, w.Hy, free, state == FRESH)
    recenter_balls(chain.steps, chain.variables, x)
    for i in range(free):
        base[i] = x[i]


@inlined
def descend_bfgs(
    chain: ChainArrays, start: Transform, w: Workspace, patience: int
) -> tuple[bool, int, float]:
    """Descend from w.x, in place; return (converged, evaluations, half the squared error).

    ``start`` is the base body in the target's frame; ``patience`` multiplies the limits of the
    descent.
    """
    free = int(chain.settings[layout.FREE_COUNT])
    steps, variables, settings = chain.steps, chain.variables, chain.settings
    x, base, d, g, H, J, axes = w.x, w.base, w.d, w.g, w.H, w.J, w.axes
    state = AT_START
    base_error = window_error = math.inf
    accepted = 0
    length = 0.0
    for evaluation in range(MOST_EVALUATIONS * patience):
        m = tip_in_target(steps, x, start, axes)
        met, e, turn = weighted_error(settings, m)
        error = half_square(e)
        if met:
            recenter_balls(steps, variables, x)
            return True, evaluation, error
        if state == AT_START or is_improvement(w, free, error, base_error):
            move_base(chain, w, m, e, turn, state)
            state = FRESH if state == AT_START else CURVED
            base_error = error
            if accepted % WINDOW == WINDOW - 1:
                progress = PROGRESS if patience == 1 else PATIENT_PROGRESS
                if not error < progress * window_error:
                    return False, evaluation, error
                window_error = error
            accepted += 1
            length = 1.0
            if not set_direction(variables, x, g, H, d, free):
                reset_curvature(variables, H, J, base_error, free)
                state = FRESH
                if not set_direction(variables, x, g, H, d, free):
                    return False, evaluation, error
        else:
            length *= 0.5
            if length < SHORTEST_STEP:
                if state == FRESH:
                    break
                reset_curvature(variables, H, J, base_error, free)
                state = FRESH
                length = 1.0
                set_direction(variables, base, g, H, d, free)
        for i in range(free):
            x[i] = clamped(variables, i, base[i] + length * d[i])
    for i in range(free):
        x[i] = base[i]
    return False, MOST_EVALUATIONS * patience, base_error
