"""Straight lines of a body between poses, as joint positions."""

import math
from bisect import bisect_right
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from rigid_tree_kinematics.arrays import Array
from rigid_tree_kinematics.collision import CollisionChecker
from rigid_tree_kinematics.deadline import Deadline
from rigid_tree_kinematics.errors import PlanningError
from rigid_tree_kinematics.ik import ConstraintSet, InverseKinematics
from rigid_tree_kinematics.kinematics import body_transform
from rigid_tree_kinematics.model import CompiledTree
from rigid_tree_kinematics.model.transforms import Pose, checked_pose
from rigid_tree_kinematics.planning.problem import PlanStatus
from rigid_tree_kinematics.planning.tool.pose_following import follow_poses
from rigid_tree_kinematics.planning.tool.tool_path import ToolLine

TURN_STEP = 0.1  # rad, largest rotation between two configurations
MOST_SAMPLES = 50_000  # configurations of a line; a step of 1e-7 m would take minutes
FEWEST_FOR_MEAN = 10  # steps of a line whose jumps are compared with their mean


@dataclass(frozen=True)
class JumpLimits:
    """Maximum joint motions between neighbors, like in MoveIt; 0: no limit.

    Args:
        relative: for the sum of all joints' motions, as a multiple of its mean.
        revolute: rad, of a revolute joint.
        prismatic: m, of a prismatic joint.

    Example:
        >>> from rigid_tree_kinematics.deadline import Deadline
        >>> robot = load_robot("ur5")
        >>> q = robot.home_configuration()
        >>> goal = robot.get_transform(q + [0.5, 0, 0, 0, 0, 0], "tool0")
        >>> options = {"jumps": JumpLimits(revolute=0.01), "deadline": Deadline(10.0)}
        >>> solver = exact_solver(robot.compiled(), "tool0")
        >>> follow_straight_line(solver, q, [goal], step=0.05, **options).trouble
        "'shoulder_pan_joint' jumps by 0.0935 rad at 0.0 % of the path, (0.465, 0.153, 0.432) m"
    """

    relative: float = 0.0
    revolute: float = 0.0
    prismatic: float = 0.0


@dataclass(frozen=True, eq=False)
class StraightLine:
    """The part of its path that a body can follow.

    Args:
        path: the configurations (k, nq), the start first.
        fraction: of the path, 0 to 1.
        trouble: what stopped it; empty at the end of the path.
        late: whether the deadline stopped it.
    """

    path: Array
    fraction: float
    trouble: str
    late: bool = False


def follow_straight_line(
    solver: InverseKinematics,
    start: Array,
    poses: Sequence[Pose],
    step: float,
    *,
    checker: CollisionChecker | None = None,
    jumps: JumpLimits | None = None,
    constraints: ConstraintSet | None = None,
    deadline: Deadline,
) -> StraightLine:
    """Move a body from its pose at ``start`` along straight lines through ``poses``.

    If the nearest joint positions end at a limit or an obstacle, a redundant arm tries other
    postures, see ``follow_poses``.

    Args:
        solver: of the body, see ``exact_solver``; its locked joints do not move.
        start: a configuration (nq,).
        poses: 4x4 each, in the base's frame.
        step: m, longest distance between two configurations.
        checker: the collision checker; None: no checks.
        jumps: maximum joint motions between two configurations; the line ends before a jump.
        constraints: satisfied along the path; the start has to satisfy them.
        deadline: ends the search.

    Raises PlanningError for a step that is not above 0 and for more than ``MOST_SAMPLES`` steps,
    OutOfTimeError if the time is too short to compute the steps.

    Example:
        >>> from rigid_tree_kinematics.deadline import Deadline
        >>> robot = load_robot("ur5")
        >>> q = robot.home_configuration()
        >>> goal = robot.get_transform(q, "tool0")
        >>> goal[2, 3] -= 0.1  # m, down
        >>> solver = exact_solver(robot.compiled(), "tool0")
        >>> line = follow_straight_line(solver, q, [goal], step=0.01, deadline=Deadline(10.0))
        >>> print(line.fraction, line.path.shape)
        1.0 (12, 6)
    """
    jumps = JumpLimits() if jumps is None else jumps
    compiled = solver.compiled
    least = FEWEST_FOR_MEAN if jumps.relative > 0.0 else 1
    first = body_transform(compiled, start, solver.body)
    samples, ends = _samples(first, poses, step, least, deadline)
    found = follow_poses(
        solver, start, samples, checker=checker, constraints=constraints, deadline=deadline
    )
    path, trouble = found.path, found.trouble
    jump = _first_jump(compiled, path, jumps)
    if jump is not None:
        number, trouble = jump
        path = path[:number]
    late = jump is None and found.status in (PlanStatus.OUT_OF_TIME, PlanStatus.CANCELLED)
    if not trouble:
        return StraightLine(path, 1.0, "")
    reached = len(path) - 1
    return StraightLine(path, reached / len(samples), trouble + _at(samples, ends, reached), late)


def _at(samples: Sequence[Array], ends: Sequence[int], reached: int) -> str:
    """Return where a line ends, for a message: after ``reached`` samples."""
    where = ", ".join(f"{value:.3f}" for value in samples[reached][:3, 3])
    place = f" at {100.0 * reached / len(samples):.1f} % of the path, ({where}) m"
    if len(ends) > 1:
        place += f", before waypoint {bisect_right(ends, reached) + 1}"
    return place


def _first_jump(compiled: CompiledTree, path: Array, limits: JumpLimits) -> tuple[int, str] | None:
    """Return the first configuration too far from the previous one, and the reason."""
    steps = np.abs(np.diff(path, axis=0))
    if not len(steps):
        return None
    first: list[tuple[int, str]] = []
    if limits.relative > 0.0:
        sums = steps.sum(axis=1)
        mean = float(sums.mean())
        too_far = np.flatnonzero(sums > limits.relative * mean)
        if len(too_far):
            times = sums[too_far[0]] / mean
            first.append((int(too_far[0]), f"the joints jump by {times:.3g} times their mean"))
    for name, limit, columns in (
        ("rad", limits.revolute, compiled.is_angle),
        ("m", limits.prismatic, ~compiled.is_angle),
    ):
        rows, at = np.nonzero(steps[:, columns] > (limit or np.inf))
        if len(rows):
            joint = compiled.position_names[int(np.flatnonzero(columns)[at[0]])]
            size = steps[:, columns][rows[0], at[0]]
            first.append((int(rows[0]), f"'{joint}' jumps by {size:.3g} {name}"))
    if not first:
        return None
    number, reason = min(first)
    return number + 1, reason


def _samples(
    start: Array, poses: Sequence[Pose], step: float, least: int, deadline: Deadline
) -> tuple[list[Array], list[int]]:
    """Return poses along the lines without the start, and how many there are up to each end.

    Each line rotates about one axis.
    """
    if not step > 0.0:
        raise PlanningError(f"the step of a line must be above 0 m, not {step}")
    samples: list[Array] = []
    ends: list[int] = []
    for number, end in enumerate(poses):
        if number:
            deadline.check(number, len(poses), "waypoints laid out")
        line = ToolLine(start, checked_pose(end, "pose"))
        needed = max(line.length / step, line.angle / TURN_STEP)
        if not needed + len(samples) <= MOST_SAMPLES:
            raise PlanningError(
                f"a line of {line.length:.3g} m in steps of {step:g} m: more than {MOST_SAMPLES} "
                "steps; increase the step"
            )
        count = max(least, math.ceil(needed))
        samples += [line.pose(k / count) for k in range(1, count + 1)]
        ends.append(len(samples))
        start = line.end
    return samples, ends
