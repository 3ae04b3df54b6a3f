"""The services of NAO's older drivers, beside the table of methods: each calls one of those.

Names and types are those of naoqi_driver2, nao_walker and pose_controller.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import Any

import nao_motion_interfaces.srv as srv
from rclpy.callback_groups import ReentrantCallbackGroup
from rclpy.node import Node
from std_srvs.srv import Empty

from rigid_tree_kinematics.errors import RigidTreeError
from rigid_tree_kinematics.nao import NaoError
from rigid_tree_kinematics.nodes.nao.bridge.services import performed
from rigid_tree_kinematics.nodes.nao.methods import (
    MOVE,
    MOVE_TO,
    REST,
    SET_MOVE_ARMS_ENABLED,
    SET_STIFFNESSES,
    STOP_MOVE,
    WAKE_UP,
    Method,
)
from rigid_tree_kinematics.nodes.nao.robot import NaoRobot, refuse_non_finite

try:  # everything else works without the messages of the older drivers
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
        stiff, limp = (
            srv.SetStiffnesses.Request(names=["Body"], stiffnesses=[stiffness])
            for stiffness in (1.0, 0.0)
        )
        for name, method, request in (
            ("body_stiffness/enable", SET_STIFFNESSES, stiff),
            ("body_stiffness/disable", SET_STIFFNESSES, limp),
            ("wakeup", WAKE_UP, srv.Call.Request()),
            ("pose_controller/rest", REST, srv.Call.Request()),
            ("stop_walk_srv", STOP_MOVE, srv.Call.Request()),
        ):
            self._add(Empty, name, self._fixed(method, request))
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
                refuse_non_finite(request)
                await answer(request, response)
            except RigidTreeError as error:
                self._node.get_logger().error(f"{name}: {error}")
            except Exception as error:  # whatever a robot returns must not end the node
                self._node.get_logger().error(f"{name}: unexpected value: {error!r}")
            return response

        self._node.create_service(kind, name, callback, callback_group=self._group)

    async def _call(self, method: Method, request: Any) -> None:
        failure, remarks, _ = await performed(self._robot, method, request)
        for remark in remarks:
            self._node.get_logger().warning(f"{method.name}: {remark}")
        if failure:
            raise NaoError(failure)

    def _fixed(self, method: Method, fixed: Any) -> Callable[[Any, Any], Awaitable[None]]:
        async def answer(request: Any, response: Any) -> None:
            await self._call(method, fixed)

        return answer

    def _life(self, state: str) -> Callable[[Any, Any], Awaitable[None]]:
        async def answer(request: Any, response: Any) -> None:
            await self._robot.asked("ALAutonomousLife", "setState", state)

        return answer

    async def _move(self, request: Any, response: Any) -> None:
        twist = request.twist
        velocity = twist.linear.x, twist.linear.y, twist.angular.z
        if any(velocity):
            x, y, theta = velocity
            await self._call(MOVE, srv.Move.Request(x=x, y=y, theta=theta))
        else:
            await self._call(STOP_MOVE, srv.Call.Request())

    async def _move_to(self, request: Any, response: Any) -> None:
        pose = request.pose
        await self._call(MOVE_TO, srv.Move.Request(x=pose.x, y=pose.y, theta=pose.theta))

    async def _enable_arms(self, request: Any, response: Any) -> None:
        arms = srv.SetMoveArmsEnabled.Request(left=request.left_arm, right=request.right_arm)
        await self._call(SET_MOVE_ARMS_ENABLED, arms)

    async def _info(self, request: Any, response: Any) -> None:
        names, values = await self._robot.asked("ALMotion", "getRobotConfig")
        response.info.type = RobotInfo.NAO
        for name, value in zip(names, values, strict=False):
            if name in INFO_FIELDS:
                field, convert = INFO_FIELDS[name]
                setattr(response.info, field, convert(value))

    async def _language(self, request: Any, response: Any) -> None:
        response.data = str(await self._robot.asked("ALTextToSpeech", "getLanguage"))

    async def _set_language(self, request: Any, response: Any) -> None:
        await self._robot.asked("ALTextToSpeech", "setLanguage", request.data)
        response.success = True
