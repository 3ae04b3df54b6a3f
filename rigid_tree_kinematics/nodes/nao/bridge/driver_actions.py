"""The actions of NAO's older drivers: pose_controller's, pose_manager's and nao_leds' names."""

from __future__ import annotations

import random
import threading
from collections.abc import Awaitable, Callable
from typing import Any

from rclpy.action import ActionServer, CancelResponse
from rclpy.action.server import ServerGoalHandle
from rclpy.callback_groups import ReentrantCallbackGroup
from rclpy.node import Node
from std_msgs.msg import ColorRGBA

from rigid_tree_kinematics.nao import NaoError
from rigid_tree_kinematics.nao.model import per_joint
from rigid_tree_kinematics.nodes.common.process import ThreadFuture, end_goal
from rigid_tree_kinematics.nodes.common.requests import seconds_of
from rigid_tree_kinematics.nodes.nao.bridge.topics import interpolation
from rigid_tree_kinematics.nodes.nao.methods import METHODS, reject_non_finite
from rigid_tree_kinematics.nodes.nao.robot import NaoRobot, reason_of

try:  # optional: the older drivers' messages
    import naoqi_bridge_msgs.action as driver
except ImportError:
    driver = None

POSE_SPEED = 0.5  # fraction, where the goal has none
SHORTEST_BLINK = 0.05  # s
EYES = "FaceLeds"
Execute = Callable[[Any, Any, Any], Awaitable[None]]  # goal, result, handle


class DriverActions:
    """Offers the actions; their results have no message, so failures are logged.

    None are offered where the older drivers' messages are not installed.
    """

    def __init__(self, node: Node, robot: NaoRobot) -> None:
        self._node = node
        self._robot = robot
        self._group = ReentrantCallbackGroup()
        self._servers: list[ActionServer[Any, Any, Any]] = []
        if driver is not None:
            self._servers = [
                self._server(driver.JointTrajectory, "joint_trajectory", self._follow),
                self._server(driver.JointAnglesWithSpeed, "joint_angles_action", self._aim),
                self._server(driver.BodyPose, "body_pose", self._pose),
                self._server(driver.BodyPoseWithSpeed, "body_pose_with_speed", self._pose),
                self._server(driver.Blink, "blink", self._blink),
            ]

    def destroy(self) -> None:
        """Destroy the actions."""
        for server in self._servers:
            server.destroy()

    def _server(self, kind: Any, name: str, run: Execute) -> ActionServer[Any, Any, Any]:
        async def execute(handle: ServerGoalHandle[Any, Any, Any]) -> Any:
            result, succeeded = kind.Result(), False
            try:
                reject_non_finite(handle.request)
                await run(handle.request, result, handle)
                succeeded = True
            except Exception as error:
                self._node.get_logger().error(f"{name}: {reason_of(error)}")
            end_goal(handle, succeeded, cancelled=False)
            return result

        def cancel(handle: ServerGoalHandle[Any, Any, Any]) -> CancelResponse:
            source, goal = f"cancel of {name}", handle.request
            if hasattr(goal, "trajectory") or hasattr(goal, "joint_angles"):
                message = getattr(goal, "trajectory", None) or goal.joint_angles
                names = list(message.joint_names)
                METHODS["kill_tasks_using_resources"].send(self._robot, source, names)
            elif not isinstance(goal, driver.Blink.Goal):
                METHODS["stop_posture"].send(self._robot, source)
            return CancelResponse.ACCEPT

        return ActionServer(
            self._node, kind, name, execute, callback_group=self._group, cancel_callback=cancel
        )

    async def _follow(self, goal: Any, result: Any, handle: Any) -> None:
        names = list(goal.trajectory.joint_names)
        arguments = interpolation(names, goal.trajectory, is_absolute=not goal.relative)
        try:
            await METHODS["angle_interpolation"].carry_out(self._robot, *arguments)
        finally:
            await self._report_angles(names, result)

    async def _aim(self, goal: Any, result: Any, handle: Any) -> None:
        message = goal.joint_angles
        joints = list(self._robot.body.joints(message.joint_names))
        angles = per_joint(joints, list(message.joint_angles), "angle")
        if message.relative:
            starts = await self._robot.query("ALMotion.getAngles", joints, False)
            angles = [start + change for start, change in zip(starts, angles, strict=True)]
        try:
            await METHODS["angle_interpolation_with_speed"].carry_out(
                self._robot, joints, angles, float(message.speed)
            )
        finally:
            await self._report_angles(joints, result)

    async def _report_angles(self, names: list[str], result: Any) -> None:
        joints = list(self._robot.body.joints(names))
        angles = await self._robot.query("ALMotion.getAngles", joints, True)
        result.goal_position.header.stamp = self._node.get_clock().now().to_msg()
        result.goal_position.name = joints
        result.goal_position.position = [float(angle) for angle in angles]

    async def _pose(self, goal: Any, result: Any, handle: Any) -> None:
        is_plain = isinstance(goal, driver.BodyPose.Goal)
        name = goal.pose_name if is_plain else goal.posture_name
        speed = POSE_SPEED if is_plain else float(goal.speed)
        await METHODS["go_to_posture"].carry_out(self._robot, name, speed)

    async def _blink(self, goal: Any, result: Any, handle: Any) -> None:
        """Blink in random colors until the goal is canceled."""
        if not goal.colors:
            raise NaoError("the goal has no colors to blink in")
        generator = random.Random()
        blink = max(seconds_of(goal.blink_duration), SHORTEST_BLINK)
        try:
            while not handle.is_cancel_requested and self._node.context.ok():
                color = generator.choice(goal.colors)
                await self._fade(color, blink / 2.0)
                await self._fade(goal.bg_color, blink / 2.0)
                handle.publish_feedback(driver.Blink.Feedback(last_color=color))
                pause = generator.gauss(goal.blink_rate_mean, goal.blink_rate_sd)
                await self._sleep(max(pause, SHORTEST_BLINK))
        finally:
            await self._fade(goal.bg_color, 0.0)
        result.still_blinking = False

    async def _fade(self, color: ColorRGBA, seconds: float) -> None:
        red, green, blue = (
            round(255.0 * min(max(part, 0.0), 1.0)) for part in (color.r, color.g, color.b)
        )
        number = red << 16 | green << 8 | blue
        await self._robot.query("ALLeds.fadeRGB", EYES, number, float(seconds))

    async def _sleep(self, seconds: float) -> None:
        over = ThreadFuture(self._node)
        timer = threading.Timer(seconds, over.set_result, (None,))
        timer.daemon = True
        timer.start()
        await over
