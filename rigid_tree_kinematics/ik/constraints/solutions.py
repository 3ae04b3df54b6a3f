"""Configurations that satisfy constraints: near a seed first, then anywhere."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from rigid_tree_kinematics.arrays import Array
from rigid_tree_kinematics.deadline import Deadline
from rigid_tree_kinematics.ik.constraints.constraint_set import ConstraintSet
from rigid_tree_kinematics.model.configuration import random_configuration

MOST_STARTS = 3_000  # of projections
SAME = 1e-3  # rad, m; solutions that differ by less are one


def projected_solutions(
    constraints: ConstraintSet,
    seed: Array,
    *,
    most: int = 1,
    timeout: float | Deadline = 1.0,
    random_seed: int = 0,
    others: Sequence[Array] = (),
) -> list[Array]:
    """Return up to ``most`` configurations (nq,) that meet constraints.

    They are projected from the seed (nq,), then from other and random configurations, in which the
    locked joints stand as in the seed. The first comes from the seed, if any does.

    Args:
        constraints: the constraints.
        seed: where to begin.
        most: how many to return at most.
        timeout: s, or a Deadline; at least the seed is tried.
        random_seed: of the random configurations.
        others: configurations (nq,) to begin at before random ones, such as meet a part of it all.

    Example:
        >>> robot = load_robot("panda")
        >>> table = CartesianBounds("panda_link8", (0.3, -0.3, 0.2), (0.7, 0.3, 0.2))
        >>> constraints = ConstraintSet(robot.compiled(), [table])
        >>> home = robot.home_configuration()
        >>> found = np.array(projected_solutions(constraints, home, most=3, timeout=10.0))
        >>> print(robot.get_transform(found, "panda_link8")[:, 2, 3].round(3))
        [0.2 0.2 0.2]
    """
    deadline = Deadline.of(timeout)
    rng = np.random.default_rng(random_seed)
    found: list[Array] = []
    for number in range(MOST_STARTS):
        if number and (len(found) >= most or deadline.over):
            break
        start = np.array(seed, dtype=np.float64)
        if number:
            moving = constraints.moving
            other = (
                others[number - 1]
                if number <= len(others)
                else random_configuration(constraints.compiled, rng)
            )
            start[moving] = other[moving]
        q = constraints.projected(start)
        if q is not None and all(np.abs(q - other).max() > SAME for other in found):
            found.append(q)
    return found
