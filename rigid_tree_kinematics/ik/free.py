"""Solutions at which the robot touches nothing."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from numpy.typing import ArrayLike

from rigid_tree_kinematics.deadline import Deadline
from rigid_tree_kinematics.ik.chain import IKResult
from rigid_tree_kinematics.ik.solver import InverseKinematics
from rigid_tree_kinematics.model.transforms import Pose

if TYPE_CHECKING:
    from rigid_tree_kinematics.collision import CollisionChecker

TRIED = 64  # solutions looked at for one that touches nothing
FOR_CHECKS = 0.5  # of the time that is left after the first solution


def free_solutions(
    solver: InverseKinematics,
    checker: CollisionChecker,
    target: Pose,
    seed: ArrayLike | Mapping[str, Any] | None = None,
    *,
    most: int = 1,
    timeout: float | Deadline = 1.0,
) -> tuple[list[IKResult], str]:
    """Return up to ``most`` solutions that the checker calls free, nearest to the seed first.

    The solution that ``solver.solve`` finds comes first if one is enough and it is free; if not,
    those of ``solve_all`` are looked at. Without any solution the list holds the best try, as
    ``solve`` returns it. If all solutions touch something, it is empty, and the second value says
    what the first one touches.

    Args:
        solver: of the checker's robot.
        checker: what counts as touching.
        target: T_base_tool (4x4).
        seed: a configuration, by order or by joint name; None is the home configuration.
        most: how many to return at most.
        timeout: s, or a Deadline, for all of it; solutions that are not checked by then are left
            out.

    Raises OutOfTimeError if none of those that are checked by then is free.
    """
    deadline = Deadline.of(timeout)
    first = solver.solve(target, seed, timeout=deadline)
    if not first.success:
        return [first], ""
    first_free = checker.is_free(first.configuration)
    if first_free and most == 1:
        return [first], ""
    # The checks of what is found take about as long as the search.
    found = solver.solve_all(
        target, seed, most=max(TRIED, most), timeout=deadline.earlier(FOR_CHECKS)
    )
    free: list[IKResult] = []
    for number, result in enumerate(found):
        if len(free) >= most or (deadline.over and (free or first_free)):
            break
        deadline.check(number, len(found), "solutions of inverse kinematics")
        if checker.is_free(result.configuration):
            free.append(result)
    if free or first_free:
        return free or [first], ""
    return [], checker.check(first.configuration).message
