"""The mirrored methods as services and, where they last, as actions."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from nao_motion_interfaces import action
from rclpy.action import ActionServer, CancelResponse
from rclpy.action.server import ServerGoalHandle
from rclpy.callback_groups import ReentrantCallbackGroup
from rclpy.node import Node

from rigid_tree_kinematics.errors import RigidTreeError
from rigid_tree_kinematics.nodes.common.robot_server import SERVICE_QOS
from rigid_tree_kinematics.nodes.nao.checks import checked
from rigid_tree_kinematics.nodes.nao.methods import MIRRORS, Mirror, is_true
from rigid_tree_kinematics.nodes.nao.robot import NaoRobot

FEEDBACK_PERIOD = 0.1  # s
# A walk that goes on until somebody stops it, and what stops it.
WALKS = ("move", "move_toward", "set_walk_target_velocity")
STOPS = ("stop_move", "stop_walk", "kill_move", "kill_all", "rest", "move_to", "walk_to")

Feedback = Callable[[Any, Any, NaoRobot], None]
Stop = Callable[[Any], tuple[Any, ...]]


class MirroredServices:
    """Offers every method of the table."""

    def __init__(self, node: Node, robot: NaoRobot) -> None:
        self._node = node
        self._robot = robot
        group = ReentrantCallbackGroup()  # a call that lasts keeps no other one waiting
        for mirror in MIRRORS:
            node.create_service(
                mirror.kind,
                mirror.name,
                self._answer(mirror),
                qos_profile=SERVICE_QOS,
                callback_group=group,
            )

    def _answer(self, mirror: Mirror) -> Callable[..., Any]:
        async def answer(request: Any, response: Any) -> Any:
            try:
                remarks = checked(self._robot, mirror.name, request)
                if mirror.name in WALKS:
                    self._robot.guard.walks()
                value = await self._robot.value(mirror.method, *mirror.arguments(request))
                if mirror.name in STOPS:
                    self._robot.guard.stands()
                mirror.fill(value, response)
                if mirror.name == "get_limits":
                    self._name_limits(request.name, response)
                response.success, response.message = True, "; ".join(remarks)
            except RigidTreeError as error:
                response.success, response.message = False, str(error)
            except Exception as error:  # what a robot answers must not end the node
                response.success = False
                response.message = f"the robot's answer was not understood: {error!r}"
                self._node.get_logger().error(f"{mirror.name}: {response.message}")
            return response

        return answer

    def _name_limits(self, group: str, response: Any) -> None:
        for row, name in zip(response.limits, self._robot.body.names_of(group), strict=False):
            row.name = name


@dataclass(frozen=True)
class LastingMethod:
    """A method that lasts: what tells how far it is, and what stops it."""

    name: str
    kind: Any
    stop: Stop  # of the goal: what to call
    feedback: Feedback


def _joint_feedback(goal: Any, feedback: Any, robot: NaoRobot) -> None:
    if robot.state is None:
        return
    joints = robot.body.joints(goal.names)
    feedback.names = list(joints)
    feedback.angles = robot.state.angles[robot.body.places(joints)].tolist()


def _walk_feedback(goal: Any, feedback: Any, robot: NaoRobot) -> None:
    if robot.state is not None:
        feedback.position = robot.state.robot_place


def _posture_feedback(goal: Any, feedback: Any, robot: NaoRobot) -> None:
    if robot.health is not None:
        feedback.posture = robot.health.posture


def _kill(goal: Any) -> tuple[Any, ...]:
    return ("ALMotion.killTasksUsingResources", list(goal.names))


LASTING = (
    LastingMethod("angle_interpolation", action.AngleInterpolation, _kill, _joint_feedback),
    LastingMethod(
        "angle_interpolation_with_speed",
        action.AngleInterpolationWithSpeed,
        _kill,
        _joint_feedback,
    ),
    LastingMethod("move_to", action.MoveTo, lambda goal: ("ALMotion.stopMove",), _walk_feedback),
    LastingMethod(
        "go_to_posture",
        action.GoToPosture,
        lambda goal: ("ALRobotPosture.stopMove",),
        _posture_feedback,
    ),
)


class MirroredActions:
    """Offers the methods that last as actions too, under the same names."""

    def __init__(self, node: Node, robot: NaoRobot) -> None:
        self._node = node
        self._robot = robot
        self._running: dict[bytes, tuple[ServerGoalHandle, LastingMethod, float]] = {}
        by_name = {mirror.name: mirror for mirror in MIRRORS}
        group = ReentrantCallbackGroup()
        self._servers = [
            ActionServer(
                node,
                method.kind,
                method.name,
                self._execute(method, by_name[method.name]),
                callback_group=group,
                cancel_callback=self._on_cancel(method),
            )
            for method in LASTING
        ]
        node.create_timer(FEEDBACK_PERIOD, self._tell)

    def destroy(self) -> None:
        """Offer them no longer."""
        for server in self._servers:
            server.destroy()

    def _execute(self, method: LastingMethod, mirror: Mirror) -> Callable[..., Any]:
        async def execute(handle: ServerGoalHandle) -> Any:
            result = method.kind.Result()
            goal, key = handle.request, bytes(handle.goal_id.uuid)
            try:
                remarks = checked(self._robot, method.name, goal)
                self._running[key] = (handle, method, time.monotonic())
                value = await self._robot.value(mirror.method, *mirror.arguments(goal))
                result.success, result.message = True, "; ".join(remarks)
                if hasattr(result, "value"):
                    result.value = is_true(value)
            except RigidTreeError as error:
                result.success, result.message = False, str(error)
            finally:
                self._running.pop(key, None)
            if handle.is_cancel_requested:
                result.success, result.message = False, "cancelled"
                handle.canceled()
            elif result.success:
                handle.succeed()
            else:
                handle.abort()
            return result

        return execute

    def _on_cancel(self, method: LastingMethod) -> Callable[[ServerGoalHandle], CancelResponse]:
        def cancel(handle: ServerGoalHandle) -> CancelResponse:
            self._robot.send(f"cancel of {method.name}", *method.stop(handle.request))
            return CancelResponse.ACCEPT

        return cancel

    def _tell(self) -> None:
        """Send feedback on every goal under way."""
        for handle, method, begin in list(self._running.values()):
            if not handle.is_active:
                continue
            feedback = method.kind.Feedback()
            try:
                method.feedback(handle.request, feedback, self._robot)
            except RigidTreeError:
                continue  # names of a goal that the robot is about to refuse
            feedback.seconds = time.monotonic() - begin
            handle.publish_feedback(feedback)
