"""The table of methods as services and, for methods that last, as actions."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from typing import Any

from rclpy.action import ActionServer, CancelResponse
from rclpy.action.server import ServerGoalHandle
from rclpy.callback_groups import ReentrantCallbackGroup
from rclpy.node import Node

from rigid_tree_kinematics.errors import RigidTreeError
from rigid_tree_kinematics.nodes.common.process import Ticker
from rigid_tree_kinematics.nodes.common.robot import SERVICE_QOS
from rigid_tree_kinematics.nodes.nao.methods import METHODS, Lasting, Method
from rigid_tree_kinematics.nodes.nao.robot import Begin, NaoRobot, checked

FEEDBACK_PERIOD = 0.1  # s


async def performed(robot: NaoRobot, method: Method, request: Any) -> tuple[str, list[str], Any]:
    """Check a request, call the method, and look at what has become of it.

    Returns why what was asked for has not happened, or an empty string; remarks; and the value.
    Raises NaoError if the request or the robot refuses.
    """
    remarks = checked(robot, method, request)
    begin = Begin(time.monotonic(), robot.state.robot_place if robot.state else None)
    value = await robot.value(method, request)
    return await method.outcome(robot, request, value, begin), remarks, value


async def _answer(node: Node, robot: NaoRobot, method: Method, request: Any, reply: Any) -> None:
    """Call a method and fill the reply, also where the robot refuses."""
    try:
        failure, remarks, value = await performed(robot, method, request)
        method.fill(value, reply, request, robot.body)
        reply.success = not failure
        told = dict.fromkeys(([failure] if failure else []) + remarks)  # each once
        reply.message = "; ".join(told)
    except RigidTreeError as error:
        reply.success, reply.message = False, str(error)
    except Exception as error:  # whatever a robot returns must not end the node
        reply.success = False
        reply.message = f"unexpected value from the robot: {error!r}"
        node.get_logger().error(f"{method.name}: {reply.message}")


class MethodServices:
    """Offers every method of the table as a service."""

    def __init__(self, node: Node, robot: NaoRobot) -> None:
        self._node = node
        self._robot = robot
        group = ReentrantCallbackGroup()  # a call that blocks delays no other one
        for method in METHODS:
            node.create_service(
                method.kind,
                method.name,
                self._callback(method),
                qos_profile=SERVICE_QOS,
                callback_group=group,
            )

    def _callback(self, method: Method) -> Callable[..., Any]:
        async def callback(request: Any, response: Any) -> Any:
            await _answer(self._node, self._robot, method, request, response)
            return response

        return callback


class MethodActions:
    """Offers the methods that last as actions, too, under the same names."""

    def __init__(self, node: Node, robot: NaoRobot) -> None:
        self._node = node
        self._robot = robot
        self._running: dict[bytes, tuple[ServerGoalHandle, Lasting, float]] = {}
        self._runs = threading.Event()  # there is one
        group = ReentrantCallbackGroup()
        self._servers = [
            ActionServer(
                node,
                method.lasting.kind,
                method.name,
                self._execute(method, method.lasting),
                callback_group=group,
                cancel_callback=self._on_cancel(method, method.lasting),
            )
            for method in METHODS
            if method.lasting is not None
        ]
        self._ticker = Ticker(node, FEEDBACK_PERIOD, self._publish_feedback, self._runs)
        self._ticker.start()

    def destroy(self) -> None:
        """Take the actions off the network."""
        self._ticker.stop()
        for server in self._servers:
            server.destroy()

    def _execute(self, method: Method, lasting: Lasting) -> Callable[..., Any]:
        async def execute(handle: ServerGoalHandle) -> Any:
            result, key = lasting.kind.Result(), bytes(handle.goal_id.uuid)
            self._running[key] = (handle, lasting, time.monotonic())
            self._runs.set()
            try:
                await _answer(self._node, self._robot, method, handle.request, result)
            finally:
                del self._running[key]
            if handle.is_cancel_requested:
                result.success, result.message = False, "cancelled"
                handle.canceled()
            elif result.success:
                handle.succeed()
            else:
                handle.abort()
            return result

        return execute

    def _on_cancel(
        self, method: Method, lasting: Lasting
    ) -> Callable[[ServerGoalHandle], CancelResponse]:
        def cancel(handle: ServerGoalHandle) -> CancelResponse:
            self._robot.send(f"cancel of {method.name}", lasting.stop, handle.request)
            return CancelResponse.ACCEPT

        return cancel

    def _publish_feedback(self) -> None:
        """Publish the feedback of every goal under way."""
        self._runs.clear()
        for handle, lasting, begin in list(self._running.values()):
            self._runs.set()
            if not handle.is_active:
                continue
            feedback = lasting.kind.Feedback()
            try:
                lasting.feedback(handle.request, feedback, self._robot)
            except RigidTreeError:
                continue  # unknown names, for which the robot is about to refuse the goal
            feedback.seconds = time.monotonic() - begin
            handle.publish_feedback(feedback)
