"""The solver of quadratic programs beside quadprog, on random programs of all kinds."""

import numpy as np
import pytest
import quadprog

from rigid_tree_kinematics.ik.differential.steps.quadratic_program import (
    ACTIVE,
    FAILED,
    INFEASIBLE,
    SOLVED,
    Constraints,
    factorize,
    solve,
    solver_work,
)


def answer(H, g, constraints):
    """Return the solver's status, its solution and the active constraints."""
    n, rows = len(g), len(constraints.A)
    work = solver_work(n)
    if not factorize(H, n, work):
        return FAILED, work.x, set()
    status = solve(g, constraints, n, rows, work)
    return status, work.x, set(work.active[: work.counts[ACTIVE]].tolist())


def by_quadprog(H, g, constraints):
    """Return quadprog's solution; None if the program is infeasible."""
    n = len(g)
    A = np.vstack((np.eye(n), constraints.A))
    low = np.concatenate((constraints.low, constraints.row_low))
    high = np.concatenate((constraints.high, constraints.row_high))
    equal = low == high
    below, above = np.isfinite(low) & ~equal, np.isfinite(high) & ~equal
    normals = np.vstack((A[equal], A[below], -A[above]))
    bounds = np.concatenate((low[equal], low[below], -high[above]))
    try:
        return quadprog.solve_qp(H, -g, normals.T, bounds, int(equal.sum()))[0]
    except ValueError:  # "constraints are inconsistent, no solution"
        return None


def random_program(rng, n, rows, equalities):
    """Return a program; most are feasible, and many constraints are active."""
    M = rng.normal(size=(n, n))
    H = M.T @ M + 10.0 ** rng.uniform(-6, 0) * np.eye(n)
    A = rng.normal(size=(rows, n))
    inside = rng.uniform(-0.5, 0.5, n)
    width = 10.0 ** rng.uniform(-2, 0, rows)
    low, high = A @ inside - width, A @ inside + width
    low[rng.random(rows) < 0.4] = -np.inf
    high[rng.random(rows) < 0.4] = np.inf
    low[:equalities] = high[:equalities] = (A @ inside)[:equalities]
    return H, 10.0 * rng.normal(size=n), Constraints(-np.ones(n), np.ones(n), A, low, high)


@pytest.mark.parametrize("n", [1, 2, 7, 14, 32])
def test_solutions_are_those_of_quadprog(n):
    rng = np.random.default_rng(n)
    for _ in range(300):
        equalities = int(rng.integers(0, max(1, min(n // 2, 9))))
        H, g, constraints = random_program(rng, n, int(rng.integers(equalities, 12)), equalities)
        status, x, active = answer(H, g, constraints)
        expected = by_quadprog(H, g, constraints)
        assert status == SOLVED
        assert expected is not None
        np.testing.assert_allclose(x, expected, atol=1e-7)
        values = np.concatenate((x, constraints.A @ x))
        low = np.concatenate((constraints.low, constraints.row_low))
        high = np.concatenate((constraints.high, constraints.row_high))
        assert (values >= low - 1e-9).all()
        assert (values <= high + 1e-9).all()
        for i in active:
            assert min(values[i] - low[i], high[i] - values[i]) < 1e-8


def test_infeasible_programs_are_recognized():
    rng = np.random.default_rng(5)
    found = 0
    for _ in range(300):
        H, g, constraints = random_program(rng, 5, 8, 0)
        shifted = constraints._replace(row_low=constraints.row_low + 1.5)
        shifted.row_high[:] = np.maximum(shifted.row_high, shifted.row_low + 0.1)
        expected = by_quadprog(H, g, shifted)
        status, x, _ = answer(H, g, shifted)
        assert status == (INFEASIBLE if expected is None else SOLVED)
        if expected is not None:
            np.testing.assert_allclose(x, expected, atol=1e-7)
        found += expected is None
    assert 30 < found < 270


def test_repeated_equalities_are_no_obstacle():
    """The same row twice, and a sum of rows: consistent, so they are satisfied already."""
    rng = np.random.default_rng(6)
    for _ in range(50):
        H, g, constraints = random_program(rng, 7, 3, 3)
        A = np.vstack((constraints.A, constraints.A[:1], constraints.A.sum(axis=0)))
        bounds = np.concatenate(
            (constraints.row_low, constraints.row_low[:1], [constraints.row_low.sum()])
        )
        more = Constraints(constraints.low, constraints.high, A, bounds, bounds)
        status, x, _ = answer(H, g, more)
        assert status == SOLVED
        np.testing.assert_allclose(x, by_quadprog(H, g, constraints), atol=1e-7)


def test_a_matrix_that_is_not_definite_fails():
    nothing = Constraints(-np.ones(2), np.ones(2), np.empty((0, 2)), np.empty(0), np.empty(0))
    for H in (np.diag([1.0, 0.0]), np.diag([1.0, -1.0]), np.full((2, 2), np.nan)):
        assert answer(H, np.ones(2), nothing)[0] == FAILED
