"""Many targets at once: the same search for each, in threads that do not need the GIL."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from functools import cache
from time import perf_counter

import numpy as np
from numpy.typing import ArrayLike, NDArray

from rigid_tree_kinematics.arrays import Array
from rigid_tree_kinematics.errors import ConfigurationError, ModelError
from rigid_tree_kinematics.ik.chain import IKResult
from rigid_tree_kinematics.ik.chain import settings as layout
from rigid_tree_kinematics.ik.problem import IKProblem
from rigid_tree_kinematics.ik.search import search_batch
from rigid_tree_kinematics.ik.single import solve_one
from rigid_tree_kinematics.model.transforms import Pose, pose_array

# Fewer targets are solved before a second thread has started.
TARGETS_WORTH_A_THREAD = 64


@dataclass(frozen=True, eq=False)
class IKBatch:
    """The answers to N targets: arrays, and one IKResult for each by iterating or indexing.

    The arrays are there at once; a result is made when it is asked for.
    """

    success: NDArray[np.bool_]  # (N,)
    configurations: Array  # (N, nq)
    position_errors: Array  # (N,) m
    orientation_errors: Array  # (N,) rad
    seconds: float
    result_of: Callable[[int], IKResult] = field(repr=False)

    def __len__(self) -> int:
        return len(self.success)

    def __getitem__(self, index: int) -> IKResult:
        return self.result_of(range(len(self))[index])

    def __iter__(self) -> Iterator[IKResult]:
        return map(self.result_of, range(len(self)))


def solve_batch(
    problem: IKProblem, targets: Pose, seeds: ArrayLike | None, threads: int | None
) -> IKBatch:
    """Batch version of ``solve_one``; see InverseKinematics.solve_batch.

    ``targets`` are (N, 4, 4), ``seeds`` (N, nq), (nq,) or None, ``threads`` how many to use or
    None for one a core. Raises ConfigurationError for other shapes.
    """
    started = perf_counter()
    T, q = _checked(problem, targets, seeds)
    count = len(T)
    reports = np.empty((count, layout.REPORT))
    codes = np.empty(count, dtype=np.int64)
    starts = q.copy()

    def work_on(first: int, last: int) -> None:
        chain = problem.chain
        search_batch(
            chain.steps.copy() if chain.ball_count else chain.steps,
            chain.variables,
            problem.compiled.table,
            problem.settings,
            T[first:last],
            q[first:last],
            np.empty(problem.work_size),
            problem.random_seed,
            problem.max_restarts,
            problem.budget,
            reports[first:last],
            codes[first:last],
        )

    cores = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count()
    parts = max(1, min(threads or cores or 1, count // TARGETS_WORTH_A_THREAD))
    edges = [count * part // parts for part in range(parts + 1)]
    if parts == 1:
        work_on(0, count)
    else:
        list(_pool(parts).map(work_on, edges[:-1], edges[1:]))

    # These few need the clock, or a reason; the others' results are made when asked for.
    special = {}
    for k in np.flatnonzero((codes != layout.CONVERGED) & (codes != layout.UNREACHABLE)):
        special[int(k)] = result = solve_one(problem, T[k], starts[k])
        q[k] = result.configuration
        reports[k, layout.POSITION_ERROR] = result.position_error
        reports[k, layout.ORIENTATION_ERROR] = result.orientation_error
        codes[k] = layout.CONVERGED if result.success else layout.UNREACHABLE
    seconds = perf_counter() - started
    each = seconds / max(count, 1)

    def result_of(k: int) -> IKResult:
        if k in special:
            return special[k]
        return problem.result_of(int(codes[k]), q[k].copy(), reports[k].tolist(), each, starts[k])

    return IKBatch(
        success=codes == layout.CONVERGED,
        configurations=q,
        position_errors=reports[:, layout.POSITION_ERROR].copy(),
        orientation_errors=reports[:, layout.ORIENTATION_ERROR].copy(),
        seconds=seconds,
        result_of=result_of,
    )


def _checked(problem: IKProblem, targets: Pose, seeds: ArrayLike | None) -> tuple[Array, Array]:
    try:
        T = pose_array(targets)
        q = np.array(
            problem.compiled.home if seeds is None else seeds, dtype=np.float64, order="C"
        )
    except (ModelError, TypeError, ValueError) as error:
        raise ConfigurationError(f"targets and seeds are arrays of numbers: {error}") from error
    if T.ndim != 3 or T.shape[1:] != (4, 4):
        raise ConfigurationError(f"targets have the shape (N, 4, 4), not {T.shape}")
    positions = problem.compiled.position_count
    if q.shape == (positions,):
        q = np.tile(q, (len(T), 1))
    if q.shape != (len(T), positions):
        raise ConfigurationError(
            f"seeds for {len(T)} targets have the shape ({len(T)}, {positions}) or "
            f"({positions},), not {q.shape}"
        )
    return T, q


@cache
def _pool(threads: int) -> ThreadPoolExecutor:
    return ThreadPoolExecutor(threads, thread_name_prefix="inverse_kinematics")
