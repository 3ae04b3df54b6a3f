"""Sonar, bumpers, touch and versions, as naoqi_driver2's topics."""

from __future__ import annotations

from typing import Any, NamedTuple

from rclpy.node import Node
from rclpy.publisher import Publisher
from sensor_msgs.msg import Range
from std_msgs.msg import Header

from rigid_tree_nao import NaoError
from rigid_tree_nao import robot as nao
from rigid_tree_nao.nodes.robot import NaoRobot

try:  # optional: the older drivers' messages
    from naoqi_bridge_msgs.msg import Bumper, HandTouch, HeadTouch, StringStamped
except ImportError:
    Bumper = HandTouch = HeadTouch = StringStamped = None

SONAR_READINGS = 5  # for each published distance: 10 Hz
INFO_KEYS = (
    "RobotConfig/Head/FullHeadId",
    "Device/DeviceList/ChestBoard/BodyId",
    "RobotConfig/Body/Type",
    nao.BASE_VERSION,
    "RobotConfig/Body/Device/LeftArm/Version",
    "RobotConfig/Body/Device/RightArm/Version",
    "RobotConfig/Body/Device/Hand/Left/Version",
    "RobotConfig/Body/Version",
    "RobotConfig/Body/SoftwareRequirement",
    "RobotConfig/Body/Device/Legs/Version",
)
# Of NAO's sonars (Aldebaran, NAOqi documentation, "Sonars"): m, and rad.
NEAREST, FARTHEST, CONE = 0.25, 2.55, 0.523598776


class _TouchSensor(NamedTuple):
    """A bumper or touch sensor: its topic, and its two messages."""

    publisher: Publisher[Any]
    pressed: Any
    released: Any


class SensorTopics:
    """Publishes sensor values, from the thread that reads the robot's state."""

    def __init__(self, node: Node, robot: NaoRobot, frame_prefix: str) -> None:
        self._node = node
        self._robot = robot
        self._prefix = frame_prefix
        self._sonars = {
            side: node.create_publisher(Range, f"sonar/{side.lower()}", 10) for side in nao.SONAR
        }
        self._touch_sensors: list[_TouchSensor] = []  # in the order of NaoState.touched
        if Bumper is not None:
            for topic, kind, field, first, sensors in (
                ("bumper", Bumper, "bumper", Bumper.RIGHT, nao.BUMPERS),
                ("hand_touch", HandTouch, "hand", HandTouch.RIGHT_BACK, nao.HAND_SENSORS),
                ("head_touch", HeadTouch, "button", HeadTouch.BUTTON_FRONT, nao.HEAD_SENSORS),
            ):
                publisher = node.create_publisher(kind, topic, 10)
                for number in range(len(sensors)):
                    pressed, released = (
                        kind(**{field: first + number, "state": state})
                        for state in (kind.STATE_PRESSED, kind.STATE_RELEASED)
                    )
                    self._touch_sensors.append(_TouchSensor(publisher, pressed, released))
        self._touched: tuple[bool, ...] = ()
        self._readings = 0
        self._measures_distances = False

    def reset(self) -> None:
        """Drop the measurements before the loss of the connection."""
        self._touched, self._measures_distances = (), False

    def publish(self, state: nao.NaoState) -> None:
        """Publish changed values, and every fifth distance."""
        before = self._touched or (False,) * len(state.touched)
        if state.touched != before:
            rows = zip(self._touch_sensors, before, state.touched, strict=False)
            for sensor, was_touched, is_touched in rows:
                if was_touched != is_touched:
                    message = sensor.pressed if is_touched else sensor.released
                    sensor.publisher.publish(message)
        self._touched = state.touched
        self._readings += 1
        if self._readings % SONAR_READINGS:
            return
        for (side, publisher), distance in zip(self._sonars.items(), state.ranges, strict=True):
            if publisher.get_subscription_count():
                if not self._measures_distances:  # before NAOqi 2.9, for subscribers only
                    self._measures_distances = True
                    self._robot.connection.call("ALSonar", "subscribe", "nao_bridge")
                publisher.publish(self._range(side, distance))

    def _range(self, side: str, distance: float) -> Range:
        header = Header(frame_id=f"{self._prefix}{side[0]}Sonar_frame")
        header.stamp = self._node.get_clock().now().to_msg()
        return Range(
            header=header,
            radiation_type=Range.ULTRASOUND,
            field_of_view=CONE,
            min_range=NEAREST,
            max_range=FARTHEST,
            range=distance,
        )


class InfoTopic:
    """Kind and versions of the robot as one text, read once for each connection."""

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
            values = ask("ALMemory", "getListData", list(INFO_KEYS), timeout=patience)
        except NaoError:
            return
        texts = ("" if value is None else value for value in values)
        self._text = " ; ".join(
            f"{key}: {value}" for key, value in zip(INFO_KEYS, texts, strict=True)
        )

    def publish(self) -> None:
        """Publish the text, if there is one."""
        if self._publisher is not None and self._text:
            message = StringStamped(data=self._text)
            message.header.stamp = self._node.get_clock().now().to_msg()
            self._publisher.publish(message)
