"""Straight lines of several bodies at once, as joint positions."""

import math
from collections.abc import Mapping, Sequence

import numpy as np

from rigid_tree_kinematics.arrays import Array
from rigid_tree_kinematics.collision import CollisionChecker
from rigid_tree_kinematics.deadline import Deadline
from rigid_tree_kinematics.errors import PlanningError
from rigid_tree_kinematics.ik import ConstraintSet, PoseTarget
from rigid_tree_kinematics.kinematics import body_transform
from rigid_tree_kinematics.model import CompiledTree
from rigid_tree_kinematics.model.transforms import Pose, checked_pose
from rigid_tree_kinematics.planning.tool.pose_following import LONGEST_JUMP
from rigid_tree_kinematics.planning.tool.straight_line import MOST_SAMPLES, TURN_STEP, StraightLine
from rigid_tree_kinematics.planning.tool.tool_path import ToolLine

TIGHTEST = 1e-6  # m, rad: bounds of the poses


def follow_lines_in_step(
    compiled: CompiledTree,
    start: Array,
    goals: Mapping[str, Pose],
    step: float,
    *,
    checker: CollisionChecker | None = None,
    locked: Sequence[str] = (),
    deadline: Deadline,
) -> StraightLine:
    """Move bodies from their poses at ``start`` along straight lines, to their goals at once.

    All bodies have covered the same share of their lines at every configuration. Each
    configuration is near the previous one; other postures are not tried.

    Args:
        compiled: the robot.
        start: a configuration (nq,).
        goals: the pose (4x4, base frame) of each body.
        step: m, longest distance of a body between two configurations.
        checker: the collision checker; None: no checks.
        locked: joints that do not move.
        deadline: ends the search.

    Raises PlanningError for a step that is not above 0 and for more than ``MOST_SAMPLES`` steps.

    Example:
        >>> from rigid_tree_kinematics.deadline import Deadline
        >>> robot = load_robot("ur5")
        >>> q = robot.home_configuration()
        >>> goals = {"tool0": robot.get_transform(q, "tool0")}  # and other arms' tips
        >>> goals["tool0"][2, 3] -= 0.1  # m, down
        >>> options = {"step": 0.01, "deadline": Deadline(10.0)}
        >>> line = follow_lines_in_step(robot.compiled(), q, goals, **options)
        >>> print(line.fraction, line.path.shape)
        1.0 (12, 6)
    """
    if not step > 0.0:
        raise PlanningError(f"the step of a line must be above 0 m, not {step}")
    lines = {
        body: ToolLine(body_transform(compiled, start, body), checked_pose(goal, body))
        for body, goal in goals.items()
    }
    needed = max(max(line.length / step, line.angle / TURN_STEP) for line in lines.values())
    if not needed <= MOST_SAMPLES:
        raise PlanningError(f"more than {MOST_SAMPLES} steps of {step:g} m; increase the step")
    count = max(1, math.ceil(needed))
    path, trouble = _configurations(compiled, start, lines, count, checker, locked, deadline)
    done = (len(path) - 1) / count
    late = bool(trouble) and deadline.over
    trouble = f"{trouble} at {100.0 * done:.1f} % of the path" if trouble else ""
    return StraightLine(np.array(path), done, trouble, late)


def _configurations(
    compiled: CompiledTree,
    start: Array,
    lines: Mapping[str, ToolLine],
    count: int,
    checker: CollisionChecker | None,
    locked: Sequence[str],
    deadline: Deadline,
) -> tuple[list[Array], str]:
    """Return the configurations up to the end of the lines, or to the trouble that is named."""
    path = [np.array(start, dtype=np.float64)]
    for k in range(1, count + 1):
        if deadline.over:
            return path, deadline.why(f"after {k - 1:,} of {count:,} steps of the path")
        targets = [PoseTarget(body, line.pose(k / count)) for body, line in lines.items()]
        q = ConstraintSet(compiled, targets, locked, TIGHTEST).projected(path[-1])
        if q is None or float(np.abs(q - path[-1]).max()) > LONGEST_JUMP:
            return path, "no joint positions near the previous ones"
        contact = None if checker is None else checker.motion_contact(path[-1], q)
        if contact is not None:
            return path, f"'{contact.first}' touches '{contact.second}'"
        path.append(q)
    return path, ""
