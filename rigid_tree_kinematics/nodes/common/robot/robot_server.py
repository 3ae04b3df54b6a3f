"""The robot of a node with its current state, and the base class of nodes that serve it."""

import threading
import time
from abc import abstractmethod
from collections import deque
from collections.abc import Awaitable, Callable, Iterable, Mapping, Sequence
from typing import Any, Generic, TypeVar

import numpy as np
from rclpy.callback_groups import ReentrantCallbackGroup
from rclpy.executors import Executor
from rclpy.qos import qos_profile_sensor_data
from sensor_msgs.msg import JointState, MultiDOFJointState

from rigid_tree_kinematics.arrays import Array
from rigid_tree_kinematics.deadline import Deadline
from rigid_tree_kinematics.errors import ConfigurationError, UnknownNameError
from rigid_tree_kinematics.model import RigidBodyTree
from rigid_tree_kinematics.model.columns import POSITION
from rigid_tree_kinematics.nodes.common import fast, process
from rigid_tree_kinematics.nodes.common.requests import (
    SECOND,
    BelievedStamps,
    errors_in_reply,
    stamp_in,
)
from rigid_tree_kinematics.nodes.common.robot.robot_source import RobotDescription, RobotSource
from rigid_tree_kinematics.nodes.common.robot.usable_positions import UsablePositions

KEPT = 10.0  # s, as long as tf2 keeps transforms
FIRST_STATE = 2.0  # s that a request waits for the first joint state

RobotT = TypeVar("RobotT", bound="Robot")


class NamedPositions:
    """Merges named positions of messages into configurations of one robot.

    Mimic and fixed joints, which drivers name too, are ignored.
    """

    def __init__(self, tree: RigidBodyTree) -> None:
        self._tree = tree
        self._slots = {name: slot for slot, name in enumerate(tree.position_names)}
        self._placeless = {joint.name for joint in tree.joints} - self._slots.keys()

    def slots(self, names: Sequence[str]) -> list[int]:
        """Return the indices of the named joints, without unknown ones."""
        return [self._slots[name] for name in names if name in self._slots]

    def merge(
        self, configuration: Array, names: Sequence[str], positions: Array, strict: bool
    ) -> Array:
        """Return a copy of a configuration with the named positions (rad, m) in it.

        Raises ConfigurationError if names and positions differ in number or a number is not
        finite, and, if ``strict``, UnknownNameError for a joint of another robot.
        """
        if len(names) != len(positions):
            raise ConfigurationError(f"{len(names)} names, but {len(positions)} positions")
        merged = configuration.copy()
        for name, value in zip(names, positions, strict=True):
            slot = self._slots.get(name)
            if slot is not None:
                merged[slot] = value
            elif strict and name not in self._placeless:
                raise UnknownNameError("joint", name, self._slots, f"robot '{self._tree.name}'")
        return self._tree.configuration(merged)


class CurrentState:
    """The state from joint-state messages, with a history of KEPT seconds. Thread-safe.

    Joints without a message are at home. While ``keeps_all`` is false, past states that were not
    needed are missing.
    """

    def __init__(self, tree: RigidBodyTree, named: NamedPositions) -> None:
        self._named = named
        self._names = tree.position_names
        self._kinds = tree.compiled().position_kinds
        self._states: deque[tuple[float, Array]] = deque()  # by their stamps, s
        self._lock = threading.Lock()
        self._configuration = tree.home_configuration()
        self._arrivals = np.full(len(self._configuration), -np.inf)  # s, of time.monotonic()
        self._is_known = False
        self.catch_up: Callable[[], None] = lambda: None  # applies pending messages
        self.keeps_all = False  # whether to keep all updates, not only the last of each sender

    @property
    def configuration(self) -> Array:
        """The last known configuration; do not modify it."""
        self.catch_up()
        return self._configuration

    @property
    def is_known(self) -> bool:
        """Whether an update was received."""
        self.catch_up()
        return self._is_known

    def stale(self, slots: Iterable[int], seconds: float) -> list[str]:
        """Return the indices of positions without an update for some seconds."""
        self.catch_up()
        since = time.monotonic() - seconds
        return [self._names[slot] for slot in slots if self._arrivals[slot] < since]

    def update(self, names: Sequence[str], positions: Array, stamp: float, arrival: float) -> None:
        """Apply a message's positions; raises ConfigurationError, without changes, if invalid.

        ``stamp`` is the time of measurement (s), ``arrival`` that of reception (time.monotonic()).
        """
        slots = self._named.slots(names)
        if not slots:
            return  # nothing of this robot
        with self._lock:
            self._configuration = self._named.merge(
                self._configuration, names, positions, strict=False
            )
            self._arrivals[slots] = arrival
            self._is_known = True
            self._keep(stamp)

    def knows(self, slots: Iterable[int]) -> bool:
        """Return whether all positions at these indices have been updated."""
        self.catch_up()
        return all(self._arrivals[slot] > -np.inf for slot in slots)

    def _keep(self, stamp: float) -> None:
        states = self._states
        if states and stamp < states[-1][0] - KEPT:
            states.clear()  # time jumped back: the simulation was restarted
        while states and states[-1][0] >= stamp:  # late states of another sender
            states.pop()
        states.append((stamp, self._configuration))
        while states[0][0] < stamp - KEPT:
            states.popleft()

    @property
    def latest(self) -> float | None:
        """The last stamp (s), None before the first update."""
        self.catch_up()
        states = self._states
        return states[-1][0] if states else None

    def at(self, stamp: float) -> tuple[Array, float]:
        """Return the configuration at a time (s), and its distance to the nearest state (s).

        It is interpolated between two states; before the first and after the last one it is
        that state's.
        """
        self.catch_up()
        with self._lock:
            states = list(self._states)
        if not states:
            return self._configuration, 0.0
        if stamp >= states[-1][0]:
            return states[-1][1], stamp - states[-1][0]
        if stamp <= states[0][0]:
            return states[0][1], states[0][0] - stamp
        # Imported here: nodes without such requests start without kernels.
        from rigid_tree_kinematics.kinematics.topology import between, difference

        after = next(k for k in range(len(states) - 1, -1, -1) if states[k - 1][0] <= stamp)
        (begin, a), (end, b) = states[after - 1], states[after]
        change = difference(self._kinds, a, b)
        return between(self._kinds, a, change, (stamp - begin) / (end - begin)), 0.0


class Robot:
    """A robot: its description, its joints by name, its current state."""

    def __init__(self, description: RobotDescription) -> None:
        self.description = description
        self.tree = description.tree
        self.named = NamedPositions(self.tree)
        self.state = CurrentState(self.tree, self.named)

    def slots_of(self, body: str) -> list[int]:
        """Return the indices of the positions on which a body's pose in the root depends."""
        compiled = self.tree.compiled()
        row, slots = compiled.index_of(body), []
        while row >= 0:
            slots.append(int(compiled.table[row, POSITION]))
            row = int(compiled.parents[row])
        return [slot for slot in slots if slot >= 0]

    def positions_of_poses(self, message: MultiDOFJointState) -> tuple[Sequence[str], Array]:
        """Return names like ``joint/x`` with their positions; raises ConfigurationError."""
        reading = fast.multi_dof_reading(message, self.tree)
        return reading.names, reading.positions

    def configuration(self, field: str, names: Sequence[str], positions: Array) -> Array:
        """Return named positions, the others from the current state.

        Raises ConfigurationError that names the message's field.
        """
        try:
            return self.named.merge(self.state.configuration, names, positions, strict=True)
        except ConfigurationError as error:
            raise ConfigurationError(f"{field}: {error}") from error


class RobotServer(process.PlainNode, Generic[RobotT]):
    """A node with a robot, from its parameters or a topic, and the robot's current state.

    A subclass declares its own parameters as ``settings``, then calls ``begin``. Callbacks of
    ``group`` run in parallel, in ``thread_count`` threads. ``given`` are the parameters that the
    node was started with; those that are not declared by the first robot are logged.
    """

    settings: Any
    thread_count = 1

    def __init__(self, name: str) -> None:
        self.given = process.given_parameters(name)
        super().__init__(name)
        self.robot: RobotT | None = None
        self.group = ReentrantCallbackGroup()
        self._usable: UsablePositions | None = None
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

    def check(self, changed: Mapping[str, Any]) -> None:
        """Raise a RigidTreeError for an invalid change of the subclass's parameters."""
        self.settings.changed(changed)

    def apply(self, changed: Mapping[str, Any]) -> None:
        """Use changed parameters of the subclass."""
        self.settings = self.settings.changed(changed)

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
        if self.thread_count == 1:
            return process.SurvivingExecutor()
        return process.ThreadsFirstExecutor(self.thread_count)

    def destroy_node(self) -> None:
        """Stop the node's own thread too."""
        self._joint_states.stop()
        super().destroy_node()

    @property
    def present_robot(self) -> RobotT:
        """The robot; raises NoRobotError without one."""
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
        topic, read = "joint_states", self._reader.read
        self._use_positions(topic, lambda usable: usable.of(read(data), topic), arrival)

    def _on_multi_dof_joint_state(self, message: MultiDOFJointState) -> None:
        topic = "multi_dof_joint_states"
        self._use_positions(
            topic, lambda usable: usable.of_poses(message, topic), time.monotonic()
        )

    def _use_positions(
        self, topic: str, read: Callable[[UsablePositions], fast.JointReading], arrival: float
    ) -> None:
        """Use a message's positions, or log why they are rejected."""
        robot, usable = self.robot, self._usable
        if robot is None or usable is None:
            return
        try:
            reading = read(usable)
            if doubt := self._stamps.doubt(reading.stamp):
                raise ConfigurationError(doubt)
            robot.state.update(reading.names, reading.positions, reading.stamp / SECOND, arrival)
        except Exception as error:
            self.get_logger().warning(
                f"rejected a message on {self.resolve_topic_name(topic)}: {error}",
                throttle_duration_sec=process.WARNING_PERIOD,
            )

    def _use(self, robot: RobotT) -> None:
        robot.state.catch_up = self._catch_up
        before = self.robot, self._usable
        self.robot, self._usable = robot, UsablePositions(self, robot.tree)
        try:
            self.robot_taken(robot)
        except Exception:
            self.robot, self._usable = before
            raise
        if before[0] is None and (unused := self.unused_parameters(self.given)):
            self.get_logger().warning(f"parameters without effect here: {', '.join(unused)}")

    def unused_parameters(self, given: Iterable[str]) -> list[str]:
        """Return those of the given parameters that have no effect, in short."""
        return process.unused_parameters(self, given)

    def _check(self, changed: Mapping[str, Any]) -> None:
        self._source.check(changed)
        self.check(changed)

    def _apply(self, changed: Mapping[str, Any]) -> None:
        self.apply(changed)
        self._source.apply(changed)
