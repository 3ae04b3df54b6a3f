"""Plans that follow straight lines."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from rigid_tree_kinematics.arrays import Array
from rigid_tree_kinematics.collision import CollisionChecker
from rigid_tree_kinematics.deadline import Deadline
from rigid_tree_kinematics.nodes.planning.requests import PlanQuery
from rigid_tree_kinematics.planning import (
    MotionPlanner,
    PlanResult,
    PlanStatus,
    exact_solver,
    follow_straight_line,
)

STEP = 0.01  # m, longest distance between two configurations
FOR_TIMING = 0.5  # share of the time that the search for joint positions leaves


def plan_straight_line(
    planner: MotionPlanner,
    checker: CollisionChecker,
    query: PlanQuery,
    poses: Sequence[Array],
    deadline: Deadline,
) -> PlanResult:
    """Return a plan along straight lines of the query's body through ``poses`` (base frame).

    Raises PlanningError and OutOfTimeError like ``follow_straight_line``.
    """
    no_path = query.start[np.newaxis][:0]
    start = checker.check(query.start)
    if not start.free:
        return PlanResult(PlanStatus.START_BLOCKED, f"start: {start.message}", no_path)
    line = follow_straight_line(
        exact_solver(planner.compiled, query.body, planner.locked),
        query.start,
        poses,
        STEP,
        checker=checker,
        deadline=deadline.earlier(FOR_TIMING),
    )
    if line.trouble:
        status = PlanStatus.OUT_OF_TIME if line.late else PlanStatus.GOAL_UNREACHABLE
        return PlanResult(status, f"straight line: {line.trouble}", no_path)
    length = float(np.linalg.norm(np.diff(line.path, axis=0), axis=1).sum())
    result = planner.timed(line.path, query.settings, deadline=deadline)
    return replace(result, length=length, goal_index=len(poses) - 1)
