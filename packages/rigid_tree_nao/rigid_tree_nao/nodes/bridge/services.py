"""The table of methods as services and, for methods that block, as actions."""

from __future__ import annotations

import threading
import time
from typing import Any, NamedTuple

from rclpy.action import ActionServer, CancelResponse
from rclpy.action.server import ServerGoalHandle
from rclpy.callback_groups import ReentrantCallbackGroup
from rclpy.node import Node
from rclpy.qos import QoSProfile

from rigid_tree_kinematics.errors import RigidTreeError
from rigid_tree_kinematics.nodes.base import Ticker
from rigid_tree_nao.nodes.methods import METHODS, BlockingAction, Method, reject_non_finite
from rigid_tree_nao.nodes.robot import NaoRobot, reason_of

FEEDBACK_PERIOD = 0.1  # s
# With the default depth of 10, requests and replies of many callers are lost.
SERVICE_QOS = QoSProfile(depth=1000)


async def _answer(node: Node, robot: NaoRobot, method: Method, request: Any, reply: Any) -> Any:
    """Call a method and return the filled reply, also if the robot rejects the call."""
    try:
        reject_non_finite(request)
        arguments = method.arguments(request)
        failure, remarks, value = await method.perform(robot, arguments)
        method.fill(value, reply, arguments, robot.body)
        reply.success = not failure
        remarks = [failure, *remarks] if failure else remarks
        reply.message = "; ".join(dict.fromkeys(remarks))  # without duplicates
    except Exception as error:
        reply.success, reply.message = False, reason_of(error)
        if not isinstance(error, RigidTreeError):
            node.get_logger().error(f"{method.name}: {reply.message}")
    return reply


def advertise_methods(node: Node, robot: NaoRobot) -> None:
    """Advertise every method of the table as a service."""
    group = ReentrantCallbackGroup()  # a blocking call does not delay others

    def advertise(method: Method) -> None:
        async def callback(request: Any, response: Any) -> Any:
            return await _answer(node, robot, method, request, response)

        node.create_service(
            method.kind, method.name, callback, qos_profile=SERVICE_QOS, callback_group=group
        )

    for method in METHODS.values():
        advertise(method)


def end_goal(handle: ServerGoalHandle[Any, Any, Any], succeeded: bool) -> None:
    """End a goal as canceled if its client has cancelled it, else as succeeded or aborted."""
    if handle.is_cancel_requested:
        handle.canceled()
    elif succeeded:
        handle.succeed()
    else:
        handle.abort()


class _Running(NamedTuple):
    """A goal whose method has been called."""

    handle: ServerGoalHandle[Any, Any, Any]
    action: BlockingAction
    start: float  # s, of time.monotonic


class MethodActions:
    """Also advertises the methods that block as actions, under the same names."""

    def __init__(self, node: Node, robot: NaoRobot) -> None:
        self._node = node
        self._robot = robot
        self._running: dict[bytes, _Running] = {}  # by the goal's UUID
        self._has_goals = threading.Event()  # so that feedback is due
        self._group = ReentrantCallbackGroup()
        self._servers = [
            self._server(method, method.action)
            for method in METHODS.values()
            if method.action is not None
        ]
        self._ticker = Ticker(node, FEEDBACK_PERIOD, self._publish_feedback, self._has_goals)
        self._ticker.start()

    def destroy(self) -> None:
        """Destroy the actions."""
        self._ticker.stop()
        for server in self._servers:
            server.destroy()

    def _server(self, method: Method, action: BlockingAction) -> ActionServer[Any, Any, Any]:
        async def execute(handle: ServerGoalHandle[Any, Any, Any]) -> Any:
            result, key = action.kind.Result(), bytes(handle.goal_id.uuid)
            self._running[key] = _Running(handle, action, time.monotonic())
            self._has_goals.set()
            try:
                if not handle.is_cancel_requested:  # before its start
                    await _answer(self._node, self._robot, method, handle.request, result)
            finally:
                del self._running[key]
            if handle.is_cancel_requested:
                result.success, result.message = False, "canceled"
            end_goal(handle, result.success)
            return result

        def cancel(handle: ServerGoalHandle[Any, Any, Any]) -> CancelResponse:
            stop = METHODS[action.stop]
            stop.send(self._robot, f"cancel of {method.name}", *stop.arguments(handle.request))
            return CancelResponse.ACCEPT

        return ActionServer(
            self._node,
            action.kind,
            method.name,
            execute,
            callback_group=self._group,
            cancel_callback=cancel,
        )

    def _publish_feedback(self) -> None:
        """Publish the feedback of every active goal."""
        self._has_goals.clear()
        for goal in list(self._running.values()):
            self._has_goals.set()
            if not goal.handle.is_active:
                continue
            feedback = goal.action.kind.Feedback()
            try:
                goal.action.feedback(goal.handle.request, feedback, self._robot)
            except RigidTreeError:
                continue  # unknown names: the goal is about to be aborted
            feedback.seconds = time.monotonic() - goal.start
            goal.handle.publish_feedback(feedback)
