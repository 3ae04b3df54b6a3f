"""The driver of the robot: one action server, or several for parts of its joints."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, Protocol

from action_msgs.msg import GoalStatus
from control_msgs.action import FollowJointTrajectory
from rclpy.action import ActionClient
from rclpy.callback_groups import CallbackGroup
from rclpy.node import Node
from rclpy.task import Future

from rigid_tree_kinematics.nodes.common.requests import DRIVER

Heard = Callable[[FollowJointTrajectory.Feedback], None]
ROWS = ("positions", "velocities", "accelerations", "effort")  # of a JointTrajectoryPoint
ENDINGS = {
    GoalStatus.STATUS_CANCELED: "canceled the motion",
    GoalStatus.STATUS_ABORTED: "aborted the motion",
    GoalStatus.STATUS_UNKNOWN: "has lost the motion",
}


class Driver(Protocol):
    """Executes motions."""

    def missing(self, joints: Sequence[str]) -> list[str]:
        """Return the actions for some joints that have no server now.

        ConfigurationError for joints without a driver.
        """

    def send(self, goal: FollowJointTrajectory.Goal, heard: Heard) -> Future[Any]:
        """Return the future of a goal handle like that of an action client."""

    def destroy(self) -> None:
        """Destroy the clients."""


class OneDriver:
    """The action ``follow_joint_trajectory`` for all joints."""

    def __init__(self, node: Node, group: CallbackGroup) -> None:
        self._client: ActionClient[Any, Any, Any] = ActionClient(
            node, FollowJointTrajectory, DRIVER, callback_group=group
        )

    def missing(self, joints: Sequence[str]) -> list[str]:
        """Return its name while it has no server."""
        return [] if self._client.server_is_ready() else [DRIVER]

    def send(self, goal: FollowJointTrajectory.Goal, heard: Heard) -> Future[Any]:
        """Return the future of a goal handle."""
        return self._client.send_goal_async(goal, lambda message: heard(message.feedback))

    def destroy(self) -> None:
        """Destroy the client."""
        self._client.destroy()


def ending(status: int) -> str:
    """Return a message for a goal's last GoalStatus other than STATUS_SUCCEEDED."""
    return ENDINGS.get(status, f"ended the motion with status {status}")
