"""The kernel of a step: limits, rows, one program for each priority, and the new state.

A state is (nq + nv + 1 + nv + K + P,): positions, velocities, the status, the limit that each
velocity is at, and for each plane and near pair whether its barrier is active.
"""

import math

import rigid_tree_kinematics.ik.differential.steps.layout as layout
from rigid_tree_kinematics.arrays import Array
from rigid_tree_kinematics.ik.differential.steps.layout import PROGRAM, Program
from rigid_tree_kinematics.ik.differential.steps.limit_kernels import (
    stoppable,
    stopping_time,
    write_barriers,
    write_bounds,
)
from rigid_tree_kinematics.ik.differential.steps.quadratic_program import (
    ACTIVE,
    SOLVED,
    factorize,
    solve,
    unconstrained_minimum,
)
from rigid_tree_kinematics.ik.differential.steps.task_kernels import write_rows
from rigid_tree_kinematics.kernels import MATRIX, READ_1D, VECTOR, inlined, kernel, types
from rigid_tree_kinematics.kinematics.kernels import body_transforms
from rigid_tree_kinematics.kinematics.motion import all_finite
from rigid_tree_kinematics.kinematics.topology import (
    copy_numbers,
    write_between,
    write_displacement,
)
from rigid_tree_kinematics.model.columns import KIND, VELOCITY
from rigid_tree_kinematics.model.joints.joint_types import FLOATING, QUATERNION

FIRM = 1e6  # weight of the barriers' violation, when they and the limits cannot all be satisfied
MOVED = 12  # numbers of a target
ROUNDING = 1e-12  # relative


@inlined
def _write_objective(program: Program, first: int, last: int, extra: float) -> None:
    """Write H and g for the weighted squares of some rows, and of the velocities."""
    H, g, goals, A = program.H, program.g, program.goals, program.constraints.A
    n = H.shape[0]
    for i in range(n):
        for k in range(i):
            H[i, k] = 0.0
        H[i, i] = program.settings[layout.DAMPING] + extra
        g[0, i] = g[1, i] = 0.0
    for row in range(first, last):
        weight = goals[row, layout.WEIGHT] ** 2
        feed, remove = goals[row, layout.FEED], goals[row, layout.REMOVE]
        unit = int(goals[row, layout.UNIT])
        if unit >= 0:
            H[unit, unit] += weight
            g[0, unit] -= weight * feed
            g[1, unit] -= weight * remove
            continue
        for i in range(n - 1):
            value = weight * A[row, i]
            if value != 0.0:
                for k in range(i + 1):
                    H[i, k] += value * A[row, k]
                g[0, i] -= value * feed
                g[1, i] -= value * remove


@inlined
def _share_of_error(program: Program, dt: float) -> float:
    """Return which share of the errors' removal lets all joints stop at the targets."""
    alone = program.g[3]
    n = program.joints.shape[0]
    unconstrained_minimum(program.g[1], n, program.work, alone)
    share = 1.0
    for k in range(n):
        acceleration, speed = program.joints[k, layout.ACCELERATION], abs(alone[k])
        if acceleration < math.inf and speed > acceleration * dt:
            share = min(share, stoppable(speed * dt, acceleration, dt) / speed)
    return share


@inlined
def _solve(program: Program, first: int, last: int, extra: float, dt: float) -> bool:
    """Minimize the rows' squares, with all rows before them as constraints."""
    n = program.joints.shape[0]
    _write_objective(program, first, last, extra)
    if not factorize(program.H, n, program.work):
        return False
    share = _share_of_error(program, dt)
    for k in range(n):
        program.g[2, k] = program.g[0, k] + share * program.g[1, k]
    return solve(program.g[2], program.constraints, n, first, program.work) == SOLVED


@inlined
def _write_equalities(program: Program, rows: int, dt: float) -> None:
    """Write the bounds of the first rows, so that all joints can stop at the targets."""
    if rows == 0:
        return
    _write_objective(program, 0, rows, 0.0)
    share = 1.0
    if factorize(program.H, program.joints.shape[0], program.work):
        share = _share_of_error(program, dt)
    for k in range(rows):
        program.goals[k, layout.REMOVE] *= share
        value = program.goals[k, layout.FEED] + program.goals[k, layout.REMOVE]
        program.constraints.row_low[k] = program.constraints.row_high[k] = value


@inlined
def _relax(program: Program, equalities: int, rows: int) -> bool:
    """Move the bounds of the first rows to the least violation that the limits allow.

    One more variable is the violation of all barriers; the equalities are least squares.
    """
    n, work, constraints = program.joints.shape[0], program.work, program.constraints
    _write_objective(program, 0, equalities, 0.0)
    program.H[n, n] += FIRM
    for k in range(n + 1):
        program.g[2, k] = program.g[0, k] + program.g[1, k]
    constraints.low[n], constraints.high[n] = 0.0, math.inf
    for row in range(rows):
        constraints.A[row, n] = 1.0
        if row < equalities:
            constraints.row_low[row], constraints.row_high[row] = -math.inf, math.inf
    if not factorize(program.H, n + 1, work):
        return False
    solved = solve(program.g[2], constraints, n + 1, rows, work) == SOLVED
    for row in range(rows):
        value = 0.0
        for k in range(n):
            value += constraints.A[row, k] * work.x[k]
        if row < equalities:
            constraints.row_low[row] = constraints.row_high[row] = value
        else:
            constraints.row_low[row] = min(constraints.row_low[row], value - 1e-9)
    return solved


@inlined
def _damping_of_errors(program: Program, task: int) -> float:
    """Return the Levenberg-Marquardt damping of a task."""
    numbers, squares = program.numbers, 0.0
    gain = numbers[task, layout.GAIN]
    for r in range(6):
        squares += (numbers[task, layout.COST + r] * gain * numbers[task, layout.ERROR + r]) ** 2
    return float(numbers[task, layout.LM_DAMPING] * squares)


@inlined
def _mark_active(program: Program, n: int, out: Array) -> None:
    """Mark the active limits and barriers of a solution with ``n`` variables in a new state."""
    nq, nv, work = program.kinds.shape[0], program.joints.shape[0], program.work
    at, equalities = nq + nv + 1, program.counts[layout.EQUALITIES]
    barriers = program.planes.shape[0] + program.counts[layout.NEAR]
    for k in range(work.counts[ACTIVE]):
        i = work.active[k]
        if i < nv:
            lower = work.sides[k] > 0.0
            reason = program.reasons[0 if lower else 1, i]
            out[at + i] = -reason if lower else reason
        elif 0 <= i - n - equalities < barriers:
            out[at + nv + i - n - equalities] = 1.0


@inlined
def _follow(program: Program, q: Array, v: Array, dt: float, out: Array) -> int:
    """Solve all priorities; return the status. The velocities are ``program.work.x``.

    The active limits and barriers are marked in ``out``.
    """
    tasks, count, constraints = program.tasks, program.tasks.shape[0], program.constraints
    row = task = 0
    while task < count and tasks[task, layout.PRIORITY] == 0:
        row = write_rows(program, task, row, dt)
        task += 1
    equalities = program.counts[layout.EQUALITIES] = row
    _write_equalities(program, row, dt)
    row = write_barriers(program, q, v, row, dt)
    status, hard, solved = layout.FOLLOWED, row, False
    while task < count or not solved:
        first, extra = row, 0.0
        priority = tasks[task, layout.PRIORITY] if task < count else 0
        while task < count and tasks[task, layout.PRIORITY] == priority:
            row = write_rows(program, task, row, dt)
            extra += _damping_of_errors(program, task)
            task += 1
        solved = _solve(program, first, row, extra, dt)
        if not solved and first > hard:  # rounding: the higher priorities leave no freedom
            copy_numbers(program.g[4], program.work.x)
            return status
        if not solved and _relax(program, equalities, hard):
            status = layout.RELAXED
            _mark_active(program, v.shape[0] + 1, out)
            solved = _solve(program, first, row, extra, dt)
        if not solved:
            return layout.BRAKED
        _mark_active(program, v.shape[0], out)  # later priorities only keep what this one reaches
        copy_numbers(program.work.x, program.g[4])
        for k in range(first, row):
            value = 0.0
            for j in range(v.shape[0]):
                value += constraints.A[k, j] * program.work.x[j]
            constraints.row_low[k] = constraints.row_high[k] = value
    return status


@inlined
def _shrink_fast(program: Program) -> bool:
    """Shrink the bounds of floating joints that are faster than their limit in any direction.

    Return whether there are any.
    """
    low, high, x = program.constraints.low, program.constraints.high, program.work.x
    found = False
    for i in range(1, program.table.shape[0]):
        if int(program.table[i, KIND]) != FLOATING:
            continue
        first = int(program.table[i, VELOCITY])
        for k in range(first, first + 6, 3):
            speed = math.sqrt(x[k] * x[k] + x[k + 1] * x[k + 1] + x[k + 2] * x[k + 2])
            most = program.joints[k, layout.SPEED]
            if not speed > most * (1.0 + ROUNDING):
                continue
            found = True
            for c in range(k, k + 3):
                bound = most * abs(x[c]) / speed
                high[c] = max(min(high[c], bound), low[c])
                low[c] = min(max(low[c], -bound), high[c])
                program.reasons[0, c] = program.reasons[1, c] = layout.AT_VELOCITY
    return found


@inlined
def _iterate(program: Program, q: Array, v: Array, dt: float, out: Array) -> int:
    """Solve all priorities in each of the iterations; return the status.

    One more iteration slows floating joints down that are faster than their limits.
    """
    copy_numbers(q, program.ahead)
    for k in range(program.guess.shape[0]):
        program.guess[k] = 0.0
    left, status = int(program.settings[layout.ITERATIONS]), layout.BRAKED
    for _ in range(left + 1):
        body_transforms(program.table, program.ahead, program.frames)
        for k in range(q.shape[0] + v.shape[0], out.shape[0]):
            out[k] = 0.0
        status = _follow(program, q, v, dt, out)
        if status == layout.BRAKED:
            break
        if _shrink_fast(program):
            continue
        left -= 1
        if left == 0:
            break
        for k in range(program.guess.shape[0]):
            program.guess[k] = program.work.x[k] * program.joints[k, layout.FREE]
        write_displacement(program.table, q, program.guess, program.shift)
        write_between(program.kinds, q, program.shift, dt, program.ahead)
    return status


@kernel(types.void(PROGRAM, READ_1D, VECTOR))
def move(program: Program, state: Array, out: Array) -> None:
    """Move the positions of a state by the velocities that are in ``out`` already."""
    nq, nv = program.kinds.shape[0], program.joints.shape[0]
    q, v, moved = state[:nq], out[nq : nq + nv], out[:nq]
    write_displacement(program.table, q, v, program.shift)
    write_between(program.kinds, q, program.shift, program.settings[layout.PERIOD], moved)
    for k in range(nv):
        slot = int(program.joints[k, layout.SLOT])
        if slot >= 0:  # rounding, and positions that were outside
            least = min(program.joints[k, layout.LOWER], q[slot])
            most = max(program.joints[k, layout.UPPER], q[slot])
            moved[slot] = min(max(moved[slot], least), most)
    for k in range(nq):
        if program.kinds[k] == QUATERNION:
            square = 0.0
            for c in range(4):
                square += moved[k + c] * moved[k + c]
            for c in range(4):
                moved[k + c] /= math.sqrt(square)


@kernel(types.void(PROGRAM, READ_1D, VECTOR))
def brake(program: Program, state: Array, out: Array) -> None:
    """Write the state after slowing all joints down together, as fast as the limits allow."""
    nq, nv = program.kinds.shape[0], program.joints.shape[0]
    write_bounds(program, state[:nq], state[nq : nq + nv], program.settings[layout.PERIOD])
    time = stopping_time(program, state[nq : nq + nv])
    period = program.settings[layout.PERIOD]
    share = max(1.0 - period / time, 0.0) if time > 0.0 else 0.0
    for k in range(nq + nv, out.shape[0]):
        out[k] = 0.0
    for k in range(nv):
        low, high = program.constraints.low[k], program.constraints.high[k]
        is_free = program.joints[k, layout.FREE] != 0.0
        out[nq + k] = min(max(share * state[nq + k], low), high) if is_free else 0.0
    out[nq + nv] = layout.BRAKED
    move(program, state, out)


@kernel(types.int64(PROGRAM, READ_1D, MATRIX))
def write_stop(program: Program, state: Array, path: Array) -> int:
    """Write the states of a stop to ``path`` (M, size of a state); return their number.

    They are those of ``brake``, one after the other: longer steps would stop earlier.
    """
    nq, nv = program.kinds.shape[0], program.joints.shape[0]
    copy_numbers(state, path[0])
    count = 1
    while count < path.shape[0]:
        brake(program, path[count - 1], path[count])
        count += 1
        speed = 0.0
        for k in range(nq, nq + nv):
            speed = max(speed, abs(path[count - 1, k]))
        if speed == 0.0:
            break
    return count


@kernel(types.boolean(PROGRAM, READ_1D, VECTOR))
def step(program: Program, state: Array, out: Array) -> bool:
    """Write the state after a step; return whether it is finite."""
    nq, nv = program.kinds.shape[0], program.joints.shape[0]
    q, v, dt = state[:nq], state[nq : nq + nv], program.settings[layout.PERIOD]
    write_bounds(program, q, v, dt)
    status = _iterate(program, q, v, dt, out)
    numbers = program.numbers
    for task in range(program.tasks.shape[0]):
        if program.tasks[task, layout.KIND] not in (layout.POSTURE, layout.VELOCITY):
            numbers[task, layout.FOLLOWS] = 1.0
            for k in range(MOVED):
                numbers[task, layout.PREVIOUS + k] = numbers[task, layout.TARGET + k]
    if status == layout.BRAKED:
        brake(program, state, out)
        return all_finite(out)
    constraints = program.constraints
    for k in range(nv):
        out[nq + k] = min(max(program.work.x[k], constraints.low[k]), constraints.high[k])
        if program.joints[k, layout.FREE] == 0.0:
            out[nq + k] = 0.0
    out[nq + nv] = status
    move(program, state, out)
    return all_finite(out)
