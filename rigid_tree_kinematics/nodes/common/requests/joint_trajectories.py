"""Conversion of joint trajectory messages to waypoints."""

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
        return values if all(len(row) for row in values) else None

    if any(len(point.positions) == 0 for point in message.points):
        raise ConfigurationError("a point has no positions")
    velocities = rows("velocities")
    return checked_waypoints(
        compiled,
        list(message.joint_names),
        [seconds_of(point.time_from_start) for point in message.points],
        [point.positions for point in message.points],
        velocities,
        rows("accelerations") if velocities is not None else None,
    )


def refuse_multi_dof(goal: FollowJointTrajectory.Goal) -> None:
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


def refusal_code(error: RigidTreeError) -> int:
    """Return the error code of FollowJointTrajectory for a rejected goal."""
    if isinstance(error, JointNamesError):
        return int(FollowJointTrajectory.Result.INVALID_JOINTS)
    return int(FollowJointTrajectory.Result.INVALID_GOAL)
