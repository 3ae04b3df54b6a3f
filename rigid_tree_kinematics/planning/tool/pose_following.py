"""Continuous joint positions along a sequence of poses, with redundancy resolution.

Null-space motions add a dimension to the path for each redundant joint. This space is searched
depth first on a grid: from pose to pose, with the posture kept or changed in either direction.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from rigid_tree_kinematics.arrays import Array
from rigid_tree_kinematics.collision import CollisionChecker, Contact
from rigid_tree_kinematics.collision.robot import moved_rows
from rigid_tree_kinematics.deadline import Deadline
from rigid_tree_kinematics.errors import OutOfTimeError
from rigid_tree_kinematics.ik import ConstraintSet, InverseKinematics
from rigid_tree_kinematics.kinematics import geometric_jacobian
from rigid_tree_kinematics.model import CompiledTree
from rigid_tree_kinematics.planning.problem import PlanStatus, late_status
from rigid_tree_kinematics.planning.search import satisfies_constraints

LONGEST_JUMP = 0.5  # rad or m, of a joint between two neighbors; more is another branch
POSE_NUMBERS = 6  # of a pose; further joints are redundant
SMOOTHINGS = (5, 2, 0)  # neighbors over which postures are averaged, tried in this order
# Tight, so that the differences of neighbors are as smooth as the path.
POSITION_TOLERANCE = 1e-9  # m
ORIENTATION_TOLERANCE = 1e-9  # rad
MOST_TRIES = 200  # about 15 ms
MOST_LAYERS = 14  # poses that are searched; those in between are interpolated
CHANGES = (0.0, 0.4, -0.4)  # rad or m, of a posture from one layer to the next
CELL = 0.4  # rad or m; closer postures for the same pose are regarded as equal
LONGEST_STEP = 0.6  # rad or m, of a joint between two layers
REACHED = (0.0, 0.25, 0.5, 0.75, 1.0)  # of the rest of a path: poses that must be within reach
RESTARTS = 50  # until a pose is considered out of reach; 20 ms at most
SINGULAR = 1e-3  # of the largest singular value: the threshold of the null space


@dataclass(frozen=True, eq=False)
class Followed:
    """The start and a configuration for each pose reached, (k, nq)."""

    path: Array
    status: PlanStatus = PlanStatus.SOLVED
    trouble: str = ""  # what stopped it
    contact: Contact | None = None  # likewise

    @property
    def done(self) -> int:
        """The number of poses reached."""
        return len(self.path) - 1

    @property
    def success(self) -> bool:
        """Whether the last pose was reached."""
        return self.status is PlanStatus.SOLVED


def exact_solver(
    compiled: CompiledTree,
    body: str,
    locked: Sequence[str] = (),
    weights: Sequence[float] = (1.0,) * 6,
) -> InverseKinematics:
    """Return a solver with tolerances tight enough for a smooth path.

    ``weights`` are those of ``InverseKinematics``.

    Example:
        >>> robot = load_robot("ur5")
        >>> exact_solver(robot.compiled(), "tool0").position_tolerance
        1e-09
    """
    return InverseKinematics(
        compiled,
        body,
        locked=locked,
        weights=weights,
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
    constraints: ConstraintSet | None = None,
    deadline: Deadline,
) -> Followed:
    """Return continuous configurations for ``poses`` (4x4, base frame), from ``start`` on.

    Each is nearest to the previous one. If that ends at a limit, an obstacle or a singularity, a
    redundant arm changes its posture along the path if that helps, unless a pose is out of reach
    or a body that is fixed to the tip is in collision. The ``solver``'s locked joints do not move.
    """
    first = np.array(start, dtype=np.float64)
    checks = _StepChecks(checker, constraints, deadline)
    best = _followed(solver, first, poses, None, checks)
    if best.success or len(solver.involved) <= POSE_NUMBERS or deadline.over:
        return best
    if _in_every_posture(solver, checker, best.contact):
        return best
    if not _within_reach(solver, best, poses):
        return best
    layers, postures = _search_postures(solver, first, poses, checker, deadline)
    if layers[-1] <= best.done:
        return best
    for reach in SMOOTHINGS:
        other = _followed(solver, first, poses, _aims(layers, postures, reach), checks)
        if other.done > best.done or other.success:
            best = other
        if best.success or deadline.over:
            break
    return best


def _in_every_posture(
    solver: InverseKinematics, checker: CollisionChecker | None, contact: Contact | None
) -> bool:
    """Return whether the pose alone decides about a contact, so that other postures have it, too.

    Bodies that all joints of the chain move are fixed to the tip, others that none moves to the
    base.
    """
    if checker is None or contact is None or not all(solver.weights):
        return False
    moved = [moved_rows(solver.compiled, [entry]) for entry in solver.involved]
    with_posture = set[int]().union(*moved) - moved[0].intersection(*moved)
    moving = {solver.compiled.body_names[row] for row in with_posture}
    attached = checker.scene.attached
    names = (contact.first, contact.second)
    return moving.isdisjoint(attached[n].body if n in attached else n for n in names)


def _within_reach(solver: InverseKinematics, best: Followed, poses: Sequence[Array]) -> bool:
    """Return whether there are joint positions for the last pose, and for others on the way."""
    last = len(poses) - 1
    numbers = {round(share * last + (1.0 - share) * best.done) for share in REACHED}
    return all(_reachable(solver, poses[n], best.path[-1]) for n in sorted(numbers, reverse=True))


def _reachable(solver: InverseKinematics, pose: Array, seed: Array) -> bool:
    """Return whether there are joint positions for a pose, anywhere within the limits."""
    return solver.solve(pose, seed, max_restarts=RESTARTS).success


def _aims(layers: Sequence[int], postures: Array, reach: int) -> Array:
    """Return the preferred posture for each pose (k, nq), the start first.

    The postures of the layers are averaged over ``reach`` neighbors on either side, fewer near
    the ends, which are unchanged, and interpolated between layers.
    """
    last = len(postures) - 1
    averaged = [
        postures[k - side : k + side + 1].mean(axis=0)
        for k in range(last + 1)
        for side in (min(reach, k, last - k),)
    ]
    places = np.arange(layers[-1] + 1)
    columns = [np.interp(places, layers, column) for column in np.array(averaged).T]
    return np.transpose(columns)


@dataclass(frozen=True, eq=False)
class _StepChecks:
    """Checks of a step from one configuration to the next."""

    checker: CollisionChecker | None
    constraints: ConstraintSet | None
    deadline: Deadline

    def contact(self, last: Array, q: Array) -> Contact | None:
        """Return a contact of a step, or None."""
        return None if self.checker is None else self.checker.motion_contact(last, q)

    def reason_against(self, last: Array, q: Array) -> tuple[PlanStatus, str] | None:
        """Return how a step violates the constraints, or None."""
        if self.constraints is None:
            return None
        try:
            if self.constraints.met(q) and satisfies_constraints(
                self.constraints, last, q, self.deadline
            ):
                return None
        except OutOfTimeError as error:
            return late_status(self.deadline), str(error)
        message = "the motion between two poses violates the constraints"
        return PlanStatus.WAY_BLOCKED, self.constraints.why(q) or message


def _followed(
    solver: InverseKinematics,
    first: Array,
    poses: Sequence[Array],
    aims: Array | None,
    checks: _StepChecks,
) -> Followed:
    """Solve pose by pose, with postures near ``aims`` where given."""
    path = [first]
    deadline = checks.deadline
    for number in range(len(poses)):
        last = path[-1]
        if deadline.over:
            message = deadline.why(f"after {number:,} of {len(poses):,} steps of the path")
            return Followed(np.array(path), late_status(deadline), message)
        seed = last
        if aims is not None and number + 1 < len(aims):
            # The solver changes the seed as little as the pose requires.
            change = aims[number + 1] - last
            largest = max(float(np.abs(change).max()), 1e-12)
            seed = last + change * min(1.0, 0.5 * LONGEST_JUMP / largest)
        found = solver.solve(poses[number], seed, max_step=LONGEST_JUMP, max_restarts=0)
        answer = np.array(found.configuration)
        if not found.success or float(np.abs(answer - last).max()) > LONGEST_JUMP:
            why = "a singularity"
            if found.joints_at_limits:
                why = f"{', '.join(found.joints_at_limits)} at a limit"
            elif not _reachable(solver, poses[number], last):
                why = "out of reach"
            message = f"no joint positions near the previous ones ({why})"
            return Followed(np.array(path), PlanStatus.GOAL_UNREACHABLE, message)
        contact = checks.contact(last, answer)
        if contact is not None:
            message = f"'{contact.first}' touches '{contact.second}'"
            return Followed(np.array(path), PlanStatus.WAY_BLOCKED, message, contact)
        reason = checks.reason_against(last, answer)
        if reason is not None:
            return Followed(np.array(path), *reason)
        path.append(answer)
    return Followed(np.array(path))


def _search_postures(
    solver: InverseKinematics,
    start: Array,
    poses: Sequence[Array],
    checker: CollisionChecker | None,
    deadline: Deadline,
) -> tuple[list[int], Array]:
    """Return the searched poses, and a posture for each reached one, ``start`` first.

    Poses are numbered from 1; 0 is the start. If the last one is not reached, the longest sequence
    is returned.
    """
    count = min(MOST_LAYERS, len(poses))
    layers = [0, *np.unique(np.linspace(1, len(poses), count).astype(int)).tolist()]
    known: list[set[bytes]] = [set() for _ in layers]
    branch = [start]
    best = list(branch)
    open_ends = [_changed(solver, start)]
    tries = 0
    while open_ends and tries < MOST_TRIES and not deadline.over:
        seed = next(open_ends[-1], None)
        if seed is None:
            open_ends.pop()
            branch.pop()
            continue
        tries += 1
        layer = len(branch)
        pose = poses[layers[layer] - 1]
        found = solver.solve(pose, seed, max_step=LONGEST_STEP, max_restarts=0)
        q = np.array(found.configuration)
        if not found.success or float(np.abs(q - branch[-1]).max()) > LONGEST_STEP:
            continue
        if checker is not None and not checker.motion_free(branch[-1], q):
            continue
        key = np.round(q / CELL).astype(np.int32).tobytes()
        if key in known[layer]:
            continue
        known[layer].add(key)
        branch.append(q)
        if len(branch) > len(best):
            best = list(branch)
        if len(branch) == len(layers):
            break
        open_ends.append(_changed(solver, q))
    return layers[: len(best)], np.array(best)


def _changed(solver: InverseKinematics, q: Array) -> Iterator[Array]:
    """Yield seeds of the next posture: unchanged, and changed in both directions."""
    compiled = solver.compiled
    yield q
    columns = compiled.velocity_of_position[list(solver.involved)]
    jacobian = geometric_jacobian(compiled, q, solver.body)[:, columns]
    _, values, rows = np.linalg.svd(jacobian)
    rank = int((values > SINGULAR * values[0]).sum())
    for change in CHANGES[1:]:
        for row in rows[rank:]:
            seed = q.copy()
            seed[list(solver.involved)] += change * row / np.abs(row).max()
            yield np.clip(seed, compiled.lower, compiled.upper)
