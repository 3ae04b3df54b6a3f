"""Inverse kinematics of many targets, in threads."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from time import perf_counter

import numpy as np
from numpy.typing import ArrayLike

from rigid_tree_kinematics.arrays import Array, Mask
from rigid_tree_kinematics.errors import ConfigurationError, ModelError, RigidTreeError
from rigid_tree_kinematics.ik.chain import IKResult, IKStatus, layout
from rigid_tree_kinematics.ik.search import search_batch
from rigid_tree_kinematics.ik.single import SingleTargetIK
from rigid_tree_kinematics.kinematics.arguments import in_threads
from rigid_tree_kinematics.model.transforms import Pose, pose_array

# Solving fewer targets takes less time than starting a thread.
TARGETS_WORTH_A_THREAD = 64
NO_REPORT = [np.nan, np.nan, *[0.0] * (layout.REPORT - 2)]  # without errors: nothing was solved


@dataclass(frozen=True, eq=False)
class IKBatch:
    """Results for N targets as arrays; iterating or indexing returns IKResults.

    Results are made on demand.
    """

    success: Mask  # (N,)
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
    ik: SingleTargetIK, targets: Pose, seeds: ArrayLike | None, threads: int | None
) -> IKBatch:
    """Solve for targets (N, 4, 4), in threads; see InverseKinematics.solve_batch."""
    started = perf_counter()
    T, q = _checked(ik, targets, seeds)
    count = len(T)
    reports = np.empty((count, layout.REPORT))
    starts = q.copy()

    def work_on(first: int, last: int) -> bool:
        work, part = np.empty(ik.work_size), slice(first, last)
        limits = ik.random_seed, ik.max_restarts, ik.budget
        search_batch(ik.arrays(), T[part], q[part], work, *limits, reports[part])
        return True

    in_threads(work_on, count, TARGETS_WORTH_A_THREAD, threads)
    codes = reports[:, layout.CODE].astype(int)
    # Few need the deadline or a reason; the other results are made on demand.
    special = {}
    for k in np.flatnonzero((codes != layout.CONVERGED) & (codes != layout.UNREACHABLE)):
        try:
            result = ik.solve(T[k], starts[k])
        except RigidTreeError as error:  # the other targets have answers
            invalid = IKStatus.INVALID_INPUT, ik.compiled.home.copy(), NO_REPORT
            result = ik.result(*invalid, 0.0, reason=str(error))
        special[int(k)] = result
        q[k] = result.configuration
        reports[k, layout.POSITION_ERROR] = result.position_error
        reports[k, layout.ORIENTATION_ERROR] = result.orientation_error
        codes[k] = layout.CONVERGED if result.success else layout.UNREACHABLE
    success = codes == layout.CONVERGED
    seconds = perf_counter() - started

    def result_of(k: int) -> IKResult:
        if k in special:
            return special[k]
        status = IKStatus.CONVERGED if success[k] else IKStatus.UNREACHABLE
        return ik.result(status, q[k].copy(), reports[k].tolist(), seconds / count, starts[k])

    errors = reports[:, layout.POSITION_ERROR].copy(), reports[:, layout.ORIENTATION_ERROR].copy()
    return IKBatch(success, q, *errors, seconds, result_of)


def _checked(ik: SingleTargetIK, targets: Pose, seeds: ArrayLike | None) -> tuple[Array, Array]:
    try:
        T = pose_array(targets)
        q = np.array(ik.compiled.home if seeds is None else seeds, dtype=np.float64, order="C")
    except (ModelError, TypeError, ValueError) as error:
        raise ConfigurationError(
            f"targets and seeds must be arrays of numbers: {error}"
        ) from error
    if T.ndim != 3 or T.shape[1:] != (4, 4):
        raise ConfigurationError(f"targets must have shape (N, 4, 4), not {T.shape}")
    positions = ik.compiled.position_count
    if q.shape == (positions,):
        q = np.tile(q, (len(T), 1))
    if q.shape != (len(T), positions):
        raise ConfigurationError(
            f"seeds for {len(T)} targets have the shape ({len(T)}, {positions}) or "
            f"({positions},), not {q.shape}"
        )
    return T, q
