"""The robot of a node with its current state, and the base class of nodes that serve it."""

from abc import ABC, abstractmethod
from collections.abc import Awaitable, Callable, Iterable, Mapping, Sequence
from typing import Any, Generic, TypeVar

from rclpy.callback_groups import ReentrantCallbackGroup
from rclpy.executors import Executor
from sensor_msgs.msg import MultiDOFJointState

from rigid_tree_kinematics.arrays import Array
from rigid_tree_kinematics.deadline import Deadline
from rigid_tree_kinematics.errors import ConfigurationError
from rigid_tree_kinematics.model.columns import POSITION
from rigid_tree_kinematics.nodes.common import process
from rigid_tree_kinematics.nodes.common.requests import errors_in_reply
from rigid_tree_kinematics.nodes.common.robot.current_state import CurrentState, NamedPositions
from rigid_tree_kinematics.nodes.common.robot.joint_reading import multi_dof_reading
from rigid_tree_kinematics.nodes.common.robot.robot_source import RobotDescription, RobotSource
from rigid_tree_kinematics.nodes.common.robot.state_listener import StateListener
from rigid_tree_kinematics.nodes.common.robot.usable_positions import UsablePositions

FIRST_STATE = 2.0  # s that a request waits for the first joint state

RobotT = TypeVar("RobotT", bound="Robot")


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
        reading = multi_dof_reading(message, self.tree)
        return reading.names, reading.positions

    def configuration(self, field: str, names: Sequence[str], positions: Array) -> Array:
        """Return named positions, the others from the current state.

        Raises ConfigurationError that names the message's field.
        """
        try:
            return self.named.merge(self.state.configuration, names, positions, strict=True)
        except ConfigurationError as error:
            raise ConfigurationError(f"{field}: {error}") from error


class RobotServer(process.PlainNode, ABC, Generic[RobotT]):
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
        self._joint_states = StateListener(self)
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

    def advertise(
        self, kind: Any, name: str, answer: Callable[[Any, Any], Awaitable[Any]]
    ) -> None:
        """Advertise a service. ``answer`` fills in a response, which reports its errors."""

        async def serve(request: Any, response: Any) -> Any:
            with errors_in_reply(self, getattr(response, "reply", response)):
                self._joint_states.read()  # those that were published before the request
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

    def _use(self, robot: RobotT) -> None:
        before, self.robot = self.robot, robot
        try:
            self.robot_taken(robot)
        except Exception:
            self.robot = before
            raise
        self._joint_states.update(robot.state, UsablePositions(self, robot.tree))
        if before is None and (unused := self.unused_parameters(self.given)):
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
