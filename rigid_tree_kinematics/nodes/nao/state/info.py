"""The topic info: kind and versions of the robot as one text, as naoqi_driver2 writes it."""

from __future__ import annotations

from rclpy.node import Node

from rigid_tree_kinematics.nao import NaoError
from rigid_tree_kinematics.nao.robot import BASE_VERSION
from rigid_tree_kinematics.nodes.nao.robot import NaoRobot

try:  # optional: the older drivers' messages
    from naoqi_bridge_msgs.msg import StringStamped
except ImportError:
    StringStamped = None

KEYS = (
    "RobotConfig/Head/FullHeadId",
    "Device/DeviceList/ChestBoard/BodyId",
    "RobotConfig/Body/Type",
    BASE_VERSION,
    "RobotConfig/Body/Device/LeftArm/Version",
    "RobotConfig/Body/Device/RightArm/Version",
    "RobotConfig/Body/Device/Hand/Left/Version",
    "RobotConfig/Body/Version",
    "RobotConfig/Body/SoftwareRequirement",
    "RobotConfig/Body/Device/Legs/Version",
)


class InfoTopic:
    """Reads the text once for each connection, and publishes it on request."""

    def __init__(self, node: Node, robot: NaoRobot) -> None:
        self._node = node
        self._robot = robot
        self._text = ""
        self._publisher = (
            node.create_publisher(StringStamped, "info", 10) if StringStamped else None
        )

    def read(self, patience: float) -> None:
        """Read the text from the robot within ``patience`` (s); keep the old one on failure."""
        ask = self._robot.connection.ask
        try:
            values = ask("ALMemory", "getListData", list(KEYS), timeout=patience)
        except NaoError:
            return
        texts = ("" if value is None else value for value in values)
        self._text = " ; ".join(f"{key}: {value}" for key, value in zip(KEYS, texts, strict=True))

    def publish(self) -> None:
        """Publish the text, if there is one."""
        if self._publisher is not None and self._text:
            message = StringStamped(data=self._text)
            message.header.stamp = self._node.get_clock().now().to_msg()
            self._publisher.publish(message)
