"""The kernels of the search: descents from the seed and from random starts, until one converges.

A search is one call, or a few: after ``budget`` iterations the kernel returns UNFINISHED, so that
its caller can look at the clock, and the next call goes on where it stopped. All state is in the
``work`` array of the search. Importing this module compiles the kernels or loads them from
Numba's cache.
"""

from __future__ import annotations

import math
from typing import Any

from numba import types

from rigid_tree_kinematics.ik.chain.chain import BALL, ENTRY, LOWER, UPPER
from rigid_tree_kinematics.ik.chain.evaluation import STEP_WORK, inverse_of_matrix, tip_in_target
from rigid_tree_kinematics.ik.chain.settings import (
    BAD_SEED,
    BAD_TARGET,
    BASE_ROW,
    BEST_ERROR,
    CENTER,
    CONVERGED,
    CUT,
    FREE_COUNT,
    ITERATIONS,
    LIMITS,
    METHOD,
    ORIENTATION_ERROR,
    OUT_OF_REACH,
    POSITION_ERROR,
    REACH,
    REPORT,
    RESTARTS,
    TIP_ROW,
    TOOL,
    UNFINISHED,
    UNREACHABLE,
)
from rigid_tree_kinematics.ik.chain.space import (
    draw_variables,
    load_variables,
    refresh_balls,
    store_variables,
)
from rigid_tree_kinematics.ik.search.bfgs import descend_bfgs
from rigid_tree_kinematics.ik.search.descent import descend_lm, half_square, weighted_error
from rigid_tree_kinematics.kernels import BATCH, MATRIX, READ_1D, TABLE, VECTOR, inlined, kernel
from rigid_tree_kinematics.kinematics.motion import IDENTITY, all_finite, compose, parent_from_body
from rigid_tree_kinematics.model.compiled import PARENT
from rigid_tree_kinematics.model.transforms.matrices import ORTHONORMAL_TOLERANCE

START, RESUME, GIVE_UP = range(3)


# Restarts for a target that the stretched chain cannot reach: enough for a good best pose.
OUT_OF_REACH_RESTARTS = 4
# A restart is the best of so many random configurations, each of which costs half an iteration.
DRAWS = 4
# The last descent, from the best configuration of a failed search, may take its time. It is
# always by BFGS: where an error remains, Levenberg-Marquardt converges slowly, its damping being
# proportional to that error.
POLISH_PATIENCE = 4


def work_size(step_rows: int, variables: int, balls: int, free: int, positions: int) -> int:
    """Return how many numbers a search needs as work space."""
    state = variables + 4 * balls
    return REPORT + positions + 2 * state + step_rows * STEP_WORK + free * (free + 6 + 6)


@inlined
def is_rigid(T: Any) -> bool:
    """Return whether a (4, 4) array is a rotation and a translation, and finite."""
    total = 0.0
    for i in range(4):
        for k in range(4):
            total += 0.0 * T[i, k]
    if total != 0.0 or T[3, 0] != 0.0 or T[3, 1] != 0.0 or T[3, 2] != 0.0 or T[3, 3] != 1.0:
        return False
    for i in range(3):
        for k in range(i + 1):
            dot = T[i, 0] * T[k, 0] + T[i, 1] * T[k, 1] + T[i, 2] * T[k, 2]
            if not abs(dot - (1.0 if i == k else 0.0)) <= ORTHONORMAL_TOLERANCE:
                return False
    x = T[0, 1] * T[1, 2] - T[0, 2] * T[1, 1]
    y = T[0, 2] * T[1, 0] - T[0, 0] * T[1, 2]
    z = T[0, 0] * T[1, 1] - T[0, 1] * T[1, 0]
    return x * T[2, 0] + y * T[2, 1] + z * T[2, 2] > 0.0


@inlined
def body_in_base(table: Any, q: Any, body: int) -> Any:
    """Return a body's frame in the tree's base frame."""
    m = IDENTITY
    i = body
    while i > 0:
        m = compose(parent_from_body(table, q, i), m)
        i = int(table[i, PARENT])
    return m


@inlined
def inverse_of(m: Any) -> Any:
    """Return the inverse of a transform."""
    return (
        m[0], m[4], m[8], -(m[0] * m[3] + m[4] * m[7] + m[8] * m[11]),
        m[1], m[5], m[9], -(m[1] * m[3] + m[5] * m[7] + m[9] * m[11]),
        m[2], m[6], m[10], -(m[2] * m[3] + m[6] * m[7] + m[10] * m[11]),
    )  # fmt: skip


@inlined
def verified(
    table: Any, variables: Any, settings: Any, target_inverse: Any, q: Any, report: Any
) -> bool:
    """Return whether q meets the tolerances and the limits, by the tree's own table.

    This is independent of the chain's table, so nothing that went wrong in making that can pass
    as a success. Writes the two errors into the report.
    """
    m = body_in_base(table, q, int(settings[TIP_ROW]))
    base = int(settings[BASE_ROW])
    if base > 0:
        m = compose(inverse_of(body_in_base(table, q, base)), m)
    tool = (
        settings[TOOL], settings[TOOL + 1], settings[TOOL + 2], settings[TOOL + 3],
        settings[TOOL + 4], settings[TOOL + 5], settings[TOOL + 6], settings[TOOL + 7],
        settings[TOOL + 8], settings[TOOL + 9], settings[TOOL + 10], settings[TOOL + 11],
    )  # fmt: skip
    m = compose(target_inverse, compose(m, tool))
    met, _, w = weighted_error(settings, m)
    turn = 0.0
    shift = 0.0
    for k in range(3):
        if settings[k] != 0.0:
            turn += w[k] * w[k]
        if settings[3 + k] != 0.0:
            shift += m[4 * k + 3] * m[4 * k + 3]
    report[ORIENTATION_ERROR] = math.sqrt(turn)
    report[POSITION_ERROR] = math.sqrt(shift)
    for v in range(variables.shape[0]):
        value = q[int(variables[v, ENTRY])]
        if variables[v, BALL] == 0.0 and not (variables[v, LOWER] <= value <= variables[v, UPPER]):
            return False
    return met


@inlined
def out_of_reach(settings: Any, target: Any) -> bool:
    """Return whether the target is farther away than the stretched chain is long."""
    x = target[0, 3] - settings[CENTER]
    y = target[1, 3] - settings[CENTER + 1]
    z = target[2, 3] - settings[CENTER + 2]
    return math.sqrt(x * x + y * y + z * z) > settings[REACH]


@inlined
def cut_configuration(settings: Any, q: Any) -> int:
    """Cut a configuration at the limits of the whole tree; return how many entries changed."""
    count = q.shape[0]
    changed = 0
    for i in range(count):
        value = min(max(q[i], settings[LIMITS + i]), settings[LIMITS + count + i])
        if value != q[i]:
            changed += 1
            q[i] = value
    return changed


@kernel(
    types.int64(
        MATRIX,
        TABLE,
        TABLE,
        READ_1D,
        MATRIX,
        VECTOR,
        VECTOR,
        types.int64,
        types.int64,
        types.int64,
        types.int64,
    ),
)
def search(
    steps: Any,
    variables: Any,
    table: Any,
    settings: Any,
    target: Any,
    q: Any,
    work: Any,
    random_seed: int,
    most_restarts: int,
    budget: int,
    mode: int,
) -> int:
    """Search from the configuration q, which becomes the solution or the best one found.

    Args:
        steps: the chain's; written to if the chain has balls, so give each search its own then.
        variables: the chain's.
        table: the tree's.
        settings: see settings.py.
        target: T_base_tool (4, 4).
        q: (nq,) the seed on START.
        work: ``work_size`` numbers, kept by the caller between the calls of one search; begins
            with the report.
        random_seed: of the restarts.
        most_restarts: after these the target counts as unreachable.
        budget: iterations after which to return UNFINISHED.
        mode: START, RESUME after UNFINISHED, or GIVE_UP: polish the best and return.
    """
    count = q.shape[0]
    rows = variables.shape[0]
    free = int(settings[FREE_COUNT])
    balls = 0
    for v in range(rows):
        if abs(variables[v, BALL]) == 1.0:
            balls += 1
    at = REPORT
    seed = work[at : at + count]
    at += count
    x = work[at : at + rows + 4 * balls]
    at += rows + 4 * balls
    best = work[at : at + rows + 4 * balls]
    at += rows + 4 * balls
    axes = work[at : at + steps.shape[0] * STEP_WORK].reshape(steps.shape[0], STEP_WORK)
    at += steps.shape[0] * STEP_WORK
    J = work[at : at + free * 6].reshape(free, 6)
    at += free * 6
    H = work[at : at + free * free].reshape(free, free)
    at += free * free
    vectors = work[at : at + free * 6].reshape(6, free)

    if mode == START:
        if not is_rigid(target):
            return BAD_TARGET
        if not all_finite(q):
            return BAD_SEED
        for i in range(REPORT):
            work[i] = 0.0
        work[CUT] = cut_configuration(settings, q)
        for i in range(count):
            seed[i] = q[i]
        work[BEST_ERROR] = math.inf
        if out_of_reach(settings, target):
            work[OUT_OF_REACH] = 1.0
        if not load_variables(steps, variables, q, x):
            return BAD_SEED
    if work[OUT_OF_REACH] != 0.0:
        most_restarts = min(most_restarts, OUT_OF_REACH_RESTARTS)
    start = inverse_of_matrix(target)
    polishing = mode == GIVE_UP
    draw = mode == RESUME
    spent = 0
    while True:
        if polishing:
            for i in range(x.shape[0]):
                x[i] = best[i]
            refresh_balls(steps, variables, x)
        elif draw:
            work[RESTARTS] += 1.0
            first = int(work[RESTARTS]) * DRAWS
            chosen = first
            least = math.inf
            for number in range(first, first + DRAWS):
                draw_variables(steps, variables, free, x, random_seed, number * 4 * free)
                _, e, _ = weighted_error(settings, tip_in_target(steps, x, start, axes))
                if half_square(e) < least:
                    least = half_square(e)
                    chosen = number
            draw_variables(steps, variables, free, x, random_seed, chosen * 4 * free)
        draw = True
        if int(settings[METHOD]) == 0 and not polishing:
            converged, iterations, error = descend_lm(
                steps, variables, settings, start, x, free, axes, J, vectors[5]
            )
        else:
            converged, iterations, error = descend_bfgs(
                steps,
                variables,
                settings,
                start,
                x,
                free,
                axes,
                J,
                H,
                vectors,
                POLISH_PATIENCE if polishing else 1,
            )
        spent += iterations + 1
        work[ITERATIONS] += iterations + 1
        if converged:
            store_variables(variables, x, seed, q)
            if verified(table, variables, settings, start, q, work):
                work[BEST_ERROR] = error
                return CONVERGED
        if error < work[BEST_ERROR]:
            work[BEST_ERROR] = error
            for i in range(x.shape[0]):
                best[i] = x[i]
        if polishing:
            store_variables(variables, best, seed, q)
            verified(table, variables, settings, start, q, work)
            return UNREACHABLE
        polishing = int(work[RESTARTS]) >= most_restarts
        if not polishing and spent >= budget:
            return UNFINISHED


@kernel(
    types.void(
        MATRIX,
        TABLE,
        TABLE,
        READ_1D,
        BATCH,
        MATRIX,
        VECTOR,
        types.int64,
        types.int64,
        types.int64,
        MATRIX,
        types.int64[::1],
    ),
)
def search_batch(
    steps: Any,
    variables: Any,
    table: Any,
    settings: Any,
    targets: Any,
    q: Any,
    work: Any,
    random_seed: int,
    most_restarts: int,
    budget: int,
    reports: Any,
    codes: Any,
) -> None:
    """Batch version of ``search``: for every target (N, 4, 4), from the rows of q (N, nq).

    ``reports`` (N, REPORT) and ``codes`` (N,) receive what came out; a search that is UNFINISHED
    after the budget is to be started anew by the caller, whose clock bounds it.
    """
    for k in range(targets.shape[0]):
        codes[k] = search(
            steps, variables, table, settings, targets[k], q[k], work,
            random_seed, most_restarts, budget, START,
        )  # fmt: skip
        for i in range(REPORT):
            reports[k, i] = work[i]
