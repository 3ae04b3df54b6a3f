"""One target: a search from the seed and from random starts, within a time."""

from __future__ import annotations

from collections.abc import Mapping
from time import perf_counter
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from rigid_tree_kinematics.deadline import Deadline
from rigid_tree_kinematics.errors import ConfigurationError, ModelError
from rigid_tree_kinematics.ik.chain import IKResult, IKStatus
from rigid_tree_kinematics.ik.chain import settings as layout
from rigid_tree_kinematics.ik.problem import FLOAT64, IKProblem, natural, positive
from rigid_tree_kinematics.ik.search import GIVE_UP, RESUME, START, search
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
    """Return the result for one target; see InverseKinematics.solve for the arguments."""
    started = perf_counter()
    if random_seed is None:
        random_seed = problem.random_seed
    else:
        random_seed = natural(random_seed, "random_seed")
    if max_restarts is None:
        max_restarts = problem.max_restarts
    deadline = Deadline.of(problem.timeout if timeout is None else timeout)
    compiled = problem.compiled
    try:
        q = problem.start(seed)
    except ConfigurationError as error:
        return problem.invalid(f"seed: {error}", started, random_seed)
    T = target
    if type(T) is not np.ndarray or T.dtype is not FLOAT64 or not T.flags.carray:
        try:
            T = pose_array(target)
        except ModelError as error:
            return problem.invalid(f"target: {error}", started, random_seed)
    if T.shape != (4, 4):
        return problem.invalid(
            f"target: a pose is a 4x4 matrix, not of shape {T.shape}", started, random_seed
        )

    chain = problem.chain
    steps = chain.steps.copy() if chain.ball_count else chain.steps
    work = np.empty(problem.work_size)
    table, variables, settings = compiled.table, chain.variables, problem.settings
    if max_step is not None:
        cut = np.clip(q, compiled.lower, compiled.upper)
        way = np.full(len(q), positive(max_step, "max_step"))
        variables = chain.variables_near(cut, way)
    code = search(
        steps, variables, table, settings, T, q, work,
        random_seed, max_restarts, problem.budget, START,
    )  # fmt: skip
    status = None
    while code == layout.UNFINISHED:
        late = deadline.over
        code = search(
            steps, variables, table, settings, T, q, work,
            random_seed, max_restarts, problem.budget, GIVE_UP if late else RESUME,
        )  # fmt: skip
        if late and code == layout.UNREACHABLE:
            status = IKStatus.OUT_OF_TIME
    if code >= layout.BAD_TARGET:
        bad_target = code == layout.BAD_TARGET
        reason = problem.target_problem(T) if bad_target else problem.seed_problem(seed)
        return problem.invalid(reason, started, random_seed)
    report = work[: layout.REPORT].tolist()
    return problem.result_of(code, q, report, perf_counter() - started, seed, status, random_seed)
