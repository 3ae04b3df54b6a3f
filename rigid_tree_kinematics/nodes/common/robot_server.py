"""What nodes that answer requests about a robot have in common: the robot, its state, replies."""

from __future__ import annotations

import traceback
from abc import abstractmethod
from collections.abc import Awaitable, Callable, Mapping
from typing import Any, Generic, TypeVar

from rclpy.executors import Executor, MultiThreadedExecutor
from rclpy.node import Node
from rclpy.qos import QoSProfile, qos_profile_sensor_data
from rclpy.subscription import Subscription
from sensor_msgs.msg import JointState, MultiDOFJointState
from std_msgs.msg import String

from rigid_tree_kinematics.errors import RigidTreeError
from rigid_tree_kinematics.nodes.common.current_state import Robot
from rigid_tree_kinematics.nodes.common.joint_state_reader import JointReading, JointStateReader
from rigid_tree_kinematics.nodes.common.multi_dof_reader import multi_dof_reading
from rigid_tree_kinematics.nodes.common.parameters import declare_text, on_parameter_change
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
from rigid_tree_kinematics.nodes.tf.target_frames import UnknownFrameError

# The depth of 10 that services have by default loses requests, and replies, of more callers.
SERVICE_QOS = QoSProfile(depth=1000)
WARNING_PERIOD = 5.0  # s between two warnings of one kind

RobotT = TypeVar("RobotT", bound=Robot)
Response = TypeVar("Response")


class NoRobotError(RigidTreeError):
    """There is no robot description yet."""


class _ThreadsFirstExecutor(MultiThreadedExecutor):
    """Ends its threads before it takes away what they use, which rclpy does the other way round.

    Otherwise a thread that is at work complains at Ctrl-C of something destroyed.
    """

    def shutdown(self, timeout_sec: float | None = None, *, wait_for_threads: bool = True) -> bool:
        self._executor.shutdown(wait=wait_for_threads)
        return super().shutdown(timeout_sec)


class RobotServer(Node, Generic[RobotT]):
    """A node with a robot, from its parameters or a topic, and the robot's current state.

    A subclass declares its own parameters, then calls ``begin``.
    """

    def __init__(self, name: str) -> None:
        super().__init__(name)
        self.robot: RobotT | None = None
        self._accepted: RobotDescription | None = None  # by a parameter, not yet in use
        self._description_subscription: Subscription | None = None
        self._reader = JointStateReader()
        self._joint_states = RawSubscription(
            self, JointState, "joint_states", self._on_joint_state, qos_profile_sensor_data
        )
        self._text = declare_text(self, "robot_description", "", ROBOT_DESCRIPTION_HELP)
        self._robot_name = declare_text(self, "robot", "", ROBOT_HELP)

    @abstractmethod
    def make_robot(self, description: RobotDescription) -> RobotT:
        """Return what the node needs of a robot; RigidTreeError if it cannot use it."""

    @abstractmethod
    def robot_taken(self, robot: RobotT) -> None:
        """Do what a new robot calls for; it is in ``self.robot``."""

    @abstractmethod
    def refusal(self, changed: Mapping[str, Any]) -> str:
        """Return why a change of the subclass's parameters is refused, or an empty string."""

    @abstractmethod
    def apply(self, changed: Mapping[str, Any]) -> None:
        """Take over changed parameters of the subclass."""

    @property
    @abstractmethod
    def thread_count(self) -> int:
        """How many callbacks may run at the same time."""

    def begin(self) -> None:
        """Take the robot that the parameters name, or wait for one; listen to its state."""
        described = chosen_robot(self._text, self._robot_name)
        if described is not None:
            self._use(described)
        else:
            self._description_subscription = self.create_subscription(
                String, DESCRIPTION_TOPIC, self._on_description, LATCHED
            )
        on_parameter_change(self, self._refusal, self._apply)
        self._joint_states.start()
        self.create_subscription(
            MultiDOFJointState,
            "multi_dof_joint_states",
            self._on_multi_dof_joint_state,
            qos_profile_sensor_data,
        )

    def make_executor(self) -> Executor:
        """Return an executor with as many threads as the parameter says."""
        return _ThreadsFirstExecutor(self.thread_count)

    def destroy_node(self) -> None:
        """End the node's own thread too."""
        self._joint_states.stop()
        super().destroy_node()

    @property
    def present_robot(self) -> RobotT:
        """The robot, or NoRobotError."""
        if self.robot is None:
            topic = self.resolve_topic_name(DESCRIPTION_TOPIC)
            raise NoRobotError(f"no robot yet: nothing usable has come on topic {topic}")
        return self.robot

    async def answered(
        self, response: Response, codes: Any, work: Awaitable[None], reply: Any = None
    ) -> Response:
        """Let a request be worked on; whatever goes wrong becomes an answer.

        ``codes`` is the message with the codes, ``reply`` what has success, code and message:
        the response itself unless given.
        """
        reply = response if reply is None else reply
        try:
            await work
        except NoRobotError as error:
            refuse(reply, codes.NO_ROBOT, error)
        except UnknownFrameError as error:
            refuse(reply, codes.UNKNOWN_FRAME, error)
        except RigidTreeError as error:
            refuse(reply, codes.INVALID_REQUEST, error)
        except Exception as error:  # a defect; it must not end the node
            self.get_logger().error(f"internal error:\n{traceback.format_exc()}")
            refuse(reply, codes.INTERNAL_ERROR, f"{type(error).__name__}: {error}")
        return response

    # -- joint states ----------------------------------------------------------------------------

    def _on_joint_state(self, data: bytes) -> None:
        if self.robot is not None:
            self._guarded("joint_states", lambda _: self._reader.read(data), self.robot)

    def _on_multi_dof_joint_state(self, message: MultiDOFJointState) -> None:
        if self.robot is not None:
            self._guarded(
                "multi_dof_joint_states",
                lambda robot: multi_dof_reading(message, robot.tree),
                self.robot,
            )

    def _guarded(self, topic: str, read: Callable[[Robot], JointReading], robot: Robot) -> None:
        """Take over a message's positions, or say why not: no message ends the node."""
        try:
            reading = read(robot)
            robot.state.update(reading.names, reading.positions)
        except Exception as error:
            self.get_logger().warning(
                f"refused a message on {self.resolve_topic_name(topic)}: {error}",
                throttle_duration_sec=WARNING_PERIOD,
            )

    # -- the robot -------------------------------------------------------------------------------

    def _use(self, description: RobotDescription) -> None:
        """Take a robot that has been read without error, in the place of the one before."""
        robot = self.make_robot(description)
        self.robot = robot
        self.robot_taken(robot)
        for warning in description.warnings:
            self.get_logger().warning(warning)
        joints = len(robot.tree.joint_names)
        self.get_logger().info(
            f"robot '{robot.tree.name}' from {description.origin}: {joints} independent joints; "
            f"current state from {self.resolve_topic_name('joint_states')}"
        )

    def _on_description(self, message: String) -> None:
        topic = f"topic {self.resolve_topic_name(DESCRIPTION_TOPIC)}"
        current = self.robot
        if current is not None and message.data == current.description.urdf:
            return
        try:
            self._use(described_robot(message.data, topic))
        except RigidTreeError as error:
            kept = f"; robot '{current.tree.name}' stays" if current else ""
            self.get_logger().error(f"refused the description: {error}{kept}")

    # -- parameters ------------------------------------------------------------------------------

    def _refusal(self, changed: Mapping[str, Any]) -> str:
        try:
            if "robot_description" in changed or "robot" in changed:
                choice = changed.get("robot_description", ""), changed.get("robot", "")
                self._accepted = chosen_robot(*choice)
                if self._accepted is None:
                    return "empty: name another robot, or leave this one"
            return self.refusal(changed)
        except RigidTreeError as error:
            return str(error)

    def _apply(self, changed: Mapping[str, Any]) -> None:
        self.apply(changed)
        if "robot_description" in changed or "robot" in changed:
            assert self._accepted is not None
            if self._description_subscription is not None:
                self.destroy_subscription(self._description_subscription)
                self._description_subscription = None
            self._use(self._accepted)


def refuse(reply: Any, code: int, reason: object) -> None:
    """Make a reply one that says what was wrong."""
    reply.success = False
    reply.code = code
    reply.message = str(reason)
