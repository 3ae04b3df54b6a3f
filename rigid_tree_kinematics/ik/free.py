"""Collision-free solutions of inverse kinematics."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from numpy.typing import ArrayLike

from rigid_tree_kinematics.deadline import Deadline
from rigid_tree_kinematics.ik.branches import SEPARATION, all_solutions
from rigid_tree_kinematics.ik.chain import IKResult
from rigid_tree_kinematics.ik.solver import InverseKinematics
from rigid_tree_kinematics.model.transforms import Pose

if TYPE_CHECKING:
    from rigid_tree_kinematics.collision import CollisionChecker

TRIED = 64  # solutions checked, at most, for a collision-free one
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
    """Return up to ``most`` collision-free solutions, nearest to the seed first, and a message.

    If one is enough and the solution of ``solver.solve`` is free, that is it; otherwise the
    solutions of ``solve_all`` are checked. Without any solution the list holds the failed result
    of ``solve``. If all solutions are in collision, it is empty, and the message has the collision
    of the first one.

    Args:
        solver: of the checker's robot.
        checker: of the robot in its scene.
        target: T_base_tool (4x4).
        seed: a configuration, by order or by joint name; None is the home configuration.
        most: how many to return at most.
        timeout: s, or a Deadline, for searches and checks.

    Raises OutOfTimeError if none of the solutions checked by then is free.

    Example:
        >>> from rigid_tree_kinematics.collision import CollisionChecker, load_scene
        >>> robot = load_robot("panda")
        >>> checker = CollisionChecker(robot, load_scene("panda_pillars"))
        >>> target = robot.get_transform([1.0, 0.3, 0.0, -1.8, 0.0, 2.1, 0.785], "panda_link8")
        >>> solver = InverseKinematics(robot, "panda_link8")
        >>> results, message = free_solutions(solver, checker, target, timeout=10.0)
        >>> [checker.is_free(result.configuration) for result in results]
        [True]
    """
    deadline = Deadline.of(timeout)
    first = solver.solve(target, seed, timeout=deadline)
    if not first.success:
        return [first], ""
    first_free = checker.is_free(first.configuration)
    if first_free and most == 1:
        return [first], ""
    # The checks of what is found take about as long as the search.
    searching = deadline.earlier(FOR_CHECKS)
    found = all_solutions(solver, target, seed, max(TRIED, most), SEPARATION, searching, first)
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
