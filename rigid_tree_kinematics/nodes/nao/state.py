"""The robot's state as topics: joint states, odometry, frames and sensors."""

from __future__ import annotations

import threading
import time
from collections.abc import Sequence

import numpy as np
from geometry_msgs.msg import Quaternion, TransformStamped, Vector3
from nav_msgs.msg import Odometry
from rclpy.node import Node
from sensor_msgs.msg import BatteryState, Imu, JointState
from std_msgs.msg import Bool
from tf2_ros import TransformBroadcaster

from rigid_tree_kinematics.model.transforms import Array, matrix_quaternion
from rigid_tree_kinematics.nao.errors import NaoError, NoRobotConnectionError
from rigid_tree_kinematics.nao.robot_state import RobotHealth, RobotState, StateReader, footprint
from rigid_tree_kinematics.nodes.nao.parameters import BridgeSettings
from rigid_tree_kinematics.nodes.nao.robot import NaoRobot

HEALTH_PERIOD = 0.5  # s
ABSENT_PERIOD = 0.05  # s between two checks of the connection while there is none


class StatePublisher:
    """Reads and publishes the robot's state in a thread of its own, from ``start`` to ``stop``."""

    def __init__(self, node: Node, robot: NaoRobot, settings: BridgeSettings) -> None:
        self._node = node
        self._robot = robot
        self._settings = settings
        self._reader = StateReader(robot.body, robot.connection, settings.patience)
        self._joints = node.create_publisher(JointState, "joint_states", 10)
        self._odometry = node.create_publisher(Odometry, "odom", 10)
        self._imu = node.create_publisher(Imu, "imu/torso", 10)
        self._stiffness = node.create_publisher(JointState, "joint_stiffnesses", 10)
        self._battery = node.create_publisher(BatteryState, "battery", 10)
        self._contact = node.create_publisher(Bool, "foot_contact", 10)
        self._frames = TransformBroadcaster(node)
        self._stopped = threading.Event()
        self._thread = threading.Thread(target=self._run, name="state", daemon=True)

    def start(self) -> None:
        """Begin to read and to publish."""
        self._thread.start()

    def stop(self) -> None:
        """Stop; nothing is published after the return."""
        self._stopped.set()
        if self._thread.is_alive():
            self._thread.join()

    def _run(self) -> None:
        try:
            self._read_and_publish()
        except Exception:
            # Ctrl-C may invalidate the publishers at any moment.
            if self._node.context.ok():
                raise

    def _read_and_publish(self) -> None:
        period = 1.0 / self._settings.rate
        due = next_health = time.monotonic()
        connections = 0
        while not self._stopped.is_set():
            connection = self._robot.connection.state
            if not connection.is_connected:
                self._robot.state = self._robot.health = None
                self._stopped.wait(ABSENT_PERIOD)
                continue
            if connection.connections != connections:
                connections = connection.connections
                self._reader.forget()
            try:
                self._publish(self._reader.read())
                if time.monotonic() >= next_health:
                    next_health = time.monotonic() + HEALTH_PERIOD
                    self._publish_health(self._reader.read_health())
            except NoRobotConnectionError as error:
                self._robot.connection.give_up(str(error))
                self._stopped.wait(ABSENT_PERIOD)
            except NaoError as error:
                self._node.get_logger().error(
                    f"reading the robot's state failed: {error}", throttle_duration_sec=5.0
                )
                self._stopped.wait(period)
            due = max(due + period, time.monotonic() - period)
            self._stopped.wait(max(due - time.monotonic(), 0.0))

    def _publish(self, state: RobotState) -> None:
        self._robot.state = state
        stamp = self._node.get_clock().now().to_msg()
        joints = JointState()
        joints.header.stamp = stamp
        joints.name = list(self._robot.body.joint_names)
        joints.position = state.angles.tolist()
        joints.velocity = state.velocities.tolist()
        joints.effort = state.currents.tolist()
        self._joints.publish(joints)

        prefix, odom = self._settings.frame_prefix, self._settings.odom_frame
        base = f"{prefix}base_link"
        T_torso_footprint = footprint(self._robot.body, state.angles, state.T_odom_torso)
        self._frames.sendTransform(
            [
                _transform(state.T_odom_torso, stamp, f"{prefix}{odom}", base),
                _transform(T_torso_footprint, stamp, base, f"{prefix}base_footprint"),
            ]
        )
        odometry = Odometry(child_frame_id=base)
        odometry.header.stamp, odometry.header.frame_id = stamp, f"{prefix}{odom}"
        position = odometry.pose.pose.position
        position.x, position.y, position.z = state.T_odom_torso[:3, 3].tolist()
        odometry.pose.pose.orientation = _quaternion(matrix_quaternion(state.T_odom_torso))
        twist = odometry.twist.twist
        twist.linear.x, twist.linear.y, twist.angular.z = state.walk_velocity
        self._odometry.publish(odometry)

        imu = Imu()
        imu.header.stamp, imu.header.frame_id = stamp, f"{prefix}torso"
        imu.orientation = _quaternion(state.inclination_quaternion)
        imu.angular_velocity = _vector(state.rotation)
        imu.linear_acceleration = _vector(state.acceleration)
        self._imu.publish(imu)

    def _publish_health(self, health: RobotHealth) -> None:
        self._robot.health = health
        stamp = self._node.get_clock().now().to_msg()
        assert self._robot.state is not None
        stiffness = JointState(name=list(self._robot.body.joint_names))
        stiffness.header.stamp = stamp
        stiffness.effort = self._robot.state.stiffnesses.tolist()
        self._stiffness.publish(stiffness)
        battery = BatteryState(percentage=health.battery, present=True)
        battery.header.stamp = stamp
        battery.voltage = battery.current = battery.charge = float("nan")
        battery.capacity = battery.design_capacity = battery.temperature = float("nan")
        self._battery.publish(battery)
        self._contact.publish(Bool(data=health.stands))


def _transform(T: Array, stamp: object, parent: str, child: str) -> TransformStamped:
    message = TransformStamped(child_frame_id=child)
    message.header.stamp, message.header.frame_id = stamp, parent
    message.transform.translation = _vector(T[:3, 3])
    message.transform.rotation = _quaternion(matrix_quaternion(T))
    return message


def _vector(values: Sequence[float] | np.ndarray) -> Vector3:
    x, y, z = (float(value) for value in values)
    return Vector3(x=x, y=y, z=z)


def _quaternion(values: Array) -> Quaternion:
    x, y, z, w = (float(value) for value in values)
    return Quaternion(x=x, y=y, z=z, w=w)
