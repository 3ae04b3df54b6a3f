"""Configurations that meet constraints: near a seed first, then anywhere."""

from __future__ import annotations

from time import perf_counter

import numpy as np

from rigid_tree_kinematics.ik.constraints import PoseTarget
from rigid_tree_kinematics.ik.held import HeldConstraints
from rigid_tree_kinematics.ik.solver import InverseKinematics
from rigid_tree_kinematics.model.configuration import random_configuration
from rigid_tree_kinematics.model.transforms import Array

MOST_STARTS = 300  # of projections
SAME = 1e-3  # rad, m; solutions that differ by less are one


def held_solutions(
    held: HeldConstraints,
    seed: Array,
    *,
    most: int = 1,
    timeout: float = 1.0,
    random_seed: int = 0,
    polished: tuple[InverseKinematics, PoseTarget] | None = None,
) -> list[Array]:
    """Return up to ``most`` configurations (nq,) that meet constraints.

    They are projected from the seed (nq,), then from random configurations, in which the locked
    joints stand as in the seed. The first comes from the seed, if any does.

    Args:
        held: the constraints.
        seed: where to begin.
        most: how many to return at most.
        timeout: s; at least the seed is tried.
        random_seed: of the random configurations.
        polished: a solver and the pose among the constraints that it meets exactly, beginning at
            what was projected; what does not meet the constraints then is left out.
    """
    end = perf_counter() + timeout
    rng = np.random.default_rng(random_seed)
    found: list[Array] = []
    for number in range(MOST_STARTS):
        if number and (len(found) >= most or perf_counter() >= end):
            break
        start = np.array(seed, dtype=np.float64)
        if number:
            moving = held.moving
            start[moving] = random_configuration(held.compiled, rng)[moving]
        q = held.projected(start)
        if q is not None and polished is not None:
            solver, pose = polished
            result = solver.solve(np.asarray(pose.target), q, max_restarts=0)
            q = np.array(result.configuration) if result.success else None
            if q is not None and not held.met(q):
                q = None
        if q is not None and all(np.abs(q - other).max() > SAME for other in found):
            found.append(q)
    return found
