"""Conversion between messages about joint trajectories and the library's objects."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np
from builtin_interfaces.msg import Duration
from control_msgs.action import FollowJointTrajectory
from control_msgs.msg import JointTolerance
from trajectory_msgs.msg import JointTrajectoryPoint

from rigid_tree_kinematics.arrays import Array
from rigid_tree_kinematics.nodes.common.requests import duration_of, seconds_of
from rigid_tree_kinematics.nodes.simulator.parameters import SimulatorSettings
from rigid_tree_kinematics.trajectories import Execution, JointNamesError, Outcome, Tolerances

CODES = {
    Outcome.REACHED: FollowJointTrajectory.Result.SUCCESSFUL,
    Outcome.LEFT_PATH: FollowJointTrajectory.Result.PATH_TOLERANCE_VIOLATED,
    Outcome.MISSED_GOAL: FollowJointTrajectory.Result.GOAL_TOLERANCE_VIOLATED,
    # As joint_trajectory_controller reports a goal that another one replaces.
    Outcome.REPLACED: FollowJointTrajectory.Result.INVALID_GOAL,
    Outcome.STOPPED: FollowJointTrajectory.Result.INVALID_GOAL,
}


def read_tolerances(
    goal: FollowJointTrajectory.Goal | None, names: Sequence[str], settings: SimulatorSettings
) -> Tolerances:
    """Return the tolerances of a goal, or, without a goal, those of the parameters.

    In a goal 0 means the parameter, and a negative number no limit. Raises JointNamesError.
    """
    given = (
        {"path": [], "goal": []}
        if goal is None
        else {
            "path": list(goal.path_tolerance),
            "goal": list(goal.goal_tolerance),
        }
    )
    late = 0.0 if goal is None else seconds_of(goal.goal_time_tolerance)
    late = late if late > 0.0 else settings.goal_time
    path, end = settings.path_tolerance, settings.goal_tolerance
    return Tolerances(
        path_position=_limits(given["path"], "position", names, path),
        path_velocity=_limits(given["path"], "velocity", names, 0.0),
        goal_position=_limits(given["goal"], "position", names, end),
        goal_velocity=_limits(
            given["goal"], "velocity", names, settings.stopped_velocity_tolerance
        ),
        goal_time=late if late > 0.0 else math.inf,
    )


def _limits(
    tolerances: Sequence[JointTolerance], field: str, names: Sequence[str], default: float
) -> Array:
    limits = np.full(len(names), default)
    for tolerance in tolerances:
        if tolerance.name not in names:
            raise JointNamesError(
                f"a tolerance is for joint '{tolerance.name}', which the trajectory does not name"
            )
        value = getattr(tolerance, field)
        if value != 0.0:
            limits[names.index(tolerance.name)] = value
    return np.where(limits > 0.0, limits, math.inf)


def feedback_of(execution: Execution, now: float, errors: tuple[Array, Array]) -> Any:
    """Return the feedback about an execution, without the header's stamp."""
    q, v, a = execution.desired(now)
    elapsed = now - execution.start
    passed = duration_of(max(elapsed, 0.0))
    feedback = FollowJointTrajectory.Feedback(
        joint_names=list(execution.names),
        desired=_point(passed, q, v, a),
        actual=_point(passed, q - errors[0], v - errors[1]),
        error=_point(passed, *errors),
    )
    if hasattr(feedback, "index"):  # not in Humble's and Jazzy's control_msgs
        # As joint_trajectory_controller counts: the point ahead, len(points) after the last.
        times = execution.trajectory.waypoints.times
        feedback.index = int(np.searchsorted(times, elapsed, side="right"))
    return feedback


def _point(
    time: Duration, positions: Array, velocities: Array, accelerations: Array | None = None
) -> JointTrajectoryPoint:
    return JointTrajectoryPoint(
        positions=positions.tolist(),
        velocities=velocities.tolist(),
        accelerations=[] if accelerations is None else accelerations.tolist(),
        time_from_start=time,
    )
