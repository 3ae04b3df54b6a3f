"""The robot's state as topics: joint states, odometry, frames and sensors."""

import time
from collections.abc import Sequence

import numpy as np
from nav_msgs.msg import Odometry
from rclpy.node import Node
from sensor_msgs.msg import BatteryState, Imu, JointState
from std_msgs.msg import Bool
from tf2_msgs.msg import TFMessage

from rigid_tree_kinematics.arrays import Array
from rigid_tree_kinematics.model.transforms import matrix_quaternion
from rigid_tree_kinematics.nodes.common.fast import JointStateMessage, ReadyMessage
from rigid_tree_kinematics.nodes.common.process import Ticker
from rigid_tree_kinematics.nodes.tf import POSE, TF_QOS, FrameMessage
from rigid_tree_nao import NaoError, NoRobotConnectionError
from rigid_tree_nao.nodes.robot import BridgeSettings, NaoRobot
from rigid_tree_nao.nodes.state.sensors import SensorTopics
from rigid_tree_nao.robot import RobotHealth, RobotState, StateReader, footprint

HEALTH_PERIOD = 0.5  # s


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
        self.start, self.stop = self._ticker.start, self._ticker.stop

    def _read_and_publish(self) -> None:
        connection = self._robot.connection.state
        if not connection.is_connected:
            self._robot.state = self._robot.health = None
            return
        if connection.connections != self._connections:
            self._connections = connection.connections
            self._reader.forget()
            self._sensors.forget()
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

    def _publish(self, state: RobotState, inertial: bool) -> None:
        self._robot.state = state
        stamp = self._node.get_clock().now().seconds_nanoseconds()
        messages = self._messages
        self._joints.publish(messages.joints(state, stamp))
        self._frames.publish(messages.frames(state, stamp))
        # Messages without subscribers are not built.
        if self._odometry.get_subscription_count():
            self._odometry.publish(messages.odometry(state, stamp))
        if inertial:
            self._imu.publish(messages.imu(state, stamp))
        self._sensors.publish(state)

    def _publish_health(self, health: RobotHealth) -> None:
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
    """Makes the messages of every reading, serialized once and filled with new numbers.

    The joints are in the order of "Body".
    """

    def __init__(self, joints: Sequence[str], settings: BridgeSettings) -> None:
        self._body_names = list(joints)
        self._posed: RobotState | None = None  # the state of _poses
        self._poses = np.empty((2, POSE))
        prefix = settings.frame_prefix
        self._torso = f"{prefix}torso"
        self._base, self._odom = f"{prefix}base_link", f"{prefix}{settings.odom_frame}"
        self._present = list(range(len(self._body_names)))
        self._sources: tuple[Array | None, ...] = (None, None, None)  # of the numbers
        self._numbers = np.empty((3, len(self._body_names)))
        self._joints = JointStateMessage(self._body_names)
        self._odometry = ReadyMessage(self._odometry_of, 10)
        self._imu = ReadyMessage(self._imu_of, 10)
        self._frames = FrameMessage(
            [(self._odom, self._base), (self._base, f"{prefix}base_footprint")]
        )

    def joints(self, state: RobotState, stamp: tuple[int, int]) -> bytes | JointState:
        """Return the states of the joints that the robot has; ``stamp`` is in s and ns."""
        if self._present != list(state.present):
            self._present = list(state.present)
            names = [self._body_names[place] for place in self._present]
            self._joints = JointStateMessage(names)
            self._sources = (None, None, None)
        sources = (state.angles, state.velocities, state.currents)
        if any(new is not old for new, old in zip(sources, self._sources, strict=True)):
            self._numbers, self._sources = np.stack(sources)[:, self._present], sources
        return self._joints.encode(*stamp, self._numbers)

    def frames(self, state: RobotState, stamp: tuple[int, int]) -> bytes | TFMessage:
        """Return base_link in odom, and base_footprint in base_link."""
        return self._frames.encode(*stamp, self._poses_of(state))

    def odometry(self, state: RobotState, stamp: tuple[int, int]) -> bytes | Odometry:
        """Return the pose of base_link in odom, and the velocity of the walk."""
        return self._odometry.encode(
            *stamp, np.concatenate((self._poses_of(state)[0], state.walk_velocity))
        )

    def imu(self, state: RobotState, stamp: tuple[int, int]) -> bytes | Imu:
        """Return the values of the inertial unit."""
        numbers = (state.inclination_quaternion, state.rotation, state.acceleration)
        return self._imu.encode(*stamp, np.concatenate(numbers))

    def _poses_of(self, state: RobotState) -> Array:
        """Return the poses (2, 7) of ``frames``; those of the last state while nothing moves."""
        last = self._posed
        if (
            last is None
            or state.T_odom_torso is not last.T_odom_torso
            or state.angles is not last.angles
        ):
            T_torso_footprint = footprint(state.body, state.angles, state.T_odom_torso)
            self._poses = np.array([_pose(state.T_odom_torso), _pose(T_torso_footprint)])
        self._posed = state
        return self._poses

    def _odometry_of(self, seconds: int, nanoseconds: int, numbers: Sequence[float]) -> Odometry:
        message = Odometry(child_frame_id=self._base)
        message.header.frame_id = self._odom
        message.header.stamp.sec, message.header.stamp.nanosec = seconds, nanoseconds
        position, turn = message.pose.pose.position, message.pose.pose.orientation
        twist = message.twist.twist
        position.x, position.y, position.z = numbers[:3]
        turn.x, turn.y, turn.z, turn.w = numbers[3:7]
        twist.linear.x, twist.linear.y, twist.angular.z = numbers[7:]
        return message

    def _imu_of(self, seconds: int, nanoseconds: int, numbers: Sequence[float]) -> Imu:
        message = Imu()
        message.header.frame_id = self._torso
        message.header.stamp.sec, message.header.stamp.nanosec = seconds, nanoseconds
        turn, rate = message.orientation, message.angular_velocity
        pull = message.linear_acceleration
        turn.x, turn.y, turn.z, turn.w = numbers[:4]
        rate.x, rate.y, rate.z = numbers[4:7]
        pull.x, pull.y, pull.z = numbers[7:]
        return message


def _pose(T: Array) -> list[float]:
    """Return x y z qx qy qz qw of a 4x4."""
    return [*T[:3, 3].tolist(), *matrix_quaternion(T).tolist()]
