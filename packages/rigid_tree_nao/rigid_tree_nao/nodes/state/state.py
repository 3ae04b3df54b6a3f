"""The robot's state as topics: joint states, odometry, frames and sensors."""

import time
from collections.abc import Sequence

import numpy as np
from builtin_interfaces.msg import Time
from geometry_msgs.msg import Point, Pose, Quaternion, TransformStamped, Vector3
from nav_msgs.msg import Odometry
from rclpy.node import Node
from rclpy.qos import QoSProfile
from sensor_msgs.msg import BatteryState, Imu, JointState
from std_msgs.msg import Bool, Header
from tf2_msgs.msg import TFMessage

from rigid_tree_kinematics.arrays import Array
from rigid_tree_kinematics.model.transforms import matrix_quaternion
from rigid_tree_kinematics.nodes.base import Ticker
from rigid_tree_nao import NaoError, NoRobotConnectionError
from rigid_tree_nao.nodes.parameters import BridgeSettings
from rigid_tree_nao.nodes.robot import NaoRobot
from rigid_tree_nao.nodes.state.sensors import SensorTopics
from rigid_tree_nao.robot import NaoHealth, NaoState, StateReader, footprint

HEALTH_PERIOD = 0.5  # s
TF_QOS = QoSProfile(depth=100)  # as tf2_ros does


class StatePublisher:
    """Reads and publishes the robot's state in its own thread, from ``start`` to ``stop``."""

    def __init__(self, node: Node, robot: NaoRobot, settings: BridgeSettings) -> None:
        self._node = node
        self._robot = robot
        self._settings = settings
        self._reader = StateReader(robot.body, robot.connection, settings.patience)
        self._sensors = SensorTopics(node, robot, settings.frame_prefix)
        self._messages = StateMessages(robot.body.joint_names, settings)
        self._joints = node.create_publisher(JointState, "joint_states", 10)
        self._odometry = node.create_publisher(Odometry, "odom", 10)
        self._imu = node.create_publisher(Imu, "imu/torso", 10)
        self._stiffness = node.create_publisher(JointState, "joint_stiffnesses", 10)
        self._battery = node.create_publisher(BatteryState, "battery", 10)
        self._contact = node.create_publisher(Bool, "foot_contact", 10)
        self._frames = node.create_publisher(TFMessage, "/tf", TF_QOS)
        self._connections = 0  # at the last reading
        self._next_health = 0.0
        self._ticker = Ticker(node, 1.0 / settings.rate, self._read_and_publish)

    def start(self) -> None:
        """Start the thread."""
        self._ticker.start()

    def stop(self) -> None:
        """Stop the thread, and wait for its last reading."""
        self._ticker.stop()

    def _read_and_publish(self) -> None:
        connection = self._robot.connection.state
        if not connection.is_connected:
            self._robot.state = self._robot.health = None
            return
        if connection.connections != self._connections:
            self._connections = connection.connections
            self._reader.reset()
            self._sensors.reset()
        try:
            walks = self._robot.walk.is_walking
            calls = walks or self._robot.was_called_recently
            inertial = self._imu.get_subscription_count() > 0
            self._publish(self._reader.read(calls, walks, inertial), inertial)
            if self._reader.is_still:
                self._robot.detect_walk_end(self._settings.patience)
            if time.monotonic() >= self._next_health:
                self._next_health = time.monotonic() + HEALTH_PERIOD
                self._publish_health(self._reader.read_health())
        except NoRobotConnectionError as error:
            self._robot.connection.give_up(str(error))
        except NaoError as error:
            self._node.get_logger().error(
                f"reading the robot's state failed: {error}", throttle_duration_sec=5.0
            )

    def _publish(self, state: NaoState, inertial: bool) -> None:
        self._robot.state = state
        stamp = self._node.get_clock().now().to_msg()
        messages = self._messages
        self._joints.publish(messages.joints(state, stamp))
        self._frames.publish(messages.frames(state, stamp))
        # Messages without subscribers are not built.
        if self._odometry.get_subscription_count():
            self._odometry.publish(messages.odometry(state, stamp))
        if inertial:
            self._imu.publish(messages.imu(state, stamp))
        self._sensors.publish(state)

    def _publish_health(self, health: NaoHealth) -> None:
        self._robot.health = health
        stamp = self._node.get_clock().now().to_msg()
        assert self._robot.state is not None
        present = list(self._robot.state.present)
        names = self._robot.body.joint_names
        stiffness = JointState(name=[names[place] for place in present])
        stiffness.header.stamp = stamp
        stiffness.effort = self._robot.state.stiffnesses[present].tolist()
        self._stiffness.publish(stiffness)
        battery = BatteryState(percentage=health.battery, present=True)
        battery.header.stamp = stamp
        battery.voltage = battery.current = battery.charge = float("nan")
        battery.capacity = battery.design_capacity = battery.temperature = float("nan")
        self._battery.publish(battery)
        self._contact.publish(Bool(data=health.has_foot_contact))


class StateMessages:
    """Makes the messages of every reading; the joints are in the order of "Body"."""

    def __init__(self, joints: Sequence[str], settings: BridgeSettings) -> None:
        self._names = tuple(joints)
        prefix = settings.frame_prefix
        self._torso, self._footprint = f"{prefix}torso", f"{prefix}base_footprint"
        self._base, self._odom = f"{prefix}base_link", f"{prefix}{settings.odom_frame}"
        self._posed: NaoState | None = None  # the state of _T_base_footprint
        self._T_base_footprint: Array = np.eye(4)

    def joints(self, state: NaoState, stamp: Time) -> JointState:
        """Return the states of the joints that the robot has."""
        present = list(state.present)
        message = JointState(name=[self._names[place] for place in present])
        message.header.stamp = stamp
        message.position = state.angles[present].tolist()
        message.velocity = state.velocities[present].tolist()
        message.effort = state.currents[present].tolist()
        return message

    def frames(self, state: NaoState, stamp: Time) -> TFMessage:
        """Return base_link in odom, and base_footprint in base_link."""
        T_base_footprint = self._footprint_of(state)
        frames = (
            (self._odom, self._base, state.T_odom_torso),
            (self._base, self._footprint, T_base_footprint),
        )
        message = TFMessage()
        for parent, child, T in frames:
            stamped = TransformStamped(child_frame_id=child)
            stamped.header = Header(frame_id=parent, stamp=stamp)
            stamped.transform.translation = Vector3(**_coordinates(T))
            stamped.transform.rotation = _turn(matrix_quaternion(T))
            message.transforms.append(stamped)
        return message

    def _footprint_of(self, state: NaoState) -> Array:
        """Return T_base_footprint; that of the last state while nothing moves."""
        last = self._posed
        if (
            last is None
            or state.T_odom_torso is not last.T_odom_torso
            or state.angles is not last.angles
        ):
            self._T_base_footprint = footprint(state.body, state.angles, state.T_odom_torso)
        self._posed = state
        return self._T_base_footprint

    def odometry(self, state: NaoState, stamp: Time) -> Odometry:
        """Return the pose of base_link in odom, and the velocity of the walk."""
        message = Odometry(child_frame_id=self._base)
        message.header = Header(frame_id=self._odom, stamp=stamp)
        T, twist = state.T_odom_torso, message.twist.twist
        message.pose.pose = Pose(
            position=Point(**_coordinates(T)), orientation=_turn(matrix_quaternion(T))
        )
        twist.linear.x, twist.linear.y, twist.angular.z = map(float, state.walk_velocity)
        return message

    def imu(self, state: NaoState, stamp: Time) -> Imu:
        """Return the values of the inertial unit."""
        message = Imu(orientation=_turn(state.inclination_quaternion))
        message.header = Header(frame_id=self._torso, stamp=stamp)
        rate, pull = message.angular_velocity, message.linear_acceleration
        rate.x, rate.y, rate.z = map(float, state.rotation)
        pull.x, pull.y, pull.z = map(float, state.acceleration)
        return message


def _coordinates(T: Array) -> dict[str, float]:
    """Return the translation of a 4x4 by axis."""
    return dict(zip("xyz", T[:3, 3].tolist(), strict=True))


def _turn(quaternion: Sequence[float] | Array) -> Quaternion:
    """Return x y z w as a message."""
    x, y, z, w = map(float, quaternion)
    return Quaternion(x=x, y=y, z=z, w=w)
