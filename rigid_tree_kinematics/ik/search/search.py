"""The search kernels: descents from the seed and random starts until one converges.

A search is one call, or a few: after ``budget`` iterations the kernel returns UNFINISHED, so that
its caller can check the deadline, and the next call resumes it. All state is in the ``work`` array
of the search.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import rigid_tree_kinematics.ik.chain.layout as layout
from rigid_tree_kinematics.arrays import Array
from rigid_tree_kinematics.ik.chain.layout import CHAIN, ChainArrays, Workspace
from rigid_tree_kinematics.ik.search.bfgs import descend_bfgs
from rigid_tree_kinematics.ik.search.descent import (
    STEP_WORK,
    approach,
    descend_lm,
    errors_with_weight,
    half_square,
    tip_in_target,
    weighted_error,
)
from rigid_tree_kinematics.ik.search.space import (
    draw_variables,
    load_variables,
    refresh_balls,
    store_variables,
)
from rigid_tree_kinematics.kernels import BATCH, MATRIX, VECTOR, inlined, kernel, types
from rigid_tree_kinematics.kinematics.motion import (
    Transform,
    all_finite,
    base_from_body,
    compose,
    inverse_of,
    read_table,
    read_transform,
)
from rigid_tree_kinematics.kinematics.topology import copy_numbers
from rigid_tree_kinematics.model.transforms.matrices import ORTHONORMAL_TOLERANCE

if TYPE_CHECKING:
    from rigid_tree_kinematics.ik.chain.chain import Chain

# Modes of a call: a new search; more of it, after UNFINISHED; its end without a solution, which
# improves the best configuration found.
START, RESUME, GIVE_UP = range(3)

# Restarts for a target that the stretched chain cannot reach: enough for a good best pose.
OUT_OF_REACH_RESTARTS = 20
# A restart is the best of this many random configurations; each costs half an iteration.
DRAWS = 4
# The last descent, from the best configuration of a failed search, may take longer. It is always
# by BFGS: where an error remains, Levenberg-Marquardt converges slowly, because its damping is
# proportional to that error.
POLISH_PATIENCE = 4


def work_size(chain: Chain, positions: int) -> int:
    """Return the length of the work array of a search."""
    state, free = len(chain.variables) + 4 * chain.ball_count, chain.free_count
    steps = len(chain.steps) * STEP_WORK
    return layout.REPORT + positions + 2 * state + steps + free * (free + 6 + 6)


@inlined
def workspace(chain: ChainArrays, positions: int, work: Array) -> Workspace:
    """Return the parts of a work array."""
    rows, steps = chain.variables.shape[0], chain.steps.shape[0]
    free = int(chain.settings[layout.FREE_COUNT])
    state = rows
    for v in range(rows):
        if abs(chain.variables[v, layout.BALL]) == 1.0:
            state += 4
    seed = layout.REPORT
    x = seed + positions
    best = x + state
    axes = best + state
    J = axes + steps * STEP_WORK
    H = J + free * 6
    end = H + free * free
    vectors = work[end : end + free * 6].reshape(6, free)
    return Workspace(
        work[:layout.REPORT],
        work[seed:x],
        work[x:best],
        work[best:axes],
        work[axes:J].reshape(steps, STEP_WORK),
        work[J:H].reshape(free, 6),
        work[H:end].reshape(free, free),
        vectors[0], vectors[1], vectors[2], vectors[3], vectors[4], vectors[5],
    )  # fmt: skip


@inlined
def is_rigid(T: Array) -> bool:
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
    return bool(x * T[2, 0] + y * T[2, 1] + z * T[2, 2] > 0.0)


@inlined
def verified(chain: ChainArrays, target_inverse: Transform, q: Array, report: Array) -> bool:
    """Return whether q meets tolerances and limits, computed from the tree's own table.

    This does not use the chain's table, so an error in that table cannot cause a wrong success.
    Writes both errors into the report.
    """
    settings, variables = chain.settings, chain.variables
    m = base_from_body(chain.table, q, int(settings[layout.TIP_ROW]))
    base = int(settings[layout.BASE_ROW])
    if base > 0:
        m = compose(inverse_of(base_from_body(chain.table, q, base)), m)
    tool = read_table(settings.reshape(1, settings.size), 0, layout.TOOL)
    m = compose(target_inverse, compose(m, tool))
    met, _, w = weighted_error(settings, m)
    turn, away = errors_with_weight(settings, m, w)
    report[layout.ORIENTATION_ERROR], report[layout.POSITION_ERROR] = turn, away
    for v in range(variables.shape[0]):
        value = q[int(variables[v, layout.ENTRY])]
        low, high = variables[v, layout.LOWER], variables[v, layout.UPPER]
        if variables[v, layout.BALL] == 0.0 and not (low <= value <= high):
            return False
    return met


@kernel(types.boolean(CHAIN, MATRIX, VECTOR, VECTOR))
def check(chain: ChainArrays, target: Array, q: Array, report: Array) -> bool:
    """Write the errors of q to ``report`` (REPORT,); return whether it is a solution."""
    report[:] = 0.0
    return bool(verified(chain, inverse_of(read_transform(target.reshape(1, 4, 4), 0)), q, report))


@inlined
def out_of_reach(settings: Array, target: Array) -> bool:
    """Return whether the target is farther away than the chain's length."""
    x = target[0, 3] - settings[layout.CENTER]
    y = target[1, 3] - settings[layout.CENTER + 1]
    z = target[2, 3] - settings[layout.CENTER + 2]
    return bool(math.sqrt(x * x + y * y + z * z) > settings[layout.REACH])


@inlined
def clamp_configuration(settings: Array, q: Array) -> int:
    """Clamp a configuration to the tree's limits; return the number of changed entries."""
    count = q.shape[0]
    changed = 0
    for i in range(count):
        value = min(max(q[i], settings[layout.LIMITS + i]), settings[layout.LIMITS + count + i])
        if value != q[i]:
            changed += 1
            q[i] = value
    return changed


@inlined
def begin(chain: ChainArrays, target: Array, q: Array, w: Workspace) -> int:
    """Load the seed q; return UNFINISHED, or BAD_TARGET or BAD_SEED."""
    if not is_rigid(target):
        return layout.BAD_TARGET
    if not all_finite(q):
        return layout.BAD_SEED
    w.report[:] = 0.0
    w.report[layout.CUT] = clamp_configuration(chain.settings, q)
    copy_numbers(q, w.seed)
    w.report[layout.BEST_ERROR] = math.inf
    if out_of_reach(chain.settings, target):
        w.report[layout.OUT_OF_REACH] = 1.0
    if not load_variables(chain.steps, chain.variables, q, w.x):
        return layout.BAD_SEED
    copy_numbers(w.x, w.best)  # if no error is finite, none is better
    return layout.UNFINISHED


@inlined
def restart(chain: ChainArrays, start: Transform, w: Workspace, random_seed: int) -> None:
    """Draw the next random start: the best of DRAWS configurations."""
    w.report[layout.RESTARTS] += 1.0
    free = int(chain.settings[layout.FREE_COUNT])
    first = int(w.report[layout.RESTARTS]) * DRAWS
    chosen = first
    least = math.inf
    for number in range(first, first + DRAWS):
        draw_variables(chain.steps, chain.variables, free, w.x, random_seed, number * 4 * free)
        tip = tip_in_target(chain.steps, w.x, start, w.axes)
        _, e, _ = weighted_error(chain.settings, tip)
        if half_square(e) < least:
            least = half_square(e)
            chosen = number
    draw_variables(chain.steps, chain.variables, free, w.x, random_seed, chosen * 4 * free)


@inlined
def descend(
    chain: ChainArrays, start: Transform, w: Workspace, polishing: bool
) -> tuple[bool, int, float]:
    """Descend from w.x, in place; return (converged, iterations, half the squared error)."""
    if polishing:
        return descend_bfgs(chain, start, w, POLISH_PATIENCE)
    if int(chain.settings[layout.METHOD]) == layout.LM:
        return descend_lm(chain, start, w)
    before = approach(chain, start, w)
    converged, iterations, error = descend_bfgs(chain, start, w, 1)
    return converged, before + iterations, error


@kernel(
    types.int64(CHAIN, MATRIX, VECTOR, VECTOR, types.int64, types.int64, types.int64, types.int64)
)
def search(
    chain: ChainArrays,
    target: Array,
    q: Array,
    work: Array,
    random_seed: int,
    most_restarts: int,
    budget: int,
    mode: int,
) -> int:
    """Search from the configuration q, which becomes the solution or the best one found.

    Args:
        chain: see layout.py; searches with balls need their own ``steps``.
        target: T_base_tool (4, 4).
        q: (nq,) the seed on START.
        work: ``work_size`` numbers, kept between the calls of one search; the report first.
        random_seed, most_restarts: of the restarts.
        budget: iterations after which to return UNFINISHED.
        mode: START, RESUME after UNFINISHED, or GIVE_UP: polish the best and return.
    """
    w = workspace(chain, q.shape[0], work)
    code = begin(chain, target, q, w) if mode == START else layout.UNFINISHED
    if code != layout.UNFINISHED:
        return code
    if w.report[layout.OUT_OF_REACH] != 0.0:
        most_restarts = min(most_restarts, OUT_OF_REACH_RESTARTS)
    start = inverse_of(read_transform(target.reshape(1, 4, 4), 0))
    polishing = mode == GIVE_UP
    draws = mode == RESUME
    spent = 0
    while True:
        if polishing:
            copy_numbers(w.best, w.x)
            refresh_balls(chain.steps, chain.variables, w.x)
        elif draws:
            restart(chain, start, w, random_seed)
        draws = True
        converged, iterations, error = descend(chain, start, w, polishing)
        spent += iterations + 1
        w.report[layout.ITERATIONS] += iterations + 1
        if converged:
            store_variables(chain.variables, w.x, w.seed, q)
            if verified(chain, start, q, w.report):
                w.report[layout.BEST_ERROR] = error
                return layout.CONVERGED
        if error < w.report[layout.BEST_ERROR]:
            w.report[layout.BEST_ERROR] = error
            copy_numbers(w.x, w.best)
        if polishing:
            store_variables(chain.variables, w.best, w.seed, q)
            verified(chain, start, q, w.report)
            return layout.UNREACHABLE
        polishing = int(w.report[layout.RESTARTS]) >= most_restarts
        if not polishing and spent >= budget:
            return layout.UNFINISHED


@kernel(types.void(CHAIN, BATCH, MATRIX, VECTOR, types.int64, types.int64, types.int64, MATRIX))
def search_batch(
    chain: ChainArrays,
    targets: Array,
    q: Array,
    work: Array,
    random_seed: int,
    most_restarts: int,
    budget: int,
    reports: Array,
) -> None:
    """Batch version of ``search``: for every target (N, 4, 4), from the rows of q (N, nq).

    ``reports`` (N, REPORT) receive the reports and codes. The caller restarts the searches that
    are UNFINISHED after the budget, and checks the deadline for them.
    """
    for k in range(targets.shape[0]):
        code = search(
            chain, targets[k], q[k], work, random_seed, most_restarts, budget, START
        )  # fmt: skip
        copy_numbers(work[: layout.REPORT], reports[k])
        reports[k, layout.CODE] = code
