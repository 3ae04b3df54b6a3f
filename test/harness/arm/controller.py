"""A driver of an arm with controllable faults, on a real action server."""

import threading
from collections.abc import Sequence
from typing import Any

from control_msgs.action import FollowJointTrajectory
from rclpy.action import ActionServer, CancelResponse, GoalResponse
from rclpy.callback_groups import ReentrantCallbackGroup
from rclpy.executors import MultiThreadedExecutor
from rclpy.node import Node
from sensor_msgs.msg import JointState

from harness.network import Network
from harness.processes import wait_until

STATE_PERIOD = 0.02  # s


class FakeController:
    """Publishes constant joint states; a goal runs until it is cancelled or ``finishing`` is set.

    Then ``ending``, a method of the goal's handle, ends it with ``result``. A goal is accepted if
    ``accepts``, once ``answers`` is set (the default). While ``dead`` is set, goals behave like
    those of a killed process. Without positions there are no joint states.
    """

    def __init__(self, network: Network, positions: dict[str, float], namespace: str = "") -> None:
        self.positions = positions
        self.answers = threading.Event()
        self.goal_received = threading.Event()  # a goal has come
        self.finishing = threading.Event()
        self.dead = threading.Event()
        self.goals: list[FollowJointTrajectory.Goal] = []
        self.cancelled: list[bool] = []  # of goals that have ended
        self.reset()
        self._ends = threading.Event()
        self._node = Node("controller", context=network.context)
        group = ReentrantCallbackGroup()
        self._executor = MultiThreadedExecutor(4, context=network.context)
        self._executor.add_node(self._node)
        self._states = self._node.create_publisher(JointState, "joint_states", 10)
        self._node.create_timer(STATE_PERIOD, self._publish, callback_group=group)
        self._action = ActionServer(
            self._node,
            FollowJointTrajectory,
            f"{namespace}/follow_joint_trajectory".lstrip("/"),
            self._on_goal,
            goal_callback=self._on_request,
            cancel_callback=lambda handle: CancelResponse.ACCEPT,
            callback_group=group,
        )
        self._thread = threading.Thread(target=self._executor.spin, daemon=True)
        self._thread.start()
        network.wait_for_discovery_by_all()  # so that no acceptance is lost

    def reset(self) -> None:
        """Reset to a driver without faults."""
        self.publishes = bool(self.positions)
        self.accepts = True
        self.sends_feedback = False  # feedback
        self.ending, self.result = "succeed", FollowJointTrajectory.Result()
        self.answers.set()
        self.goal_received.clear()
        self.finishing.clear()
        self.dead.clear()
        self.goals.clear()
        self.cancelled.clear()

    def finish(self) -> None:
        """End all goals."""
        self.dead.clear()
        self.answers.set()
        self.finishing.set()
        wait_until(lambda: len(self.cancelled) == len(self.goals), "the goals' ends")

    def publish(self, names: Sequence[str], positions: Sequence[float]) -> None:
        """Publish a joint state."""
        message = JointState(name=list(names), position=list(positions))
        message.header.stamp = self._node.get_clock().now().to_msg()
        self._states.publish(message)

    def _publish(self) -> None:
        if self.publishes:
            self.publish(list(self.positions), list(self.positions.values()))

    def _on_request(self, goal: Any) -> GoalResponse:
        self.goal_received.set()
        self.answers.wait(30.0)
        return GoalResponse.ACCEPT if self.accepts else GoalResponse.REJECT

    def _on_goal(self, handle: Any) -> Any:
        self.goals.append(handle.request)
        names = list(handle.request.trajectory.joint_names)
        while self.dead.is_set() or not (self.finishing.is_set() or handle.is_cancel_requested):
            if self._ends.wait(0.01):
                break
            if self.sends_feedback and not self.dead.is_set():
                handle.publish_feedback(FollowJointTrajectory.Feedback(joint_names=names))
        self.cancelled.append(handle.is_cancel_requested)
        ending = "canceled" if handle.is_cancel_requested else self.ending
        if ending == "canceled" and not handle.is_cancel_requested:
            handle._update_state(_cancel_event())
        getattr(handle, ending)()
        return self.result

    def close(self) -> None:
        if self._ends.is_set():
            return
        self.answers.set()
        self._ends.set()
        self._executor.shutdown()
        self._thread.join(10.0)
        self._action.destroy()
        self._node.destroy_node()


def _cancel_event() -> Any:
    """Return the event of a controller that cancels a goal by itself."""
    from rclpy.action.server import GoalEvent

    return GoalEvent.CANCEL_GOAL
