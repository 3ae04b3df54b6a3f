"""Conversion of joint trajectory messages to waypoints."""

import math
from collections.abc import Sequence

from control_msgs.action import FollowJointTrajectory
from trajectory_msgs.msg import JointTrajectory

from rigid_tree_kinematics.errors import ConfigurationError, RigidTreeError
from rigid_tree_kinematics.model import CompiledTree
from rigid_tree_kinematics.nodes.common.requests.message_time import seconds_of
from rigid_tree_kinematics.trajectories import JointNamesError, Waypoints, checked_waypoints


def read_trajectory(message: JointTrajectory, compiled: CompiledTree) -> Waypoints:
    """Return the waypoints of a message, with derivatives if all points have them.

    Raises JointNamesError and ConfigurationError.
    """

    def rows(field: str) -> list[Sequence[float]] | None:
        values = [getattr(point, field) for point in message.points]
        for number, row in enumerate(values, start=1):
            if len(row) not in (0, len(message.joint_names)):
                counts = f"{len(row)} {field} for {len(message.joint_names)} joints"
                raise ConfigurationError(f"point {number} has {counts}")
            if not all(map(math.isfinite, row)):
                raise ConfigurationError(f"point {number} has {field} that are not finite")
        return values if all(len(row) for row in values) else None

    if any(len(point.positions) == 0 for point in message.points):
        raise ConfigurationError("a point has no positions")
    velocities, accelerations = rows("velocities"), rows("accelerations")
    return checked_waypoints(
        compiled,
        list(message.joint_names),
        [seconds_of(point.time_from_start) for point in message.points],
        [point.positions for point in message.points],
        velocities,
        accelerations if velocities is not None else None,
    )


def unused_fields(message: JointTrajectory) -> str:
    """Return which derivatives ``read_trajectory`` leaves out, and why; empty if none."""
    given = {
        field: [len(getattr(point, field)) > 0 for point in message.points]
        for field in ("velocities", "accelerations")
    }
    notes = [
        f"{field} are ignored, as some points have none"
        for field, has in given.items()
        if any(has) and not all(has)
    ]
    if all(given["accelerations"]) and not all(given["velocities"]):
        notes.append("accelerations are ignored without velocities")
    return "; ".join(notes)


def reject_multi_dof(goal: FollowJointTrajectory.Goal) -> None:
    """Raise ConfigurationError for a goal with fields for planar and floating joints.

    Ignoring them would report success for a motion that was not executed.
    """
    motion = goal.multi_dof_trajectory
    filled = {
        "multi_dof_trajectory": bool(motion.joint_names) or bool(motion.points),
        "component_path_tolerance": bool(goal.component_path_tolerance),
        "component_goal_tolerance": bool(goal.component_goal_tolerance),
    }
    names = [name for name, is_filled in filled.items() if is_filled]
    if names:
        raise ConfigurationError(
            f"{', '.join(names)}: not supported; leave empty, and name the positions of a planar "
            "joint ('base/x', 'base/y', 'base/theta') in trajectory and its tolerances"
        )


def rejection_code(error: RigidTreeError) -> int:
    """Return the error code of FollowJointTrajectory for a rejected goal."""
    if isinstance(error, JointNamesError):
        return int(FollowJointTrajectory.Result.INVALID_JOINTS)
    return int(FollowJointTrajectory.Result.INVALID_GOAL)
