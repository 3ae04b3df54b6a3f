"""The robot's state as topics: joint states, odometry, frames and sensors."""

from __future__ import annotations

import threading
import time

from nav_msgs.msg import Odometry
from rclpy.node import Node
from sensor_msgs.msg import BatteryState, Imu, JointState
from std_msgs.msg import Bool
from tf2_msgs.msg import TFMessage

from rigid_tree_kinematics.nao import NaoError, NoRobotConnectionError
from rigid_tree_kinematics.nao.robot import RobotHealth, RobotState, StateReader
from rigid_tree_kinematics.nodes.nao.robot import NaoRobot
from rigid_tree_kinematics.nodes.nao.state.parameters import BridgeSettings
from rigid_tree_kinematics.nodes.nao.state.sensors import SensorTopics
from rigid_tree_kinematics.nodes.nao.state.state_messages import StateMessages
from rigid_tree_kinematics.nodes.tf import TF_QOS

HEALTH_PERIOD = 0.5  # s
ABSENT_PERIOD = 0.05  # s between two checks of the connection while there is none


class StatePublisher:
    """Reads and publishes the robot's state in a thread of its own, from ``start`` to ``stop``."""

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
        self._stopped = threading.Event()
        self._thread = threading.Thread(target=self._run, name="state", daemon=True)

    def start(self) -> None:
        """Start to read and to publish."""
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
                self._sensors.forget()
            try:
                self._publish(self._read())
                if self._reader.is_still:
                    self._robot.detect_walk_end(self._settings.patience)
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
            # Cheaper than the wait of an Event, 50 times a second.
            time.sleep(max(due - time.monotonic(), 0.0))

    def _read(self) -> RobotState:
        robot = self._robot
        walks = robot.walk.is_walking
        return self._reader.read(walks or robot.was_called_recently, walks)

    def _publish(self, state: RobotState) -> None:
        self._robot.state = state
        stamp = self._node.get_clock().now().seconds_nanoseconds()
        messages = self._messages
        self._joints.publish(messages.joints(state, stamp))
        self._frames.publish(messages.frames(state, stamp))
        # Messages without subscribers are not built.
        if self._odometry.get_subscription_count():
            self._odometry.publish(messages.odometry(state, stamp))
        if self._imu.get_subscription_count():
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
