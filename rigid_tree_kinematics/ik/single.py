"""Inverse kinematics of one target: a search from the seed and from random starts."""

from __future__ import annotations

from collections.abc import Mapping
from time import perf_counter
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from rigid_tree_kinematics.arrays import Array
from rigid_tree_kinematics.deadline import Deadline
from rigid_tree_kinematics.errors import ConfigurationError, ModelError
from rigid_tree_kinematics.ik.chain import IKResult, IKStatus, layout, natural, positive
from rigid_tree_kinematics.ik.problem import FLOAT64, IKProblem
from rigid_tree_kinematics.ik.search import GIVE_UP, RESUME, START
from rigid_tree_kinematics.model.transforms import Pose, pose_array


def solve_one(
    problem: IKProblem,
    target: Pose,
    seed: ArrayLike | Mapping[str, Any] | None = None,
    *,
    max_step: float | None = None,
    timeout: float | Deadline | None = None,
    max_restarts: int | None = None,
    random_seed: int | None = None,
) -> IKResult:
    """Return the result for one target; see InverseKinematics.solve for arguments and errors."""
    started = perf_counter()
    if random_seed is None:
        random_seed = problem.random_seed
    else:
        random_seed = natural(random_seed, "random_seed")
    if max_restarts is None:
        max_restarts = problem.max_restarts
    deadline = Deadline.of(problem.timeout if timeout is None else timeout)
    try:
        q = problem.start(seed)
    except ConfigurationError as error:
        raise ConfigurationError(f"seed: {error}") from error
    T = _target_array(target)
    chain = problem.arrays(None if max_step is None else _variables_near(problem, q, max_step))
    work = np.empty(problem.work_size)
    code = problem.search(chain, T, q, work, max_restarts, random_seed, START)
    status = None
    while code == layout.UNFINISHED:
        late = deadline.over
        mode = GIVE_UP if late else RESUME
        code = problem.search(chain, T, q, work, max_restarts, random_seed, mode)
        if late and code == layout.UNREACHABLE:
            status = IKStatus.OUT_OF_TIME
    if code >= layout.BAD_TARGET:
        if code == layout.BAD_TARGET:
            raise ModelError(problem.target_problem(T))
        raise ConfigurationError(problem.seed_problem(seed))
    report = work[: layout.REPORT].tolist()
    return problem.result_of(code, q, report, perf_counter() - started, seed, status, random_seed)


def _target_array(target: Pose) -> Array:
    """Return a target as an array for the kernel; ModelError for another shape."""
    T = target
    if type(T) is not np.ndarray or T.dtype is not FLOAT64 or not T.flags.carray:
        try:
            T = pose_array(target)
        except ModelError as error:
            raise ModelError(f"target: {error}") from error
    if T.shape == (3,):
        raise ModelError(
            "target: a pose is a 4x4 matrix; for a position, use transform((x, y, z)) and "
            "weights=(0, 0, 0, 1, 1, 1)"
        )
    if T.shape != (4, 4):
        raise ModelError(f"target: a pose is a 4x4 matrix, not of shape {T.shape}")
    return T


def _variables_near(problem: IKProblem, q: Array, max_step: float) -> Array:
    """Return the table of variables with limits no farther than ``max_step`` from the seed."""
    clamped = np.clip(q, problem.compiled.lower, problem.compiled.upper)
    return problem.chain.variables_near(clamped, np.full(len(q), positive(max_step, "max_step")))
