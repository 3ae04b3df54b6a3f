"""Joint trajectories, on a topic and as an action, for the robot that a node simulates."""

from __future__ import annotations

import threading
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from control_msgs.action import FollowJointTrajectory
from rclpy.action import ActionServer, CancelResponse
from rclpy.action.server import ServerGoalHandle
from rclpy.node import Node
from trajectory_msgs.msg import JointTrajectory

from rigid_tree_kinematics.dynamics import DrivenRobot
from rigid_tree_kinematics.errors import ConfigurationError, RigidTreeError
from rigid_tree_kinematics.nodes.common.process import ThreadFuture, below, give_back_soon
from rigid_tree_kinematics.nodes.common.requests import (
    read_trajectory,
    refusal_code,
    refuse_multi_dof,
    seconds_of,
)
from rigid_tree_kinematics.nodes.simulator.parameters import SimulatorSettings
from rigid_tree_kinematics.nodes.simulator.trajectory_messages import (
    CODES,
    feedback_of,
    read_tolerances,
)
from rigid_tree_kinematics.trajectories import Execution, Outcome

FEEDBACK_PERIOD = 0.05  # s of the simulation
LONG = 10_000  # waypoints from which on memory is given back
GOAL_KEPT = 12.0  # s; rclpy keeps a goal and its result for 10 s
Codes = FollowJointTrajectory.Result


class OldTrajectoryError(ConfigurationError):
    """A trajectory would have ended already, according to its stamp."""


class TrajectoryServer:
    """Topic ``joint_trajectory`` and action ``follow_joint_trajectory`` of a simulated robot.

    Args:
        node: of the topic and the action.
        controller: prefix of their names, as in ros2_control; may be empty.
        robot: returns the robot, or raises ConfigurationError if there is none.
        settings: returns the parameters.
        now: returns the time in messages, s.
        lock: guards the robot.
    """

    def __init__(
        self,
        node: Node,
        controller: str,
        robot: Callable[[], DrivenRobot],
        settings: Callable[[], SimulatorSettings],
        now: Callable[[], float],
        lock: threading.RLock,
    ) -> None:
        self._node = node
        self._robot = robot
        self._settings = settings
        self._now = now
        self._lock = lock
        self._goals: list[_Goal] = []
        self._from_topic: list[Execution] = []
        self._topic = below(controller, "joint_trajectory")
        node.create_subscription(JointTrajectory, self._topic, self._on_message, 10)
        self._action = ActionServer(
            node,
            FollowJointTrajectory,
            below(controller, "follow_joint_trajectory"),
            self._on_goal,
            cancel_callback=lambda handle: CancelResponse.ACCEPT,
        )

    def destroy(self) -> None:
        """Destroy the action."""
        self._action.destroy()

    def update(self) -> None:
        """Publish feedback, and end the goals that are over or were canceled.

        The caller holds the lock.
        """
        for goal in list(self._goals):
            if goal.handle.is_cancel_requested:
                self._robot().stop("cancelled", goal.execution.names)
            if goal.execution.outcome is not None:
                self._goals.remove(goal)
                goal.over.set_result(None)
            elif self._robot().time >= goal.next_feedback:
                goal.next_feedback = self._robot().time + FEEDBACK_PERIOD
                self._tell(goal)
        for execution in [e for e in self._from_topic if e.outcome is not None]:
            self._from_topic.remove(execution)
            if execution.outcome in (Outcome.LEFT_PATH, Outcome.MISSED_GOAL):
                self._node.get_logger().warning(f"{self._topic}: {execution.message}")

    def _tell(self, goal: _Goal) -> None:
        robot = self._robot()
        feedback = feedback_of(goal.execution, robot.time, robot.errors(goal.execution))
        whole, part = divmod(round(self._now() * 1e9), 10**9)
        feedback.header.stamp.sec, feedback.header.stamp.nanosec = whole, part
        goal.handle.publish_feedback(feedback)

    def _begin(
        self, trajectory: JointTrajectory, goal: FollowJointTrajectory.Goal | None
    ) -> Execution:
        """Start to follow a trajectory. Raises a RigidTreeError if that is not possible."""
        robot = self._robot()
        if goal is not None:
            refuse_multi_dof(goal)
        waypoints = read_trajectory(trajectory, robot.compiled)
        tolerances = read_tolerances(goal, waypoints.names, self._settings())
        stamp = seconds_of(trajectory.header.stamp)
        start = robot.time
        if stamp > 0.0:
            start += stamp - self._now()
            if start + waypoints.times[-1] < robot.time:
                late = robot.time - start - waypoints.times[-1]
                raise OldTrajectoryError(
                    f"header.stamp is so old that the trajectory ended {late:.3g} s ago; "
                    "leave it at 0 to start at once"
                )
        return robot.follow(waypoints, start, tolerances)

    def _on_message(self, message: JointTrajectory) -> None:
        try:
            if not message.points:
                names = list(message.joint_names)
                with self._lock:
                    self._robot().stop("an empty trajectory", names or None)
                return
            with self._lock:
                self._from_topic.append(self._begin(message, None))
        except RigidTreeError as error:
            topic = self._node.resolve_topic_name(self._topic)
            self._node.get_logger().warning(f"rejected a message on {topic}: {error}")

    async def _on_goal(self, handle: ServerGoalHandle) -> Any:
        result = FollowJointTrajectory.Result()
        try:
            with self._lock:
                execution = self._begin(handle.request.trajectory, handle.request)
                over = ThreadFuture(self._node)  # set by update
                goal = _Goal(handle, execution, self._robot().time, over)
                self._goals.append(goal)
        except RigidTreeError as error:
            result.error_code = _code_of(error)
            result.error_string = str(error)
            self._node.get_logger().warning(f"rejected a trajectory: {error}")
            handle.abort()
            return result
        await over
        assert execution.outcome is not None
        result.error_code = CODES[execution.outcome]
        result.error_string = execution.message
        if execution.outcome is Outcome.REACHED:
            handle.succeed()
        elif handle.is_cancel_requested:
            handle.canceled()
        else:
            self._node.get_logger().warning(f"a trajectory ended early: {execution.message}")
            handle.abort()
        if len(handle.request.trajectory.points) > LONG:
            give_back_soon(GOAL_KEPT)
        return result


@dataclass(eq=False)
class _Goal:
    """An active goal of the action."""

    handle: ServerGoalHandle
    execution: Execution
    next_feedback: float  # s
    over: ThreadFuture


def _code_of(error: RigidTreeError) -> int:
    if isinstance(error, OldTrajectoryError):
        return int(Codes.OLD_HEADER_TIMESTAMP)
    return refusal_code(error)
