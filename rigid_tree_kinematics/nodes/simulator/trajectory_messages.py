"""Conversion between messages about joint trajectories and the library's objects."""

import math
from collections.abc import Sequence
from typing import Any

import numpy as np
from builtin_interfaces.msg import Duration
from control_msgs.action import FollowJointTrajectory
from control_msgs.msg import JointTolerance, JointTrajectoryControllerState
from trajectory_msgs.msg import JointTrajectory, JointTrajectoryPoint

from rigid_tree_kinematics.arrays import Array
from rigid_tree_kinematics.dynamics import DrivenRobot
from rigid_tree_kinematics.errors import ConfigurationError
from rigid_tree_kinematics.kinematics.topology import difference
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
EPSILON = float(np.finfo(np.float32).eps)  # joint_trajectory_controller's, of rad/s and tolerances


def read_tolerances(
    goal: FollowJointTrajectory.Goal | None,
    names: Sequence[str],
    joints: Sequence[str],
    settings: SimulatorSettings,
) -> tuple[Tolerances, str]:
    """Return the tolerances of ``names``, and why those of the goal are ignored, if they are.

    As in joint_trajectory_controller, 0 means the parameter, -1 no limit. Any other negative
    number, or a joint that is not of ``joints``, which the controller has, makes all tolerances
    those of the parameters.
    """
    limits = {
        "path position": np.full(len(names), settings.path_tolerance),
        "path velocity": np.zeros(len(names)),
        "goal position": np.full(len(names), settings.goal_tolerance),
        "goal velocity": np.full(len(names), settings.stopped_velocity_tolerance),
    }
    late = settings.goal_time
    if goal is not None:
        try:
            late = _resolved("goal_time_tolerance", seconds_of(goal.goal_time_tolerance), late)
            for kind in ("path", "goal"):
                for tolerance in getattr(goal, f"{kind}_tolerance"):
                    _check_tolerance(kind, tolerance, joints)
                    for field in ("position", "velocity"):
                        if tolerance.name in names:
                            values, k = limits[f"{kind} {field}"], names.index(tolerance.name)
                            given = getattr(tolerance, field)
                            values[k] = _resolved(tolerance.name, given, values[k])
        except ConfigurationError as error:
            return read_tolerances(None, names, joints, settings)[0], str(error)
    path, speed, end, end_speed = (np.where(v > 0.0, v, math.inf) for v in limits.values())
    return Tolerances(path, speed, end, end_speed, late if late > 0.0 else math.inf), ""


def _check_tolerance(kind: str, tolerance: JointTolerance, joints: Sequence[str]) -> None:
    if tolerance.name not in joints:
        raise ConfigurationError(
            f"{kind}_tolerance is for joint '{tolerance.name}', which the controller does not have"
        )
    for field in ("position", "velocity", "acceleration"):
        _resolved(f"the {field} in {kind}_tolerance", getattr(tolerance, field), 0.0)


def _resolved(what: str, given: float, default: float) -> float:
    """Return a tolerance, 0 for no limit; raises ConfigurationError for an invalid value."""
    if given > 0.0:
        return given
    if abs(given + 1.0) < EPSILON:
        return 0.0
    if given < 0.0:
        raise ConfigurationError(f"{what} is {given:g}: negative, but not -1")
    return default


def check_joints(names: Sequence[str], joints: Sequence[str], some: bool) -> None:
    """Raise JointNamesError unless a trajectory has a controller's joints, or ``some`` of them."""
    if not some and len(names) != len(joints):
        raise JointNamesError(
            f"the trajectory has {len(names)} joints, the controller {len(joints)}: "
            f"{', '.join(joints)}; set allow_partial_joints_goal to send some of them"
        )
    for name in names:
        if name not in joints:
            raise JointNamesError(
                f"joint '{name}' is not one of the controller's: {', '.join(joints)}"
            )


def check_no_efforts(trajectory: JointTrajectory, zeros: bool) -> None:
    """Raise ConfigurationError for a trajectory with efforts; ``zeros`` are accepted if true."""
    if any(any(point.effort) if zeros else len(point.effort) for point in trajectory.points):
        raise ConfigurationError("a point has efforts, but the controller commands positions")


def check_end_at_rest(trajectory: JointTrajectory) -> None:
    """Raise ConfigurationError for a trajectory whose last point has a velocity."""
    last = trajectory.points[-1].velocities if trajectory.points else ()
    for name, velocity in zip(trajectory.joint_names, last, strict=False):
        if abs(velocity) > EPSILON:
            raise ConfigurationError(
                f"{name} has velocity {velocity:g} at the last point; set "
                "allow_nonzero_velocity_at_trajectory_end to allow that"
            )


def feedback_of(execution: Execution, now: float, errors: tuple[Array, Array]) -> Any:
    """Return the feedback about an execution, without the header's stamp."""
    q, v, a = execution.desired(now)
    elapsed = execution.elapsed(now)
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


def controller_state_of(robot: DrivenRobot, joints: Sequence[str], speed: float) -> Any:
    """Return a controller's reference, feedback and output, without a stamp.

    ``speed`` scales its trajectories.
    """
    compiled = robot.compiled
    slots = [list(compiled.position_names).index(joint) for joint in joints]
    rates = compiled.velocity_of_position[slots]
    q, v, a = robot.desired(robot.time)
    place = robot.q.copy()
    place[slots] = q[slots]
    errors = difference(compiled.position_kinds, robot.q, place)[slots], (v - robot.v)[rates]
    now = Duration()
    state = JointTrajectoryControllerState(
        joint_names=list(joints),
        reference=_point(now, q[slots], v[rates], a[rates]),
        feedback=_point(now, robot.q[slots], robot.v[rates]),
        error=_point(now, *errors),
        output=JointTrajectoryPoint(positions=q[slots].tolist()),
    )
    if hasattr(state, "speed_scaling_factor"):  # not in Humble's first control_msgs
        state.speed_scaling_factor = speed
    return state


def _point(
    time: Duration, positions: Array, velocities: Array, accelerations: Array | None = None
) -> JointTrajectoryPoint:
    return JointTrajectoryPoint(
        positions=positions.tolist(),
        velocities=velocities.tolist(),
        accelerations=[] if accelerations is None else accelerations.tolist(),
        time_from_start=time,
    )
