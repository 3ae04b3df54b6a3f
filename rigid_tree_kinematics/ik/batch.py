"""Inverse kinematics of many targets, in threads."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from time import perf_counter

import numpy as np
from numpy.typing import ArrayLike, NDArray

from rigid_tree_kinematics.arrays import Array
from rigid_tree_kinematics.errors import ConfigurationError, ModelError, RigidTreeError
from rigid_tree_kinematics.ik.chain import IKResult, layout
from rigid_tree_kinematics.ik.problem import IKProblem
from rigid_tree_kinematics.ik.search import search_batch
from rigid_tree_kinematics.ik.single import solve_one
from rigid_tree_kinematics.kinematics.arguments import in_threads
from rigid_tree_kinematics.model.transforms import Pose, pose_array

# Solving fewer targets takes less time than starting a thread.
TARGETS_WORTH_A_THREAD = 64


@dataclass(frozen=True, eq=False)
class IKBatch:
    """The answers to N targets: arrays, and one IKResult for each by iterating or indexing.

    Results are made on demand.
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
    starts = q.copy()

    def work_on(first: int, last: int) -> bool:
        work = np.empty(problem.work_size)
        limits = problem.random_seed, problem.max_restarts, problem.budget
        part = slice(first, last)
        search_batch(problem.arrays(), T[part], q[part], work, *limits, reports[part])
        return True

    in_threads(work_on, count, TARGETS_WORTH_A_THREAD, threads)
    codes = reports[:, layout.CODE].astype(int)
    # Few need the deadline or a reason; the other results are made on demand.
    special = {}
    for k in np.flatnonzero((codes != layout.CONVERGED) & (codes != layout.UNREACHABLE)):
        special[int(k)] = result = _answer(problem, T[k], starts[k])
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


def _answer(problem: IKProblem, T: Array, seed: Array) -> IKResult:
    """Return a target's result; invalid input is not raised, as other targets have answers."""
    started = perf_counter()
    try:
        return solve_one(problem, T, seed)
    except RigidTreeError as error:
        return problem.invalid(str(error), started, problem.random_seed)


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
