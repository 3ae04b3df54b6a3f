"""The services and actions of NAO's older drivers; most call a method of the table.

Names and types are those of naoqi_driver2, nao_walker, pose_controller, pose_manager and nao_leds.
"""

from __future__ import annotations

import random
from collections.abc import Awaitable, Callable
from typing import Any

from rclpy.action import ActionServer, CancelResponse
from rclpy.action.server import ServerGoalHandle
from rclpy.callback_groups import ReentrantCallbackGroup
from rclpy.duration import Duration
from rclpy.node import Node
from rclpy.task import Future
from std_msgs.msg import ColorRGBA
from std_srvs.srv import Empty

from rigid_tree_kinematics.nodes.base import within
from rigid_tree_nao import NaoError
from rigid_tree_nao.model import per_joint
from rigid_tree_nao.nodes.bridge.services import end_goal
from rigid_tree_nao.nodes.bridge.topics import interpolation
from rigid_tree_nao.nodes.methods import METHODS, reject_non_finite
from rigid_tree_nao.nodes.robot import NaoRobot, reason_of

try:  # optional: the older drivers' messages
    from naoqi_bridge_msgs import action, msg, srv
except ImportError:
    action = None

Answer = Callable[[NaoRobot, Any, Any], Awaitable[None]]  # robot, request, response
Execute = Callable[[Any, Any, Any], Awaitable[None]]  # goal, result, handle
Stop = Callable[[str, Any], object]  # name in the log, goal
POSE_SPEED = 0.5  # fraction of the maximum speed, for goals without one
SHORTEST_BLINK = 0.05  # s
EYES = "FaceLeds"
# Fields of RobotInfo by their names in getRobotConfig.
INFO_FIELDS = {
    "Model Type": ("model", str),
    "Head Version": ("head_version", str),
    "Body Version": ("body_version", str),
    "Arm Version": ("arm_version", str),
    "Laser": ("has_laser", bool),
    "Extended Arms": ("has_extended_arms", bool),
    "Number of Legs": ("number_of_legs", int),
    "Number of Arms": ("number_of_arms", int),
    "Number of Hands": ("number_of_hands", int),
}


def advertise_driver_services(node: Node, robot: NaoRobot) -> None:
    """Advertise the services; a failure is logged, since most replies have no field for it."""
    group = ReentrantCallbackGroup()

    def advertise(kind: Any, name: str, answer: Answer) -> None:
        async def callback(request: Any, response: Any) -> Any:
            try:
                reject_non_finite(request)
                await answer(robot, request, response)
            except Exception as error:
                node.get_logger().error(f"{name}: {reason_of(error)}")
            return response

        node.create_service(kind, name, callback, callback_group=group)

    for name, answer in (
        ("body_stiffness/enable", _method("set_stiffnesses", "Body", 1.0)),
        ("body_stiffness/disable", _method("set_stiffnesses", "Body", 0.0)),
        ("wakeup", _method("wake_up")),
        ("pose_controller/rest", _method("rest")),
        ("stop_walk_srv", _method("stop_move")),
        ("life/enable", _life("solitary")),
        ("life/disable", _life("disabled")),
    ):
        advertise(Empty, name, answer)
    if action is not None:
        advertise(srv.CmdVelService, "cmd_vel_srv", _move)
        advertise(srv.CmdPoseService, "cmd_pose_srv", _move_to)
        advertise(srv.SetArmsEnabled, "enable_arms_walking_srv", _enable_arms)
        advertise(srv.GetRobotInfo, "naoqi_driver/get_robot_config", _info)
        advertise(srv.GetString, "naoqi_driver/get_language", _language)
        advertise(srv.SetString, "naoqi_driver/set_language", _set_language)


def _method(name: str, *arguments: Any) -> Answer:
    async def answer(robot: NaoRobot, request: Any, response: Any) -> None:
        await METHODS[name].carry_out(robot, *arguments)

    return answer


def _life(state: str) -> Answer:
    """Return a service that sets ALAutonomousLife's state: whether NAO moves by itself."""

    async def answer(robot: NaoRobot, request: Any, response: Any) -> None:
        await robot.query("ALAutonomousLife.setState", state)

    return answer


async def _move(robot: NaoRobot, request: Any, response: Any) -> None:
    twist = request.twist
    velocity = twist.linear.x, twist.linear.y, twist.angular.z
    if any(velocity):
        await METHODS["move"].carry_out(robot, *velocity)
    else:
        await METHODS["stop_move"].carry_out(robot)


async def _move_to(robot: NaoRobot, request: Any, response: Any) -> None:
    place = request.pose
    await METHODS["move_to"].carry_out(robot, place.x, place.y, place.theta)


async def _enable_arms(robot: NaoRobot, request: Any, response: Any) -> None:
    await METHODS["set_move_arms_enabled"].carry_out(robot, request.left_arm, request.right_arm)


async def _info(robot: NaoRobot, request: Any, response: Any) -> None:
    names, values = await robot.query("ALMotion.getRobotConfig")
    response.info.type = msg.RobotInfo.NAO
    for name, value in zip(names, values, strict=False):
        if name in INFO_FIELDS:
            field, convert = INFO_FIELDS[name]
            setattr(response.info, field, convert(value))


async def _language(robot: NaoRobot, request: Any, response: Any) -> None:
    response.data = str(await robot.query("ALTextToSpeech.getLanguage"))


async def _set_language(robot: NaoRobot, request: Any, response: Any) -> None:
    await robot.query("ALTextToSpeech.setLanguage", request.data)
    response.success = True


class DriverActions:
    """Advertises the actions; their results have no message, so failures are logged.

    None are advertised where the older drivers' messages are not installed.
    """

    def __init__(self, node: Node, robot: NaoRobot) -> None:
        self._node = node
        self._robot = robot
        self._group = ReentrantCallbackGroup()
        self._servers: list[ActionServer[Any, Any, Any]] = []
        if action is not None:
            joints, pose = self._stop_joints, self._stop_pose
            self._servers = [
                self._server(action.JointTrajectory, "joint_trajectory", self._follow, joints),
                self._server(
                    action.JointAnglesWithSpeed, "joint_angles_action", self._aim, joints
                ),
                self._server(action.BodyPose, "body_pose", self._pose, pose),
                self._server(action.BodyPoseWithSpeed, "body_pose_with_speed", self._pose, pose),
                # It ends by itself.
                self._server(action.Blink, "blink", self._blink, lambda *_: None),
            ]

    def destroy(self) -> None:
        """Destroy the actions."""
        for server in self._servers:
            server.destroy()

    def _server(
        self, kind: Any, name: str, run: Execute, stop: Stop
    ) -> ActionServer[Any, Any, Any]:
        async def execute(handle: ServerGoalHandle[Any, Any, Any]) -> Any:
            result, succeeded = kind.Result(), False
            try:
                if not handle.is_cancel_requested:  # before its start
                    reject_non_finite(handle.request)
                    await run(handle.request, result, handle)
                succeeded = True
            except Exception as error:
                self._node.get_logger().error(f"{name}: {reason_of(error)}")
            end_goal(handle, succeeded)
            return result

        def cancel(handle: ServerGoalHandle[Any, Any, Any]) -> CancelResponse:
            stop(f"cancel of {name}", handle.request)
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

    def _stop_joints(self, source: str, goal: Any) -> None:
        is_trajectory = isinstance(goal, action.JointTrajectory.Goal)
        message = goal.trajectory if is_trajectory else goal.joint_angles
        METHODS["kill_tasks_using_resources"].send(self._robot, source, list(message.joint_names))

    async def _report_angles(self, names: list[str], result: Any) -> None:
        joints = list(self._robot.body.joints(names))
        angles = await self._robot.query("ALMotion.getAngles", joints, True)
        result.goal_position.header.stamp = self._node.get_clock().now().to_msg()
        result.goal_position.name = joints
        result.goal_position.position = [float(angle) for angle in angles]

    async def _pose(self, goal: Any, result: Any, handle: Any) -> None:
        is_plain = isinstance(goal, action.BodyPose.Goal)
        name = goal.pose_name if is_plain else goal.posture_name
        speed = POSE_SPEED if is_plain else float(goal.speed)
        await METHODS["go_to_posture"].carry_out(self._robot, name, speed)

    def _stop_pose(self, source: str, goal: Any) -> None:
        METHODS["stop_posture"].send(self._robot, source)

    async def _blink(self, goal: Any, result: Any, handle: Any) -> None:
        """Blink in random colors until the goal is canceled."""
        if not goal.colors:
            raise NaoError("the goal has no colors to blink in")
        generator = random.Random()
        blink = max(Duration.from_msg(goal.blink_duration).nanoseconds / 1e9, SHORTEST_BLINK)
        try:
            while not handle.is_cancel_requested and self._node.context.ok():
                color = generator.choice(goal.colors)
                await self._fade(color, blink / 2.0)
                await self._fade(goal.bg_color, blink / 2.0)
                handle.publish_feedback(action.Blink.Feedback(last_color=color))
                pause = generator.gauss(goal.blink_rate_mean, goal.blink_rate_sd)
                await within(self._node, Future(), max(pause, SHORTEST_BLINK))
        finally:
            await self._fade(goal.bg_color, 0.0)
        result.still_blinking = False

    async def _fade(self, color: ColorRGBA, seconds: float) -> None:
        red, green, blue = (
            round(255.0 * min(max(part, 0.0), 1.0)) for part in (color.r, color.g, color.b)
        )
        number = red << 16 | green << 8 | blue
        await self._robot.query("ALLeds.fadeRGB", EYES, number, float(seconds))
