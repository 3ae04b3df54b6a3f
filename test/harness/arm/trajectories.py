"""Trajectories of joints."""

from collections.abc import Iterable, Sequence
from typing import Any

from trajectory_msgs.msg import JointTrajectory, JointTrajectoryPoint

from rigid_tree_kinematics.nodes.common.requests.message_time import duration_of


def trajectory(
    names: Sequence[str], *points: tuple[float, Iterable[float]], **fields: Any
) -> JointTrajectory:
    """Return a trajectory of (seconds, positions) points, which have these fields besides."""
    made = [
        JointTrajectoryPoint(
            time_from_start=duration_of(at), positions=[float(q) for q in positions], **fields
        )
        for at, positions in points
    ]
    return JointTrajectory(joint_names=list(names), points=made)
