"""Joint positions along a row of poses, one near the other; joints to spare are made use of."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from rigid_tree_kinematics.collision import CollisionChecker
from rigid_tree_kinematics.ik import InverseKinematics, free_solutions
from rigid_tree_kinematics.model import CompiledTree
from rigid_tree_kinematics.model.transforms import Array
from rigid_tree_kinematics.planning.deadline import Deadline
from rigid_tree_kinematics.planning.result import PlanStatus

LONGEST_JUMP = 0.5  # rad or m, of a joint between two neighbours: more is another branch
POSE_NUMBERS = 6  # that a pose asks for: joints beyond are to spare
MOST_AIMS = 12  # configurations that a way leans to, one after the other
AIM_TIME = 0.05  # s, for finding them
# Answers are so exact that the differences of neighbours are as smooth as the way is.
POSITION_TOLERANCE = 1e-9  # m
ORIENTATION_TOLERANCE = 1e-9  # rad


@dataclass(frozen=True, eq=False)
class Followed:
    """How far a body comes along its poses.

    Args:
        path: the configurations (k, nq), the start first, then one for each pose.
        status: SOLVED at the last pose; GOAL_UNREACHABLE, WAY_BLOCKED, OUT_OF_TIME, CANCELLED.
        trouble: what stopped it, in words.
    """

    path: Array
    status: PlanStatus = PlanStatus.SOLVED
    trouble: str = ""

    @property
    def done(self) -> int:
        """How many poses are reached."""
        return len(self.path) - 1

    @property
    def success(self) -> bool:
        """Whether the last pose is reached."""
        return self.status is PlanStatus.SOLVED


def exact_solver(
    compiled: CompiledTree, body: str, locked: Sequence[str] = ()
) -> InverseKinematics:
    """Return a solver whose answers are as exact as a smooth way needs."""
    return InverseKinematics(
        compiled,
        body,
        locked=locked,
        position_tolerance=POSITION_TOLERANCE,
        orientation_tolerance=ORIENTATION_TOLERANCE,
        random_seed=0,
    )


def follow_poses(
    solver: InverseKinematics,
    start: Array,
    poses: Sequence[Array],
    *,
    checker: CollisionChecker | None = None,
    longest_jump: float = LONGEST_JUMP,
    deadline: Deadline,
) -> Followed:
    """Return configurations for ``poses`` (4x4, base frame) near each other, from ``start`` on.

    Each is the nearest to the one before. Where that leads into a limit, an obstacle or a
    singularity, an arm with more joints than the pose asks for is tried in other postures: on
    its way it leans to another solution of the pose that it could not reach, or of the last one.

    Args:
        solver: of the body; its locked joints stay where they are.
        start: a configuration (nq,).
        poses: the body's, a short way apart.
        checker: what must not be touched on the way; None: anything may.
        longest_jump: rad or m, of a joint between two configurations.
        deadline: until when to go on.
    """
    first = np.array(start, dtype=np.float64)[np.newaxis]
    best = _followed(solver, first, poses, None, 0, checker, longest_jump, deadline)
    while not best.success and len(solver.involved) > POSE_NUMBERS and not deadline.over:
        before = best
        for pose, aim in _aims(solver, start, poses, before.done, checker, deadline):
            way = _followed(solver, first, poses, aim, pose, checker, longest_jump, deadline)
            if way.done > best.done or way.success:
                best = way
            if best.success or deadline.over:
                break
        if best.done == before.done:
            break
    return best


def _aims(
    solver: InverseKinematics,
    start: Array,
    poses: Sequence[Array],
    stuck: int,
    checker: CollisionChecker | None,
    deadline: Deadline,
) -> list[tuple[int, Array]]:
    """Return configurations to lean to, and the pose that each belongs to."""
    aims = []
    for pose in dict.fromkeys((len(poses) - 1, stuck)):
        seconds = min(AIM_TIME, deadline.left)
        if checker is None:
            found = solver.solve_all(poses[pose], start, most=MOST_AIMS, timeout=seconds)
        else:
            found, _ = free_solutions(
                solver, checker, poses[pose], start, most=MOST_AIMS, timeout=seconds
            )
        aims += [(pose, np.array(item.configuration)) for item in found if item.success]
    return aims


def _followed(
    solver: InverseKinematics,
    begin: Array,
    poses: Sequence[Array],
    aim: Array | None,
    aimed: int,
    checker: CollisionChecker | None,
    longest_jump: float,
    deadline: Deadline,
) -> Followed:
    """Go from pose to pose, leaning to ``aim`` until the pose that it belongs to."""
    path = [*begin]
    for number in range(len(path) - 1, len(poses)):
        last = path[-1]
        if deadline.over:
            cancelled = deadline.cancelled
            status = PlanStatus.CANCELLED if cancelled else PlanStatus.OUT_OF_TIME
            words = "cancelled" if cancelled else "the time is over"
            return Followed(np.array(path), status, words)
        seed = last
        if aim is not None and number <= aimed:
            # The descent from there changes as little as it can: what leads away from the pose.
            way = (aim - last) / (aimed + 1 - number)
            seed = last + way * min(1.0, 0.5 * longest_jump / max(float(np.abs(way).max()), 1e-12))
        found = solver.solve(poses[number], seed, max_step=longest_jump, max_restarts=0)
        answer = np.array(found.configuration)
        if not found.success or float(np.abs(answer - last).max()) > longest_jump:
            at = found.joints_at_limits
            why = f"{', '.join(at)} at a limit" if at else "a singularity, or out of reach"
            words = f"no joint positions near the last ones ({why})"
            return Followed(np.array(path), PlanStatus.GOAL_UNREACHABLE, words)
        contact = None if checker is None else checker.motion_contact(last, answer)
        if contact is not None:
            words = f"'{contact.first}' touches '{contact.second}'"
            return Followed(np.array(path), PlanStatus.WAY_BLOCKED, words)
        path.append(answer)
    return Followed(np.array(path))
