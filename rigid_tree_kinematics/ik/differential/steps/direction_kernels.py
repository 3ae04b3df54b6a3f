"""Velocities that keep their direction where the limits do not allow all of them."""

import rigid_tree_kinematics.ik.differential.steps.layout as layout
from rigid_tree_kinematics.arrays import Array
from rigid_tree_kinematics.ik.differential.steps.layout import Program
from rigid_tree_kinematics.ik.differential.steps.quadratic_program import (
    ACTIVE,
    SOLVED,
    factorize,
    solve,
)
from rigid_tree_kinematics.kernels import inlined

LESS, UNEVEN = 1e-4, 1e-2  # weights relative to the directions
PASSES = 3
NEARLY_FREE = 1e-12  # squared cost of velocities beside the direction


@inlined
def _write_objective(program: Program, v: Array, first: int, last: int, turns: bool) -> None:
    """Write H and g of the velocities, and of the shares s of the feeds and r of ``v``.

    At the minimum without limits, s is 1 and r is 0.
    """
    H, g, goals, A = program.H, program.g[2], program.goals, program.constraints.A
    n, feeds, presents = v.shape[0], 0.0, 0.0
    for i in range(n + 2):
        for k in range(i):
            H[i, k] = 0.0
        H[i, i], g[i] = NEARLY_FREE, 0.0
    for row in range(first, last):
        present, weight = 0.0, goals[row, layout.WEIGHT] ** 2
        for k in range(n if turns else 0):
            present += A[row, k] * v[k]
        A[row, n], A[row, n + 1] = -goals[row, layout.FEED], -present
        feeds += weight * goals[row, layout.FEED] ** 2
        presents += weight * present**2
        for i in range(n + 2):
            value = weight * A[row, i]
            for k in range(i + 1):
                H[i, k] += value * A[row, k]
            g[i] -= value * goals[row, layout.REMOVE]
    # (s + r - 1)^2 first, which is 0 if the present velocity turns to the feeds evenly, and then
    # (1 - s)^2, for the fastest motion.
    slower, uneven = LESS * (feeds + presents), UNEVEN * (feeds + presents)
    H[n, n] += slower + uneven
    H[n + 1, n] += uneven
    H[n + 1, n + 1] += uneven
    g[n] -= slower + uneven
    g[n + 1] -= uneven


@inlined
def keep_direction(program: Program, v: Array, first: int, last: int) -> bool:
    """Change the feeds of rows to those that the limits allow; return whether they do not all.

    They become ``s`` times themselves and ``r`` times the present velocity, see
    ``_write_objective``. The second and third pass only shorten the result: the first one is not
    exact where the share is small.
    """
    constraints, work, n = program.constraints, program.work, v.shape[0]
    is_slower = False
    for turn in range(PASSES):
        _write_objective(program, v, first, last, turn == 0)
        for i in range(n, n + 2):
            constraints.low[i], constraints.high[i] = 0.0, 1.0
        if not factorize(program.H, n + 2, work):
            break
        if solve(program.g[2], constraints, n + 2, 0, work) != SOLVED:
            break
        limits = 0
        for k in range(work.counts[ACTIVE]):
            limits += work.active[k] < n
        if limits == 0:
            break
        is_slower = True
        s, r = work.x[n], work.x[n + 1]
        for row in range(first, last):
            present = -constraints.A[row, n + 1]
            program.goals[row, layout.FEED] = s * program.goals[row, layout.FEED] + r * present
        if s > 0.9:
            break
    return is_slower
