"""Node: joint states in, the robot's frames out; robot_state_publisher's place in a system.

Subscribes ``joint_states`` (sensor_msgs/JointState) and ``multi_dof_joint_states``
(sensor_msgs/MultiDOFJointState, for planar and floating joints); publishes ``/tf``, latched
``/tf_static`` and latched ``robot_description``. Every joint message is answered by one TFMessage
with the stamp of the joint message and the frames that it moves.
"""

from __future__ import annotations

import sys
import threading
import time
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray
from rclpy.clock import Clock, ClockType, JumpThreshold
from rclpy.duration import Duration
from rclpy.node import Node
from rclpy.publisher import Publisher
from rclpy.qos import QoSProfile, ReliabilityPolicy
from rclpy.subscription import Subscription
from rclpy.timer import Timer
from sensor_msgs.msg import JointState, MultiDOFJointState
from std_msgs.msg import String
from tf2_msgs.msg import TFMessage

from rigid_tree_kinematics.errors import ConfigurationError, RigidTreeError
from rigid_tree_kinematics.kinematics.joint_positions import (
    PLANS_KEPT,
    Frames,
    JointPositions,
    MovedFrames,
)
from rigid_tree_kinematics.nodes.common.joint_state_reader import JointReading, JointStateReader
from rigid_tree_kinematics.nodes.common.multi_dof_reader import multi_dof_reading
from rigid_tree_kinematics.nodes.common.parameters import (
    declare_flag,
    declare_number,
    declare_text,
    number,
    on_parameter_change,
)
from rigid_tree_kinematics.nodes.common.process import run_node
from rigid_tree_kinematics.nodes.common.raw_subscription import RawSubscription
from rigid_tree_kinematics.nodes.common.robot_source import (
    DESCRIPTION_TOPIC,
    LATCHED,
    ROBOT_DESCRIPTION_HELP,
    ROBOT_HELP,
    RobotDescription,
    chosen_robot,
    described_robot,
)
from rigid_tree_kinematics.nodes.tf.frame_messages import FrameMessage

NAME = "tree_state_publisher"

# Sensor data (best effort), but with a queue that outlasts a pause of the machine: at 1 kHz the
# five messages of the sensor-data profile are full after 5 ms.
JOINT_STATES_QOS = QoSProfile(depth=1000, reliability=ReliabilityPolicy.BEST_EFFORT)
TF_QOS = QoSProfile(depth=100)  # as tf2_ros does

HIGHEST_FREQUENCY = 100_000.0  # Hz
MISSING_JOINTS_AFTER = 3.0  # s without a joint's position before it is worth a word
WARNING_PERIOD = 5.0  # s between two warnings of one kind
NANOSECONDS = 1_000_000_000
NEVER = -(2**62)  # a stamp before all others, ns


class TreeStatePublisher(Node):
    """The node. Raises a RigidTreeError or a parameter exception if it cannot start."""

    def __init__(self) -> None:
        super().__init__(NAME)
        self._description: RobotDescription | None = None
        self._positions: JointPositions | None = None
        self._messages: dict[bytes, FrameMessage] = {}  # by the rows of the bodies that move
        self._stamps = np.empty(0, dtype=np.int64)  # of the last frames of each body, ns
        self._last_arrival = 0
        self._reported_names: set[str] = set()
        self._reader = JointStateReader()
        # Joint states arrive in a thread of their own, everything else in the executor's.
        self._lock = threading.RLock()
        self._steady = Clock(clock_type=ClockType.STEADY_TIME)
        self._missing_timer: Timer | None = None
        self._description_publisher: Publisher | None = None
        self._description_subscription: Subscription | None = None
        self._accepted: RobotDescription | None = None  # by a parameter, not yet in use
        self._silence_reported = False

        text = declare_text(self, "robot_description", "", ROBOT_DESCRIPTION_HELP)
        robot = declare_text(self, "robot", "", ROBOT_HELP)
        self._set_rate(
            declare_number(
                self,
                "publish_frequency",
                0.0,
                "Highest rate of a joint's frames on /tf, Hz, by the stamps of the joint states. "
                "0: every joint state is published.",
                0.0,
                HIGHEST_FREQUENCY,
            )
        )
        self._prefix = declare_text(
            self, "frame_prefix", "", "Put in front of every frame name, such as 'left/'."
        )
        self._ignore_timestamp = declare_flag(
            self,
            "ignore_timestamp",
            False,
            "Publish every joint state, also one whose stamp is older than the last one's or "
            "follows sooner than publish_frequency allows.",
        )
        described = chosen_robot(text, robot)

        self._tf = self.create_publisher(TFMessage, "/tf", TF_QOS)
        self._tf_static = self.create_publisher(TFMessage, "/tf_static", LATCHED)
        if described is not None:
            self._use(described)
            self._publish_description(described.urdf)
        else:
            self._await_description()
        on_parameter_change(self, self._refusal, self._apply)
        self._forget_on_clock_jump()
        self._joint_states = RawSubscription(
            self, JointState, "joint_states", self._on_joint_state, JOINT_STATES_QOS
        )
        self.create_subscription(
            MultiDOFJointState,
            "multi_dof_joint_states",
            self._on_multi_dof_joint_state,
            JOINT_STATES_QOS,
        )
        self._joint_states.start()

    def destroy_node(self) -> None:
        """End the thread that listens, then the node."""
        self._joint_states.stop()
        super().destroy_node()

    # -- joint states ----------------------------------------------------------------------------

    def _on_joint_state(self, data: bytes) -> None:
        with self._lock:
            if self._positions is not None:
                self._publish(self._reader.read(data), "joint_states")

    def _on_multi_dof_joint_state(self, message: MultiDOFJointState) -> None:
        topic = "multi_dof_joint_states"
        with self._lock:
            if self._description is None:
                return
            try:
                reading = multi_dof_reading(message, self._description.tree)
            except ConfigurationError as error:
                self._refuse(topic, error)
                return
            self._publish(reading, topic)

    def _publish(self, reading: JointReading, topic: str) -> None:
        """Publish the frames that a reading moves, unless they are known and younger."""
        positions = self._positions
        assert positions is not None
        if len(reading.names) != len(reading.positions):
            counts = f"{len(reading.names)} names, but {len(reading.positions)} positions"
            self._refuse(topic, counts)
            return
        try:
            moved = positions.moved_by(reading.names)
            if moved.unknown:
                self._report_unknown(moved.unknown, topic)
            stamp = reading.seconds * NANOSECONDS + reading.nanoseconds
            if not moved.joints or not self._is_due(moved, stamp):
                return
            poses = positions.update(moved, reading.positions)
        except ConfigurationError as error:
            self._refuse(topic, error)
            return
        message = self._message(moved.rows, moved.frames)
        self._tf.publish(message.encode(reading.seconds, reading.nanoseconds, poses))
        self._stamps[moved.rows] = stamp

    def _is_due(self, moved: MovedFrames, stamp: int) -> bool:
        """Return whether a stamp (ns) is as new as the rate asks, for one of the joints."""
        arrival = time.time_ns()
        if arrival < self._last_arrival:
            self._forget_stamps("the system clock")
        self._last_arrival = arrival
        if self._ignore_timestamp:
            return True
        return bool(stamp - self._interval >= self._stamps[moved.rows].min())

    def _refuse(self, topic: str, reason: object) -> None:
        self.get_logger().warning(
            f"refused a message on {self.resolve_topic_name(topic)}: {reason}",
            throttle_duration_sec=WARNING_PERIOD,
        )

    def _report_unknown(self, names: tuple[str, ...], topic: str) -> None:
        """Name joints that the robot does not have, each once."""
        new = [name for name in names if name not in self._reported_names]
        if new:
            self._reported_names.update(new)
            self.get_logger().warning(
                f"{self.resolve_topic_name(topic)} names joints that the robot does not have; "
                f"they are ignored: {', '.join(new)}"
            )

    def _forget_stamps(self, clock: str) -> None:
        """Let every joint be published again, whatever the stamps were."""
        with self._lock:
            if (self._stamps > NEVER).any():
                self.get_logger().warning(f"{clock} went back; all joints are published anew")
                self._stamps[:] = NEVER

    def _forget_on_clock_jump(self) -> None:
        threshold = JumpThreshold(
            min_forward=None, min_backward=Duration(nanoseconds=-1), on_clock_change=True
        )
        self._jump_handle = self.get_clock().create_jump_callback(
            threshold, post_callback=lambda _: self._forget_stamps("the ROS clock")
        )

    # -- the robot -------------------------------------------------------------------------------

    def _use(self, description: RobotDescription) -> None:
        """Take a robot that has been read without error, in the place of the one before."""
        positions = JointPositions(description.tree)
        with self._lock:
            self._description, self._positions = description, positions
            self._messages.clear()
            self._stamps = np.full(len(positions.compiled.body_names), NEVER)
            self._reported_names.clear()
            self._warm_up(positions)
        self._publish_static()
        self._watch_for_missing_joints()
        for warning in description.warnings:
            self.get_logger().warning(warning)
        self.get_logger().info(
            f"robot '{description.tree.name}' from {description.origin}: "
            f"{len(positions.unheard)} moving joints, {len(positions.static_rows)} fixed; "
            f"listening on {self.resolve_topic_name('joint_states')}"
        )

    def _warm_up(self, positions: JointPositions) -> None:
        """Make what the first full message needs, so that it is not late."""
        moved = positions.moved_by(positions.position_names)
        self._message(moved.rows, moved.frames).encode(0, 0, np.zeros((len(moved.rows), 7)))

    def _message(self, rows: NDArray[np.intp], frames: Frames) -> FrameMessage:
        """Return the message for these rows of the robot, with its place for the numbers."""
        key = rows.tobytes()
        message = self._messages.get(key)
        if message is None:
            if len(self._messages) >= PLANS_KEPT:
                self._messages.clear()
            prefix = self._prefix
            message = self._messages[key] = FrameMessage(
                [(prefix + parent, prefix + child) for parent, child in frames]
            )
        return message

    def _publish_static(self) -> None:
        positions = self._positions
        if positions is None:
            return
        rows = positions.static_rows
        seconds, nanoseconds = self.get_clock().now().seconds_nanoseconds()
        with self._lock:
            message = self._message(rows, positions.frames_of(rows))
            data = message.encode(seconds, nanoseconds, positions.static_poses())
        self._tf_static.publish(data)

    def _await_description(self) -> None:
        self._description_subscription = self.create_subscription(
            String, DESCRIPTION_TOPIC, self._on_description, LATCHED
        )
        self.get_logger().info(
            "neither parameter robot_description nor robot is given: waiting for the topic "
            f"{self.resolve_topic_name(DESCRIPTION_TOPIC)}"
        )

    def _on_description(self, message: String) -> None:
        topic = f"topic {self.resolve_topic_name(DESCRIPTION_TOPIC)}"
        try:
            self._use(described_robot(message.data, topic))
        except RigidTreeError as error:
            kept = f"; robot '{self._description.tree.name}' stays" if self._description else ""
            self.get_logger().error(f"refused the description: {error}{kept}")

    def _publish_description(self, text: str) -> None:
        """Publish the text, after an end to listening for somebody else's."""
        if self._description_subscription is not None:
            self.destroy_subscription(self._description_subscription)
            self._description_subscription = None
        if self._description_publisher is None:
            self._description_publisher = self.create_publisher(String, DESCRIPTION_TOPIC, LATCHED)
        self._description_publisher.publish(String(data=text))

    def _watch_for_missing_joints(self) -> None:
        if self._missing_timer is not None:
            self.destroy_timer(self._missing_timer)
        self._silence_reported = False
        self._missing_timer = self.create_timer(
            MISSING_JOINTS_AFTER, self._report_missing_joints, clock=self._steady
        )

    def _report_missing_joints(self) -> None:
        """Say once that nobody publishes joint states, and once which joints are missing."""
        assert self._positions is not None
        assert self._missing_timer is not None
        missing = self._positions.unheard
        topic = self.resolve_topic_name("joint_states")
        if missing and not self.count_publishers(topic):
            if not self._silence_reported:
                self.get_logger().warning(
                    f"nobody publishes {topic}: no frames for {len(missing)} moving joints"
                )
            self._silence_reported = True
            return
        self._missing_timer.cancel()
        if missing:
            self.get_logger().warning(
                f"no position yet for {len(missing)} joints on {topic}; their frames are not "
                f"published: {', '.join(missing)}"
            )

    # -- parameters ------------------------------------------------------------------------------

    def _refusal(self, changed: Mapping[str, Any]) -> str:
        """Return why a change of parameters is refused, or an empty string."""
        try:
            if "publish_frequency" in changed:
                number("publish_frequency", changed["publish_frequency"], 0.0, HIGHEST_FREQUENCY)
            if "robot_description" in changed or "robot" in changed:
                choice = changed.get("robot_description", ""), changed.get("robot", "")
                self._accepted = chosen_robot(*choice)
                if self._accepted is None:
                    return "empty: name another robot, or leave this one"
        except RigidTreeError as error:
            return str(error)
        return ""

    def _apply(self, changed: Mapping[str, Any]) -> None:
        if "publish_frequency" in changed:
            self._set_rate(float(changed["publish_frequency"]))
        self._ignore_timestamp = changed.get("ignore_timestamp", self._ignore_timestamp)
        if "frame_prefix" in changed:
            with self._lock:
                self._prefix = changed["frame_prefix"]
                self._messages.clear()
        if "robot_description" in changed or "robot" in changed:
            assert self._accepted is not None
            self._use(self._accepted)
            self._publish_description(self._accepted.urdf)
        elif "frame_prefix" in changed:
            self._publish_static()

    def _set_rate(self, frequency: float) -> None:
        self._interval = round(NANOSECONDS / frequency) if frequency > 0 else 0


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the node; return the exit code of the process."""
    return run_node(NAME, TreeStatePublisher, arguments)


if __name__ == "__main__":
    sys.exit(main())
