"""Joint positions along a row of poses, one near the other; joints to spare are made use of."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from rigid_tree_kinematics.arrays import Array
from rigid_tree_kinematics.collision import CollisionChecker
from rigid_tree_kinematics.deadline import Deadline
from rigid_tree_kinematics.errors import OutOfTimeError
from rigid_tree_kinematics.ik import ConstraintSet, InverseKinematics
from rigid_tree_kinematics.model import CompiledTree
from rigid_tree_kinematics.planning.constrained import motion_holds
from rigid_tree_kinematics.planning.problem import PlanStatus, late_status
from rigid_tree_kinematics.planning.tool.posture_search import search_postures

LONGEST_JUMP = 0.5  # rad or m, of a joint between two neighbours: more is another branch
POSE_NUMBERS = 6  # that a pose asks for: joints beyond are to spare
SMOOTHINGS = (5, 2, 0)  # neighbours over which postures are averaged, as many as obstacles allow
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
    held: ConstraintSet | None = None,
    deadline: Deadline,
) -> Followed:
    """Return configurations for ``poses`` (4x4, base frame) near each other, from ``start`` on.

    Each is the nearest to the one before. Where that leads into a limit, an obstacle or a
    singularity, an arm with more joints than a pose asks for changes its posture on the way, if
    any does, see ``search_postures``.

    Args:
        solver: of the body; its locked joints stay where they are.
        start: a configuration (nq,).
        poses: the body's, a short way apart.
        checker: what must not be touched on the way; None: anything may.
        longest_jump: rad or m, of a joint between two configurations.
        held: constraints that hold along the way as well; None: none.
        deadline: until when to go on.
    """
    begin = np.array(start, dtype=np.float64)
    best = _followed(solver, begin, poses, None, checker, longest_jump, held, deadline)
    if best.success or len(solver.involved) <= POSE_NUMBERS or deadline.over:
        return best
    layers, postures = search_postures(solver, begin, poses, checker, deadline)
    if layers[-1] <= best.done:
        return best
    for reach in SMOOTHINGS:
        aims = _aims(layers, postures, reach)
        way = _followed(solver, begin, poses, aims, checker, longest_jump, held, deadline)
        if way.done > best.done or way.success:
            best = way
        if best.success or deadline.over:
            break
    return best


def _aims(layers: Sequence[int], postures: Array, reach: int) -> Array:
    """Return what to lean to at each pose (k, nq), the start first, as smooth as ``reach`` says.

    The postures of some poses are averaged over so many neighbours on either side, less near the
    ends, which stay, and what is between is interpolated.
    """
    last = len(postures) - 1
    averaged = [
        postures[k - side : k + side + 1].mean(axis=0)
        for k in range(last + 1)
        for side in (min(reach, k, last - k),)
    ]
    places = np.arange(layers[-1] + 1)
    columns = [np.interp(places, layers, column) for column in np.array(averaged).T]
    return np.array(columns).T


def _followed(
    solver: InverseKinematics,
    begin: Array,
    poses: Sequence[Array],
    aims: Array | None,
    checker: CollisionChecker | None,
    longest_jump: float,
    held: ConstraintSet | None,
    deadline: Deadline,
) -> Followed:
    """Go from pose to pose, leaning to ``aims`` as far as they go."""
    path = [begin]
    for number in range(len(poses)):
        last = path[-1]
        if deadline.over:
            words = deadline.why(f"after {number:,} of {len(poses):,} steps of the way")
            return Followed(np.array(path), late_status(deadline), words)
        seed = last
        if aims is not None and number + 1 < len(aims):
            # The descent from there changes as little as it can: what leads away from the pose.
            way = aims[number + 1] - last
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
        if held is not None:
            try:
                kept = held.met(answer) and motion_holds(held, last, answer, deadline)
            except OutOfTimeError as error:
                return Followed(np.array(path), late_status(deadline), str(error))
            if not kept:
                words = held.why(answer) or "the way between two poses violates the constraints"
                return Followed(np.array(path), PlanStatus.WAY_BLOCKED, words)
        path.append(answer)
    return Followed(np.array(path))
