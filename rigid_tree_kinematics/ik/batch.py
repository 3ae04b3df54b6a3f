"""Many targets at once: the same search for each, in threads that do not need the GIL."""

from __future__ import annotations

import os
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from functools import cache
from time import perf_counter
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import ArrayLike, NDArray

from rigid_tree_kinematics.errors import ConfigurationError
from rigid_tree_kinematics.ik import settings as layout
from rigid_tree_kinematics.ik.result import IKResult
from rigid_tree_kinematics.ik.search import search_batch
from rigid_tree_kinematics.model.transforms import Array

if TYPE_CHECKING:
    from rigid_tree_kinematics.ik.solver import InverseKinematics

# Fewer targets are solved before a second thread has started.
TARGETS_WORTH_A_THREAD = 64


@dataclass(frozen=True, eq=False)
class IKBatch:
    """The answers to N targets: arrays, and one IKResult for each by iterating or indexing."""

    success: NDArray[np.bool_]  # (N,)
    configurations: Array  # (N, nq)
    position_errors: Array  # (N,) m
    orientation_errors: Array  # (N,) rad
    seconds: float
    results: tuple[IKResult, ...]

    def __len__(self) -> int:
        return len(self.results)

    def __getitem__(self, index: int) -> IKResult:
        return self.results[index]

    def __iter__(self) -> Iterator[IKResult]:
        return iter(self.results)


def solve_batch(
    ik: InverseKinematics, targets: ArrayLike, seeds: ArrayLike | None, threads: int | None
) -> IKBatch:
    """Solve for every target; see InverseKinematics.solve_batch."""
    started = perf_counter()
    T, q = _checked(ik, targets, seeds)
    count = len(T)
    reports = np.empty((count, layout.REPORT))
    codes = np.empty(count, dtype=np.int64)
    starts = q.copy()

    def work_on(first: int, last: int) -> None:
        chain = ik.chain
        search_batch(
            chain.steps.copy() if chain.ball_count else chain.steps,
            chain.variables,
            ik.compiled.table,
            ik.settings,
            T[first:last],
            q[first:last],
            np.empty(ik.work_size),
            ik.random_seed,
            ik.max_restarts,
            ik.budget,
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

    each = (perf_counter() - started) / max(count, 1)
    results = []
    for k in range(count):
        code = int(codes[k])
        if code in (layout.CONVERGED, layout.UNREACHABLE):
            result = ik.result_of(code, q[k], reports[k].tolist(), each, starts[k])
        else:  # needs the clock, or a reason
            result = ik.solve(T[k], starts[k])
            q[k] = result.configuration
        results.append(result)
    return IKBatch(
        success=np.array([result.success for result in results], dtype=bool),
        configurations=q,
        position_errors=np.array([result.position_error for result in results]),
        orientation_errors=np.array([result.orientation_error for result in results]),
        seconds=perf_counter() - started,
        results=tuple(results),
    )


def _checked(
    ik: InverseKinematics, targets: ArrayLike, seeds: ArrayLike | None
) -> tuple[Array, Array]:
    try:
        T = np.array(targets, dtype=np.float64, order="C")
        q = np.array(ik.compiled.home if seeds is None else seeds, dtype=np.float64, order="C")
    except (TypeError, ValueError) as error:
        raise ConfigurationError(f"targets and seeds are arrays of numbers: {error}") from error
    if T.ndim != 3 or T.shape[1:] != (4, 4):
        raise ConfigurationError(f"targets have the shape (N, 4, 4), not {T.shape}")
    positions = ik.compiled.position_count
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
