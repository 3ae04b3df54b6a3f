"""A solver of small, strictly convex quadratic programs, as kernels without allocation.

The dual active-set method of Goldfarb and Idnani, "A numerically stable dual method for solving
strictly convex quadratic programs", Mathematical Programming 27, 1983. It starts at the
unconstrained minimum and adds violated constraints one by one, so an infeasible program is
recognized, and the work follows the number of active constraints.

Minimize x'Hx / 2 + g'x, subject to ``low <= x <= high`` and ``row_low <= A x <= row_high``.
Constraint i is the bound of x[i] if i < n, and row i - n of A otherwise.
"""

import math
from typing import NamedTuple

import numpy as np

from rigid_tree_kinematics.arrays import Array, Integers
from rigid_tree_kinematics.kernels import MATRIX, VECTOR, inlined, kernel, types

SOLVED, INFEASIBLE, FAILED = range(3)  # FAILED: H is not positive definite, or no convergence

VIOLATED = 1e-11  # relative to the bound; smaller violations are rounding
DEPENDENT = 1e-20  # squared share of a constraint's gradient outside the active ones
MOST_STEPS = 20  # for each constraint and variable; a solution takes fewer steps than active ones


class Constraints(NamedTuple):
    """Bounds of n variables and of the m rows A x. Infinite numbers are no bounds."""

    low: Array  # (n,)
    high: Array
    A: Array  # (m, n)
    row_low: Array  # (m,)
    row_high: Array


class SolverWork(NamedTuple):
    """Work space for n variables, and the solution."""

    x: Array  # (n,) the solution
    inverse: Array  # (n, n) rows: columns of the matrix J with J'HJ = 1, of the active ones first
    R: Array  # (n, n) the active gradients in J's columns, upper triangular
    d: Array  # (n,) a constraint's gradient in these columns
    z: Array  # (n,) direction of a step
    r: Array  # (n,) change of the multipliers
    normal: Array  # (n,) the gradient
    u: Array  # (n + 1,) multipliers of the active constraints
    active: Integers  # (n + 1,) indices of the active constraints
    sides: Array  # (n + 1,) 1 for a lower bound, -1 for an upper one
    counts: Integers  # (2,) number of active constraints, steps


INDICES = types.int64[::1]
CONSTRAINTS = types.NamedTuple((VECTOR, VECTOR, MATRIX, VECTOR, VECTOR), Constraints)
WORK = types.NamedTuple(
    (VECTOR, MATRIX, MATRIX, *[VECTOR] * 5, INDICES, VECTOR, INDICES), SolverWork
)
ACTIVE, STEPS = range(2)  # entries of SolverWork.counts


def solver_work(n: int) -> SolverWork:
    """Return work space for programs with ``n`` variables."""
    return SolverWork(
        x=np.zeros(n),
        inverse=np.zeros((n, n)),
        R=np.zeros((n, n)),
        d=np.zeros(n),
        z=np.zeros(n),
        r=np.zeros(n),
        normal=np.zeros(n),
        u=np.zeros(n + 1),
        active=np.zeros(n + 1, dtype=np.int64),
        sides=np.zeros(n + 1),
        counts=np.zeros(2, dtype=np.int64),
    )


@kernel(types.boolean(MATRIX, types.int64, WORK))
def factorize(H: Array, n: int, work: SolverWork) -> bool:
    """Compute ``work.inverse`` of the lower triangle of H; return False if it is not definite.

    With H = L L' (Cholesky), J is the inverse of L', and its columns are the rows of inverse(L).
    """
    L, inverse = work.R, work.inverse
    for i in range(n):
        for j in range(i + 1):
            total = H[i, j]
            for k in range(j):
                total -= L[i, k] * L[j, k]
            if i > j:
                L[i, j] = total * L[j, j]
            elif total > 0.0:
                L[i, i] = 1.0 / math.sqrt(total)  # the inverse of the diagonal
            else:
                return False
    for i in range(n):
        for k in range(n):
            inverse[i, k] = 0.0
        for j in range(i):
            factor = -L[i, j] * L[i, i]
            for k in range(j + 1):
                inverse[i, k] += factor * inverse[j, k]
        inverse[i, i] = L[i, i]
    return True


@kernel(types.void(VECTOR, types.int64, WORK, VECTOR))
def unconstrained_minimum(g: Array, n: int, work: SolverWork, out: Array) -> None:
    """Write the minimum -inverse(H) g after ``factorize``, into ``out`` (n,)."""
    for k in range(n):
        out[k] = 0.0
    for i in range(n):
        total = 0.0
        for k in range(i + 1):
            total -= work.inverse[i, k] * g[k]
        for k in range(i + 1):
            out[k] += total * work.inverse[i, k]


@inlined
def _row_value(constraints: Constraints, row: int, x: Array, n: int) -> float:
    total = 0.0
    for k in range(n):
        total += constraints.A[row, k] * x[k]
    return total


@inlined
def _violation(value: float, low: float, high: float) -> tuple[float, float]:
    """Return by how much a value is outside its bounds, 0 if inside, and the side."""
    if value < low - VIOLATED * max(1.0, abs(low)):
        return low - value, 1.0
    if value > high + VIOLATED * max(1.0, abs(high)):
        return value - high, -1.0
    return 0.0, 1.0


@inlined
def _most_violated(
    constraints: Constraints, n: int, rows: int, work: SolverWork
) -> tuple[int, float, float]:
    """Return the most violated constraint (-1: none), its violation and the side.

    Equalities come first, as they are active in every solution.
    """
    worst, at, side = 0.0, -1, 1.0
    for i in range(n + rows):
        if i < n:
            low, high, value = constraints.low[i], constraints.high[i], work.x[i]
        else:
            low, high = constraints.row_low[i - n], constraints.row_high[i - n]
            value = _row_value(constraints, i - n, work.x, n)
        beyond, of_side = _violation(value, low, high)
        if beyond > worst:
            is_new = True
            for k in range(work.counts[ACTIVE]):
                # What an active constraint lacks is rounding.
                is_new &= work.active[k] != i
            if is_new:
                worst, at, side = beyond, i, of_side
                if low == high and i >= n:
                    return at, worst, side
    return at, worst, side


@inlined
def _load_normal(constraints: Constraints, n: int, i: int, side: float, work: SolverWork) -> None:
    """Write a constraint's gradient to ``work.normal`` and, in J's columns, to ``work.d``."""
    normal, d, inverse = work.normal, work.d, work.inverse
    if i < n:
        for k in range(n):
            normal[k] = 0.0
            d[k] = side * inverse[k, i]
        normal[i] = side
        return
    for k in range(n):
        normal[k] = side * constraints.A[i - n, k]
    for j in range(n):
        total = 0.0
        for k in range(n):
            total += inverse[j, k] * normal[k]
        d[j] = total


@inlined
def _write_directions(n: int, work: SolverWork) -> None:
    """Write the step in x to ``work.z`` and that of the multipliers to ``work.r``."""
    q, z, r, d = work.counts[ACTIVE], work.z, work.r, work.d
    for k in range(n):
        z[k] = 0.0
    for j in range(q, n):
        for k in range(n):
            z[k] += d[j] * work.inverse[j, k]
    for i in range(q - 1, -1, -1):
        total = d[i]
        for k in range(i + 1, q):
            total -= work.R[i, k] * r[k]
        r[i] = total / work.R[i, i]


@inlined
def _rotate(work: SolverWork, n: int, one: int, two: int, c: float, s: float) -> None:
    """Rotate two columns of J."""
    inverse = work.inverse
    for k in range(n):
        a, b = inverse[one, k], inverse[two, k]
        inverse[one, k], inverse[two, k] = c * a + s * b, c * b - s * a


@inlined
def _add(n: int, i: int, side: float, multiplier: float, work: SolverWork) -> None:
    """Add a constraint to the active ones, whose gradient is in ``work.d``."""
    q, d = work.counts[ACTIVE], work.d
    for j in range(n - 1, q, -1):
        if d[j] != 0.0:
            norm = math.hypot(d[j - 1], d[j])
            c, s = d[j - 1] / norm, d[j] / norm
            d[j - 1], d[j] = norm, 0.0
            _rotate(work, n, j - 1, j, c, s)
    for k in range(q + 1):
        work.R[k, q] = d[k]
    work.active[q], work.sides[q], work.u[q] = i, side, multiplier
    work.counts[ACTIVE] = q + 1


@inlined
def _drop(n: int, at: int, work: SolverWork) -> None:
    """Remove the active constraint number ``at``."""
    q, R = work.counts[ACTIVE] - 1, work.R
    for k in range(at, q):
        work.active[k], work.sides[k] = work.active[k + 1], work.sides[k + 1]
        work.u[k] = work.u[k + 1]
        for i in range(k + 2):
            R[i, k] = R[i, k + 1]
    for k in range(at, q):
        norm = math.hypot(R[k, k], R[k + 1, k])
        c, s = R[k, k] / norm, R[k + 1, k] / norm
        for j in range(k, q):
            a, b = R[k, j], R[k + 1, j]
            R[k, j], R[k + 1, j] = c * a + s * b, c * b - s * a
        _rotate(work, n, k, k + 1, c, s)
    work.counts[ACTIVE] = q


@inlined
def _longest_dual_step(constraints: Constraints, n: int, work: SolverWork) -> tuple[float, int]:
    """Return the step at which the first multiplier becomes 0, and its number."""
    longest, at = math.inf, -1
    for k in range(work.counts[ACTIVE]):
        i = work.active[k]
        if i < n:
            is_equality = constraints.low[i] == constraints.high[i]
        else:
            is_equality = constraints.row_low[i - n] == constraints.row_high[i - n]
        if work.r[k] > 0.0 and not is_equality and work.u[k] < longest * work.r[k]:
            longest, at = work.u[k] / work.r[k], k
    return longest, at


@inlined
def _activate(
    constraints: Constraints, n: int, i: int, side: float, lacking: float, work: SolverWork
) -> int:
    """Move to the bound of constraint ``i``, dropping others where needed."""
    multiplier, left = 0.0, lacking
    for _ in range(2 * n + 2):
        work.counts[STEPS] += 1
        _load_normal(constraints, n, i, side, work)
        q = work.counts[ACTIVE]
        inside = outside = 0.0
        for k in range(n):
            if k < q:
                inside += work.d[k] * work.d[k]
            else:
                outside += work.d[k] * work.d[k]
        _write_directions(n, work)
        step, leaving = _longest_dual_step(constraints, n, work)
        is_dependent = outside <= DEPENDENT * (inside + outside)
        whole = math.inf if is_dependent else left / outside
        if step == math.inf and whole == math.inf:
            return INFEASIBLE
        length = min(step, whole)
        if not is_dependent:
            for k in range(n):
                work.x[k] += length * work.z[k]
            left -= length * outside
        for k in range(q):
            work.u[k] -= length * work.r[k]
        multiplier += length
        if whole <= step:
            _add(n, i, side, multiplier, work)
            return SOLVED
        _drop(n, leaving, work)
    return FAILED


@kernel(types.int64(VECTOR, CONSTRAINTS, types.int64, types.int64, WORK))
def solve(g: Array, constraints: Constraints, n: int, rows: int, work: SolverWork) -> int:
    """Solve a program whose H was given to ``factorize``; return SOLVED, INFEASIBLE or FAILED.

    Only ``n`` variables and the first ``rows`` rows are used; the arrays can be larger. The
    solution is ``work.x``, the active constraints are in ``work.active``. The factorization is
    used up: call ``factorize`` again before the next solution.
    """
    unconstrained_minimum(g, n, work, work.x)
    work.counts[ACTIVE] = work.counts[STEPS] = 0
    for _ in range(MOST_STEPS * (n + rows) + 1):
        i, lacking, side = _most_violated(constraints, n, rows, work)
        if i < 0:
            return SOLVED
        verdict = _activate(constraints, n, i, side, lacking, work)
        if verdict != SOLVED:
            return verdict
    return FAILED
