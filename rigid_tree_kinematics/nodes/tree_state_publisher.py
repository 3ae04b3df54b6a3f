"""Node: publishes the robot's frames from joint states, like robot_state_publisher.

Subscribes to ``joint_states`` (sensor_msgs/JointState) and ``multi_dof_joint_states``
(sensor_msgs/MultiDOFJointState, for planar and floating joints); publishes ``/tf``, and latched
``/tf_static``, ``robot_description`` and ``robot_home``, which URDF lacks. Each joint message
results in one TFMessage with the same stamp and the frames that it moves.
"""

from __future__ import annotations

import sys
import threading
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray
from rclpy.publisher import Publisher
from rclpy.qos import QoSProfile, ReliabilityPolicy
from rclpy.qos_overriding_options import QoSOverridingOptions
from rclpy.timer import Timer
from sensor_msgs.msg import JointState, MultiDOFJointState
from std_msgs.msg import String
from tf2_msgs.msg import TFMessage

from rigid_tree_kinematics.description import write_urdf
from rigid_tree_kinematics.errors import ConfigurationError
from rigid_tree_kinematics.model.transforms import matrix_quaternion, rpy_matrix
from rigid_tree_kinematics.nodes.common.process import (
    STEADY,
    WARNING_PERIOD,
    Parameters,
    PlainNode,
    at_start,
    on_parameter_change,
    parameter,
    run_node,
)
from rigid_tree_kinematics.nodes.common.requests import SECOND, StampCheck
from rigid_tree_kinematics.nodes.common.robot import (
    DESCRIPTION_TOPIC,
    HOME_TOPIC,
    LATCHED,
    SOURCE_PARAMETERS,
    JointReading,
    RobotDescription,
    RobotSource,
    UsablePositions,
)
from rigid_tree_kinematics.nodes.tf import (
    POSE,
    TF_QOS,
    FrameMessage,
    JointStateReader,
    RawSubscription,
)
from rigid_tree_kinematics.nodes.tf.joint_positions import (
    PLANS_CACHED,
    Frames,
    JointPositions,
    MovedFrames,
)

NAME = "tree_state_publisher"

# Sensor data (best effort), but with a queue that outlasts a pause of the machine: at 1 kHz the
# sensor-data profile's queue of five messages is full after 5 ms.
JOINT_STATES_QOS = QoSProfile(depth=1000, reliability=ReliabilityPolicy.BEST_EFFORT)

MISSING_JOINTS_AFTER = 3.0  # s without a joint's position before it is reported
NEVER = -(2**62)  # a stamp before all others, ns


Robot = tuple[RobotDescription, JointPositions]


@dataclass(frozen=True)
class PublisherSettings(Parameters):
    """The node's parameters, besides those that name its robot."""

    publish_frequency: float = parameter(
        0.0,
        "Maximum rate of a joint's frames on /tf, by the stamps of the joint states. 0: every "
        "joint state is published.",
        low=0.1,
        high=100_000.0,
        or_zero=True,
        unit="Hz",
    )
    frame_prefix: str = parameter("", "Prefix of every frame name, such as 'left/'.")
    parent_frame: str = at_start(
        "",
        "Parent frame of the robot's base, such as 'world'; it has no prefix. Empty: none.",
    )
    base_pose: tuple[float, ...] = at_start(
        (0.0, 0.0, 0.0, 0.0, 0.0, 0.0),
        "Pose of the base in parent_frame: x, y, z in m, roll, pitch, yaw in rad.",
    )
    meshes: str = at_start(
        "simple",
        "Shapes to draw. real: the manufacturer's meshes of the bundled Panda or UR5 in parameter "
        "robot, from the Python package example-robot-data.",
        choices=("simple", "real"),
    )
    ignore_timestamp: bool = parameter(
        False,
        "Publish every joint state, even if its stamp is older than the last one's or follows it "
        "sooner than publish_frequency allows.",
    )
    await_joint_states: bool = parameter(
        False,
        "Whether a source of joint states is also starting: warn only after its first message.",
    )
    stamp_jump: float = parameter(
        1.0,
        "A stamp that is older than the last one by more than this means that the clock was set "
        "back: the joint state is published.",
        low=0.0,
        high=3600.0,
        unit="s",
    )

    @cached_property
    def interval(self) -> int:
        """The minimum time between two published stamps, ns."""
        return round(SECOND / self.publish_frequency) if self.publish_frequency else 0

    @cached_property
    def base(self) -> NDArray[np.float64]:
        """The pose of the base in its parent: x y z qx qy qz qw."""
        turn = matrix_quaternion(rpy_matrix(*self.base_pose[3:]))
        return np.array([*self.base_pose[:3], *turn])

    def check(self) -> None:
        """Raise ConfigurationError unless the pose has six numbers."""
        if len(self.base_pose) != 6:
            count = len(self.base_pose)
            raise ConfigurationError(f"parameter 'base_pose' must have 6 numbers, not {count}")


class TreeStatePublisher(PlainNode):
    """The node. Raises a RigidTreeError or a parameter exception if it cannot start."""

    def __init__(self) -> None:
        super().__init__(NAME)
        self._description: RobotDescription | None = None
        self._positions: JointPositions | None = None
        self._messages: dict[bytes, FrameMessage] = {}  # by the rows of the bodies that move
        self._stamps = np.empty(0, dtype=np.int64)  # of the last frames of each body, ns
        self._newest = NEVER  # maximum of these
        self._stamp_check = StampCheck(self, self._reset_stamps)
        self._usable: UsablePositions | None = None
        self._reader = JointStateReader()
        # Joint states arrive in a thread of their own, everything else in the executor's.
        self._lock = threading.RLock()
        self._missing_timer: Timer | None = None
        self._description_publisher: Publisher[String] | None = None
        self._home_publisher: Publisher[JointState] | None = None
        self._silence_reported = False

        self._source: RobotSource[Robot] = RobotSource(self, self._read, self._use)
        self._settings = PublisherSettings.declare(self)
        overridable = QoSOverridingOptions.with_default_policies()
        self._tf = self.create_publisher(
            TFMessage, "/tf", TF_QOS, qos_overriding_options=overridable
        )
        self._tf_static = self.create_publisher(
            TFMessage, "/tf_static", LATCHED, qos_overriding_options=overridable
        )
        self._source.begin()
        on_parameter_change(self, self._check, self._apply)
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

    def _on_joint_state(self, data: bytes) -> None:
        topic, read = "joint_states", self._reader.read
        self._publish(topic, lambda usable: usable.of(read(data), topic))

    def _on_multi_dof_joint_state(self, message: MultiDOFJointState) -> None:
        topic = "multi_dof_joint_states"
        self._publish(topic, lambda usable: usable.of_poses(message, topic))

    def _publish(self, topic: str, read: Callable[[UsablePositions], JointReading]) -> None:
        """Publish the frames moved by a message, unless newer ones were published."""
        with self._lock:
            try:
                self._publish_moved(read)
            except ConfigurationError as error:
                self.get_logger().warning(
                    f"rejected a message on {self.resolve_topic_name(topic)}: {error}",
                    throttle_duration_sec=WARNING_PERIOD,
                )

    def _publish_moved(self, read: Callable[[UsablePositions], JointReading]) -> None:
        positions, usable = self._positions, self._usable
        if positions is None or usable is None:
            return
        reading = read(usable)
        moved, stamp = positions.moved_by(reading.names), reading.stamp
        if not moved.joints or not self._is_due(moved, stamp):
            return
        poses = positions.update(moved, reading.positions)
        message = self._message(moved.rows, moved.frames)
        self._tf.publish(message.encode(reading.seconds, reading.nanoseconds, poses))
        self._stamps[moved.rows] = stamp
        self._newest = stamp if stamp >= self._newest else int(self._stamps.max())

    def _is_due(self, moved: MovedFrames, stamp: int) -> bool:
        """Return whether a frame is due at a stamp (ns), for one of the joints.

        Raises ConfigurationError for an implausible stamp.
        """
        if problem := self._stamp_check.problem(stamp):
            raise ConfigurationError(problem)
        if self._settings.ignore_timestamp or stamp - self._settings.interval >= self._newest:
            return True
        last = self._stamps[moved.rows]
        if stamp - self._settings.interval >= last.min():
            return True
        seconds = (int(last.max()) - stamp) / SECOND
        if seconds <= self._settings.stamp_jump:
            return False
        self.get_logger().warning(
            f"the stamps of joint states went back by {seconds:.6g} s; time was reset",
            throttle_duration_sec=WARNING_PERIOD,
        )
        return True

    def _reset_stamps(self) -> None:
        """Reset the stamps, so every joint is published again."""
        with self._lock:
            if (self._stamps > NEVER).any():
                self.get_logger().warning("the clock went back; all joints are published again")
                self._stamps[:] = self._newest = NEVER

    def _read(self, description: RobotDescription) -> Robot:
        if self._settings.meshes == "real":
            # Imported here: most publishers read no meshes.
            from rigid_tree_kinematics.description import use_real_meshes

            tree = description.tree.copy()
            use_real_meshes(tree)
            description = replace(description, tree=tree, urdf=write_urdf(tree))
        return description, JointPositions(description.tree)

    def _use(self, robot: Robot) -> None:
        """Publish this robot instead of the previous one."""
        description, positions = robot
        with self._lock:
            self._description, self._positions = robot
            self._messages.clear()
            self._stamps = np.full(len(positions.compiled.body_names), NEVER)
            self._newest = NEVER
            self._usable = UsablePositions(self, description.tree)
            # Prepare the first full message, so it is not late.
            moved = positions.moved_by(positions.position_names)
            poses = np.zeros((len(moved.rows), POSE))
            self._message(moved.rows, moved.frames).encode(0, 0, poses)
        self._publish_static()
        if self._missing_timer is not None:
            self.destroy_timer(self._missing_timer)
        self._silence_reported = False
        self._missing_timer = self.create_timer(
            MISSING_JOINTS_AFTER, self._report_missing_joints, clock=STEADY
        )
        if self._source.from_parameters:
            self._publish_robot(description)
        self.get_logger().info(
            f"publishing the frames of {len(positions.missing)} moving and "
            f"{len(positions.static_rows)} fixed joints; listening on "
            f"{self.resolve_topic_name('joint_states')}"
        )

    def _publish_robot(self, description: RobotDescription) -> None:
        """Publish the home configuration, then the URDF."""
        if self._description_publisher is None or self._home_publisher is None:
            self._home_publisher = self.create_publisher(JointState, HOME_TOPIC, LATCHED)
            self._description_publisher = self.create_publisher(String, DESCRIPTION_TOPIC, LATCHED)
        tree = description.tree
        home = JointState(
            name=list(tree.position_names), position=tree.home_configuration().tolist()
        )
        self._home_publisher.publish(home)
        self._description_publisher.publish(String(data=description.urdf))

    def _message(self, rows: NDArray[np.intp], frames: Frames) -> FrameMessage:
        """Return the message for these rows of the robot."""
        key = rows.tobytes()
        message = self._messages.get(key)
        if message is None:
            if len(self._messages) >= PLANS_CACHED:
                self._messages.clear()
            prefix = self._settings.frame_prefix
            message = self._messages[key] = FrameMessage(
                [(prefix + parent, prefix + child) for parent, child in frames]
            )
        return message

    def _publish_static(self) -> None:
        positions = self._positions
        if positions is None:
            return
        rows, prefix = positions.static_rows, self._settings.frame_prefix
        frames = [(prefix + parent, prefix + child) for parent, child in positions.frames_of(rows)]
        poses = positions.static_poses()
        if self._settings.parent_frame:
            base = prefix + positions.compiled.body_names[0]
            frames.append((self._settings.parent_frame, base))
            poses = np.vstack([poses, self._settings.base])
        now = self.get_clock().now().seconds_nanoseconds()
        # In one message: late subscribers get the last one only.
        self._tf_static.publish(FrameMessage(frames).encode(*now, poses))

    def _report_missing_joints(self) -> None:
        """Log once that joint states have no publisher, and once which joints are missing."""
        assert self._positions is not None
        assert self._missing_timer is not None
        missing = self._positions.missing
        if missing and self._settings.await_joint_states and (self._stamps == NEVER).all():
            return
        topic = self.resolve_topic_name("joint_states")
        if missing and not self.count_publishers(topic):
            if not self._silence_reported:
                self.get_logger().warning(
                    f"no publisher on {topic}: no frames for {len(missing)} moving joints"
                )
            self._silence_reported = True
            return
        self._missing_timer.cancel()
        if missing:
            self.get_logger().warning(
                f"no position yet for {len(missing)} joints on {topic}; their frames are not "
                f"published: {', '.join(missing)}"
            )

    def _check(self, changed: Mapping[str, Any]) -> None:
        self._settings.changed(changed)
        self._source.check(changed)

    def _apply(self, changed: Mapping[str, Any]) -> None:
        before = self._settings
        with self._lock:
            self._settings = self._settings.changed(changed)
            if self._settings.frame_prefix != before.frame_prefix:
                self._messages.clear()
        self._source.apply(changed)
        if self._settings.frame_prefix != before.frame_prefix:
            self._publish_static()


PARAMETERS = (PublisherSettings, SOURCE_PARAMETERS)


def main() -> int:
    """Run the node; return the exit code of the process."""
    return run_node(NAME, TreeStatePublisher, PARAMETERS)


if __name__ == "__main__":
    sys.exit(main())
