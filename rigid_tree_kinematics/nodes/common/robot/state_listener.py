"""The joint states of a node's robot, read a hundred times a second."""

import threading
import time
from collections.abc import Callable

import numpy as np
from rclpy.node import Node
from rclpy.qos import QoSProfile, ReliabilityPolicy, qos_profile_sensor_data
from sensor_msgs.msg import JointState, MultiDOFJointState

from rigid_tree_kinematics.errors import ConfigurationError
from rigid_tree_kinematics.nodes.common.process import (
    WARNING_PERIOD,
    PolledSubscription,
    Ticker,
)
from rigid_tree_kinematics.nodes.common.requests import SECOND, StampCheck, nanoseconds_of
from rigid_tree_kinematics.nodes.common.robot.current_state import CurrentState
from rigid_tree_kinematics.nodes.common.robot.joint_reading import JointReading, joint_reading
from rigid_tree_kinematics.nodes.common.robot.usable_positions import UsablePositions

PERIOD = 0.01  # s
# Sensor data, with a queue that lasts 0.1 s at 1 kHz: a busy machine delays readings.
JOINT_STATES_QOS = QoSProfile(depth=100, reliability=ReliabilityPolicy.BEST_EFFORT)


class StateListener:
    """Updates the state of a robot from its topics, in a thread of its own.

    Of the messages with the same joints since the last reading, the newest is used.
    """

    def __init__(self, node: Node) -> None:
        self._node = node
        self._stamp_check = StampCheck(node)
        self._lock = threading.Lock()  # on readings
        self._state: CurrentState | None = None
        self._usable: UsablePositions | None = None
        self._joint_states = PolledSubscription(node, JointState, "joint_states", JOINT_STATES_QOS)
        self._ticker = Ticker(node, PERIOD, self.read)

    def start(self) -> None:
        """Start reading."""
        self._node.create_subscription(
            MultiDOFJointState,
            "multi_dof_joint_states",
            self._on_poses,
            qos_profile_sensor_data,
        )
        self._ticker.start()

    def stop(self) -> None:
        """Stop reading, and wait for the last one."""
        self._ticker.stop()

    def update(self, state: CurrentState, usable: UsablePositions) -> None:
        """Update this state from now on, with the usable positions of its robot."""
        with self._lock:
            self._state, self._usable = state, usable

    def read(self) -> None:
        """Read the joint states that have arrived."""
        with self._lock:
            newest: dict[tuple[str, ...], JointState] = {}
            for message in self._joint_states.take():
                if self._is_complete(message):
                    newest[tuple(message.name)] = message
                else:  # it must not replace another one
                    self._use_joints(message)
            for message in newest.values():
                self._use_joints(message)

    def _is_complete(self, message: JointState) -> bool:
        """Return whether a message has a finite position of each joint, and a plausible stamp."""
        return (
            len(message.name) == len(message.position)
            and bool(np.isfinite(message.position).all())
            and not self._stamp_check.problem(nanoseconds_of(message.header.stamp))
        )

    def _use_joints(self, message: JointState) -> None:
        topic = "joint_states"
        self._use(topic, lambda usable: usable.of(joint_reading(message), topic))

    def _on_poses(self, message: MultiDOFJointState) -> None:
        topic = "multi_dof_joint_states"
        with self._lock:
            self._use(topic, lambda usable: usable.of_poses(message, topic))

    def _use(self, topic: str, read: Callable[[UsablePositions], JointReading]) -> None:
        """Use a message's positions, or log why they are rejected."""
        if self._state is None or self._usable is None:
            return
        try:
            reading = read(self._usable)
            if problem := self._stamp_check.problem(reading.stamp):
                raise ConfigurationError(problem)
            self._state.update(
                reading.names, reading.positions, reading.stamp / SECOND, time.monotonic()
            )
        except Exception as error:
            self._node.get_logger().warning(
                f"rejected a message on {self._node.resolve_topic_name(topic)}: {error}",
                throttle_duration_sec=WARNING_PERIOD,
            )
