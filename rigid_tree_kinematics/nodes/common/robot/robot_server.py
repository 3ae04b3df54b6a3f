"""The base class of nodes with services for a robot: description, state, executor."""

import threading
import time
from abc import abstractmethod
from collections.abc import Awaitable, Callable, Mapping
from typing import Any, Generic, TypeVar

from rclpy.callback_groups import ReentrantCallbackGroup
from rclpy.executors import Executor
from rclpy.qos import qos_profile_sensor_data
from sensor_msgs.msg import JointState, MultiDOFJointState

from rigid_tree_kinematics.deadline import Deadline
from rigid_tree_kinematics.errors import ConfigurationError
from rigid_tree_kinematics.nodes.common import fast, process
from rigid_tree_kinematics.nodes.common.requests import (
    SECOND,
    BelievedStamps,
    errors_in_reply,
    stamp_in,
)
from rigid_tree_kinematics.nodes.common.robot.current_state import Robot
from rigid_tree_kinematics.nodes.common.robot.robot_source import RobotDescription, RobotSource

WARNING_PERIOD = 5.0  # s between two warnings of one kind
FIRST_STATE = 2.0  # s that a request waits for the first joint state

RobotT = TypeVar("RobotT", bound=Robot)


class RobotServer(process.PlainNode, Generic[RobotT]):
    """A node with a robot, from its parameters or a topic, and the robot's current state.

    A subclass declares its own parameters, then calls ``begin``. Callbacks of ``group`` run in
    parallel.
    """

    def __init__(self, name: str) -> None:
        super().__init__(name)
        self.robot: RobotT | None = None
        self.group = ReentrantCallbackGroup()
        self._reader = fast.JointStateReader()
        self._stamps = BelievedStamps(self)
        self._joint_states = fast.RawSubscription(
            self, JointState, "joint_states", self._on_joint_state, fast.RESTING_QOS, fast.REST
        )
        # Joint states with their time of arrival, by their names, the newest last.
        self._unread: dict[bytes, tuple[bytes, float]] = {}
        self._unread_lock = threading.Lock()
        self._source: RobotSource[RobotT] = RobotSource(self, self.make_robot, self._use)

    @abstractmethod
    def make_robot(self, description: RobotDescription) -> RobotT:
        """Return the node's data of a robot; RigidTreeError if the robot is unsuitable."""

    @abstractmethod
    def robot_taken(self, robot: RobotT) -> None:
        """React to a new robot, which is in ``self.robot``."""

    @abstractmethod
    def check(self, changed: Mapping[str, Any]) -> None:
        """Raise a RigidTreeError for an invalid change of the subclass's parameters."""

    @abstractmethod
    def apply(self, changed: Mapping[str, Any]) -> None:
        """Use changed parameters of the subclass."""

    @property
    @abstractmethod
    def thread_count(self) -> int:
        """The number of callbacks that run in parallel."""

    def begin(self) -> None:
        """Load the robot of the parameters, or wait for one; listen to its state."""
        self._source.begin()
        process.on_parameter_change(self, self._check, self._apply)
        self._joint_states.start()
        self.create_subscription(
            MultiDOFJointState,
            "multi_dof_joint_states",
            self._on_multi_dof_joint_state,
            qos_profile_sensor_data,
        )

    def offer(self, kind: Any, name: str, answer: Callable[[Any, Any], Awaitable[Any]]) -> None:
        """Offer a service. ``answer`` fills in a response, which reports its errors."""

        async def serve(request: Any, response: Any) -> Any:
            with errors_in_reply(self, getattr(response, "reply", response)):
                await answer(request, response)
            return response

        serving: Any = serve  # rclpy awaits coroutines, unlike its annotations say
        self.create_service(
            kind, name, serving, qos_profile=process.SERVICE_QOS, callback_group=self.group
        )

    def make_executor(self) -> Executor:
        """Return an executor with ``thread_count`` threads."""
        return process.ThreadsFirstExecutor(self.thread_count)

    def destroy_node(self) -> None:
        """Stop the node's own thread too."""
        self._joint_states.stop()
        super().destroy_node()

    @property
    def present_robot(self) -> RobotT:
        """The robot; raises NoRobotError."""
        if self.robot is None:
            raise self._source.no_robot()
        return self.robot

    async def wait_for_state(self, robot: RobotT, deadline: Deadline) -> None:
        """Wait for the first joint state, if the topic has a publisher."""
        topic = self.resolve_topic_name("joint_states")
        await process.wait_until(
            self,
            lambda: robot.state.is_known or deadline.cancelled or not self.count_publishers(topic),
            min(FIRST_STATE, deadline.left),
        )

    def _on_joint_state(self, data: bytes) -> None:
        """Store a message until the state is needed, but read new layouts immediately."""
        now = time.monotonic()
        with self._unread_lock:
            key = self._reader.key(data)
            keeps_all = self.robot is not None and self.robot.state.keeps_all
            # A message that will be rejected must not replace a valid one.
            if key is None or keeps_all or self._stamps.doubt(stamp_in(data)):
                self._read_kept()
                self._read_joint_state(data, now)
            else:
                self._unread.pop(key, None)
                self._unread[key] = data, now

    def _catch_up(self) -> None:
        """Read the stored joint states."""
        self._joint_states.catch_up()
        with self._unread_lock:
            self._read_kept()

    def _read_kept(self) -> None:
        for data, arrival in self._unread.values():
            self._read_joint_state(data, arrival)
        self._unread.clear()

    def _read_joint_state(self, data: bytes, arrival: float) -> None:
        if self.robot is not None:
            read = self._reader.read
            self._guarded("joint_states", lambda _: read(data), self.robot, arrival)

    def _on_multi_dof_joint_state(self, message: MultiDOFJointState) -> None:
        if self.robot is not None:
            self._guarded(
                "multi_dof_joint_states",
                lambda robot: fast.multi_dof_reading(message, robot.tree),
                self.robot,
                time.monotonic(),
            )

    def _guarded(
        self, topic: str, read: Callable[[Robot], fast.JointReading], robot: Robot, arrival: float
    ) -> None:
        """Use a message's positions, or log why they are rejected."""
        try:
            reading = read(robot)
            if doubt := self._stamps.doubt(reading.stamp):
                raise ConfigurationError(doubt)
            robot.state.update(reading.names, reading.positions, reading.stamp / SECOND, arrival)
        except Exception as error:
            self.get_logger().warning(
                f"rejected a message on {self.resolve_topic_name(topic)}: {error}",
                throttle_duration_sec=WARNING_PERIOD,
            )

    def _use(self, robot: RobotT) -> None:
        robot.state.catch_up = self._catch_up
        self.robot = robot
        self.robot_taken(robot)

    def _check(self, changed: Mapping[str, Any]) -> None:
        self._source.check(changed)
        self.check(changed)

    def _apply(self, changed: Mapping[str, Any]) -> None:
        self.apply(changed)
        self._source.apply(changed)
