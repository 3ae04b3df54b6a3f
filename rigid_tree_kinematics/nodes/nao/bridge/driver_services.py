"""The services of NAO's older drivers; most call a method of the table.

Names and types are those of naoqi_driver2, nao_walker and pose_controller.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Sequence
from typing import Any

from rclpy.callback_groups import ReentrantCallbackGroup
from rclpy.node import Node
from std_srvs.srv import Empty

from rigid_tree_kinematics.errors import RigidTreeError
from rigid_tree_kinematics.nodes.nao.methods import (
    MOVE,
    MOVE_TO,
    REST,
    SET_MOVE_ARMS_ENABLED,
    SET_STIFFNESSES,
    STOP_MOVE,
    WAKE_UP,
    Method,
    reject_non_finite,
)
from rigid_tree_kinematics.nodes.nao.robot import NaoRobot

try:  # optional: the older drivers' messages
    from naoqi_bridge_msgs.msg import RobotInfo
    from naoqi_bridge_msgs.srv import (
        CmdPoseService,
        CmdVelService,
        GetRobotInfo,
        GetString,
        SetArmsEnabled,
        SetString,
    )
except ImportError:
    RobotInfo = None

# Whether the robot moves by itself: ALAutonomousLife's states.
ALIVE, NOT_ALIVE = "solitary", "disabled"
# Fields of RobotInfo by what getRobotConfig calls them.
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


class DriverServices:
    """Offers the services; a failure is logged, since most replies have no field for it."""

    def __init__(self, node: Node, robot: NaoRobot) -> None:
        self._node = node
        self._robot = robot
        self._group = ReentrantCallbackGroup()
        for name, method, arguments in (
            ("body_stiffness/enable", SET_STIFFNESSES, ("Body", 1.0)),
            ("body_stiffness/disable", SET_STIFFNESSES, ("Body", 0.0)),
            ("wakeup", WAKE_UP, ()),
            ("pose_controller/rest", REST, ()),
            ("stop_walk_srv", STOP_MOVE, ()),
        ):
            self._add(Empty, name, self._fixed(method, arguments))
        for name, state in (("life/enable", ALIVE), ("life/disable", NOT_ALIVE)):
            self._add(Empty, name, self._life(state))
        if RobotInfo is None:
            return
        self._add(CmdVelService, "cmd_vel_srv", self._move)
        self._add(CmdPoseService, "cmd_pose_srv", self._move_to)
        self._add(SetArmsEnabled, "enable_arms_walking_srv", self._enable_arms)
        self._add(GetRobotInfo, "naoqi_driver/get_robot_config", self._info)
        self._add(GetString, "naoqi_driver/get_language", self._language)
        self._add(SetString, "naoqi_driver/set_language", self._set_language)

    def _add(self, kind: Any, name: str, answer: Callable[[Any, Any], Awaitable[None]]) -> None:
        async def callback(request: Any, response: Any) -> Any:
            try:
                reject_non_finite(request)
                await answer(request, response)
            except RigidTreeError as error:
                self._node.get_logger().error(f"{name}: {error}")
            except Exception as error:  # a robot's odd value must not end the node
                self._node.get_logger().error(f"{name}: unexpected value: {error!r}")
            return response

        self._node.create_service(kind, name, callback, callback_group=self._group)

    def _fixed(
        self, method: Method, arguments: Sequence[Any]
    ) -> Callable[[Any, Any], Awaitable[None]]:
        async def answer(request: Any, response: Any) -> None:
            await method.carry_out(self._robot, *arguments)

        return answer

    def _life(self, state: str) -> Callable[[Any, Any], Awaitable[None]]:
        async def answer(request: Any, response: Any) -> None:
            await self._robot.query("ALAutonomousLife.setState", state)

        return answer

    async def _move(self, request: Any, response: Any) -> None:
        twist = request.twist
        velocity = twist.linear.x, twist.linear.y, twist.angular.z
        if any(velocity):
            await MOVE.carry_out(self._robot, *velocity)
        else:
            await STOP_MOVE.carry_out(self._robot)

    async def _move_to(self, request: Any, response: Any) -> None:
        place = request.pose
        await MOVE_TO.carry_out(self._robot, place.x, place.y, place.theta)

    async def _enable_arms(self, request: Any, response: Any) -> None:
        arms = request.left_arm, request.right_arm
        await SET_MOVE_ARMS_ENABLED.carry_out(self._robot, *arms)

    async def _info(self, request: Any, response: Any) -> None:
        names, values = await self._robot.query("ALMotion.getRobotConfig")
        response.info.type = RobotInfo.NAO
        for name, value in zip(names, values, strict=False):
            if name in INFO_FIELDS:
                field, convert = INFO_FIELDS[name]
                setattr(response.info, field, convert(value))

    async def _language(self, request: Any, response: Any) -> None:
        response.data = str(await self._robot.query("ALTextToSpeech.getLanguage"))

    async def _set_language(self, request: Any, response: Any) -> None:
        await self._robot.query("ALTextToSpeech.setLanguage", request.data)
        response.success = True
