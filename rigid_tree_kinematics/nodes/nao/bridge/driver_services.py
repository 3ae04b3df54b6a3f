"""The services of NAO's older drivers; most call a method of the table.

Names and types are those of naoqi_driver2, nao_walker and pose_controller.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import Any

from rclpy.callback_groups import ReentrantCallbackGroup
from rclpy.node import Node
from std_srvs.srv import Empty

from rigid_tree_kinematics.nodes.nao.methods import METHODS, reject_non_finite
from rigid_tree_kinematics.nodes.nao.robot import NaoRobot, reason_of

try:  # optional: the older drivers' messages
    from naoqi_bridge_msgs import srv
    from naoqi_bridge_msgs.msg import RobotInfo
except ImportError:
    RobotInfo = None

Answer = Callable[[NaoRobot, Any, Any], Awaitable[None]]  # robot, request, response
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


def offer_driver_services(node: Node, robot: NaoRobot) -> None:
    """Offer the services; a failure is logged, since most replies have no field for it."""
    group = ReentrantCallbackGroup()

    def offer(kind: Any, name: str, answer: Answer) -> None:
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
        offer(Empty, name, answer)
    if RobotInfo is not None:
        offer(srv.CmdVelService, "cmd_vel_srv", _move)
        offer(srv.CmdPoseService, "cmd_pose_srv", _move_to)
        offer(srv.SetArmsEnabled, "enable_arms_walking_srv", _enable_arms)
        offer(srv.GetRobotInfo, "naoqi_driver/get_robot_config", _info)
        offer(srv.GetString, "naoqi_driver/get_language", _language)
        offer(srv.SetString, "naoqi_driver/set_language", _set_language)


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
    arms = request.left_arm, request.right_arm
    await METHODS["set_move_arms_enabled"].carry_out(robot, *arms)


async def _info(robot: NaoRobot, request: Any, response: Any) -> None:
    names, values = await robot.query("ALMotion.getRobotConfig")
    response.info.type = RobotInfo.NAO
    for name, value in zip(names, values, strict=False):
        if name in INFO_FIELDS:
            field, convert = INFO_FIELDS[name]
            setattr(response.info, field, convert(value))


async def _language(robot: NaoRobot, request: Any, response: Any) -> None:
    response.data = str(await robot.query("ALTextToSpeech.getLanguage"))


async def _set_language(robot: NaoRobot, request: Any, response: Any) -> None:
    await robot.query("ALTextToSpeech.setLanguage", request.data)
    response.success = True
