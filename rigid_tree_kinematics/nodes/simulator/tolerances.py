"""Tolerances and checks of trajectories, as joint_trajectory_controller has them."""

import math
from collections.abc import Sequence

import numpy as np
from control_msgs.action import FollowJointTrajectory
from control_msgs.msg import JointTolerance
from trajectory_msgs.msg import JointTrajectory

from rigid_tree_kinematics.errors import ConfigurationError
from rigid_tree_kinematics.nodes.common import requests
from rigid_tree_kinematics.nodes.simulator.parameters import SimulatorSettings
from rigid_tree_kinematics.trajectories import JointNamesError, Tolerances

EPSILON = float(np.finfo(np.float32).eps)  # joint_trajectory_controller's, of rad/s and tolerances


def read_tolerances(
    goal: FollowJointTrajectory.Goal | None,
    names: Sequence[str],
    joints: Sequence[str],
    settings: SimulatorSettings,
) -> tuple[Tolerances, str]:
    """Return the tolerances of ``names``, and why those of the goal are ignored, if they are.

    As in joint_trajectory_controller, 0 means the parameter, -1 no limit. Any other negative
    number, or a joint that is not in the controller's ``joints``, replaces all tolerances by
    those of the parameters.
    """
    limits = {
        "path_position": np.full(len(names), settings.path_tolerance),
        "path_velocity": np.zeros(len(names)),
        "goal_position": np.full(len(names), settings.goal_tolerance),
        "goal_velocity": np.full(len(names), settings.stopped_velocity_tolerance),
    }
    late = settings.goal_time
    if goal is not None:
        try:
            given = requests.seconds_of(goal.goal_time_tolerance)
            late = _resolved("goal_time_tolerance", given, late)
            for kind in ("path", "goal"):
                for tolerance in getattr(goal, f"{kind}_tolerance"):
                    _check_tolerance(kind, tolerance, joints)
                    for field in ("position", "velocity"):
                        if tolerance.name in names:
                            values, k = limits[f"{kind}_{field}"], names.index(tolerance.name)
                            given = getattr(tolerance, field)
                            values[k] = _resolved(tolerance.name, given, values[k])
        except ConfigurationError as error:
            return read_tolerances(None, names, joints, settings)[0], str(error)
    resolved = {name: np.where(v > 0.0, v, math.inf) for name, v in limits.items()}
    return Tolerances(**resolved, goal_time=late if late > 0.0 else math.inf), ""


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
    """Raise JointNamesError unless a trajectory has all joints of a controller, or ``some``."""
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


def check_end_at_rest(trajectory: JointTrajectory) -> None:
    """Raise ConfigurationError for a trajectory whose last point has a velocity."""
    last = trajectory.points[-1].velocities if trajectory.points else ()
    for name, velocity in zip(trajectory.joint_names, last, strict=False):
        if abs(velocity) > EPSILON:
            raise ConfigurationError(
                f"{name} has velocity {velocity:g} at the last point; set "
                "allow_nonzero_velocity_at_trajectory_end to allow that"
            )
