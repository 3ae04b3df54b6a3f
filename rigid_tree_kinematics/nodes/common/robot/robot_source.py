"""The source of a node's robot: URDF text, a file, a bundled name, or the latched topic."""

from __future__ import annotations

import os
import threading
import warnings
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any, Generic, TypeVar
from weakref import WeakKeyDictionary, WeakValueDictionary

from rcl_interfaces.msg import ParameterDescriptor
from rclpy.callback_groups import MutuallyExclusiveCallbackGroup
from rclpy.node import Node
from rclpy.qos import DurabilityPolicy, QoSProfile
from rclpy.subscription import Subscription
from std_msgs.msg import String

from rigid_tree_kinematics.description import load_robot, read_description, write_urdf
from rigid_tree_kinematics.description.meshes import checked_folders
from rigid_tree_kinematics.description.mjcf import MJCF
from rigid_tree_kinematics.description.robots import ELSEWHERE
from rigid_tree_kinematics.description.urdf import (
    URDF,
    root_tag,
    with_joint_frames,
    xacro_arguments,
)
from rigid_tree_kinematics.errors import (
    ConfigurationError,
    DescriptionError,
    DescriptionWarning,
    NoRobotError,
    RigidTreeError,
)
from rigid_tree_kinematics.model import RigidBodyTree
from rigid_tree_kinematics.nodes.common.process import AT_START, Lines

DESCRIPTION_TOPIC = "robot_description"
HOME_TOPIC = "robot_home"  # its home configuration as a JointState
SEMANTICS_TOPIC = "robot_description_semantic"  # MoveIt's name, of a topic and of a parameter

# Late subscribers get the last description, like that of robot_state_publisher.
LATCHED = QoSProfile(depth=1, durability=DurabilityPolicy.TRANSIENT_LOCAL)

# The parameters that name the robot, with their descriptions.
NAMING = {
    "robot_description": "The robot as text: URDF, SDF, or MJCF when the node starts. "
    "Empty: parameter robot names it.",
    "robot": "Path of a .urdf, .xacro, .sdf, .xml (MJCF), .yaml file, or name of a bundled robot. "
    "If robot_description is empty too: wait for the topic robot_description.",
    "xacro_args": "Arguments of a .xacro file, such as name:=ur ur_type:=ur5e; quote values with "
    f"spaces. {AT_START}",
}

# Beside them: where the files are that the robot refers to.
PACKAGE_PATHS = "package_paths"
_ABOUT_PACKAGE_PATHS = (
    "Folders with packages or meshes, separated by ':', which are searched first for the files "
    f"that the robot names. A package's folder can have another name. {AT_START}"
)
SOURCE_PARAMETERS = NAMING | {PACKAGE_PATHS: _ABOUT_PACKAGE_PATHS}

R = TypeVar("R")

_reading = threading.Lock()
# The robots in use by their package_paths and texts, and their URDFs and warnings.
_read: WeakValueDictionary[tuple[str, str], RigidBodyTree] = WeakValueDictionary()
_described: WeakKeyDictionary[RigidBodyTree, tuple[str, tuple[str, ...]]] = WeakKeyDictionary()


@dataclass(frozen=True, eq=False)
class RobotDescription:
    """A robot with its URDF text, which has the same links, and its origin."""

    tree: RigidBodyTree
    urdf: str
    origin: str
    warnings: tuple[str, ...] = ()  # about the description

    def log(self, node: Node) -> None:
        """Log the robot, its origin, and the warnings about its description."""
        for warning in self.warnings:
            node.get_logger().warning(Lines(warning))
        joints = len(self.tree.joint_names)
        node.get_logger().info(
            f"robot '{self.tree.name}' from {self.origin}: {joints} independent joints"
        )


class DescriptionTopic:
    """Listens to a latched description topic; equal texts are ignored, invalid ones logged.

    ``take`` is called with every new robot, and may reject it with a RigidTreeError.
    """

    def __init__(self, node: Node, topic: str, take: Callable[[RobotDescription], None]) -> None:
        self._node = node
        self._take = take
        self._origin = f"topic {node.resolve_topic_name(topic)}"
        self._package_paths = _package_paths(node)
        self._text = ""
        self._robot_name = ""
        # In its own group: loading a robot takes long, and other callbacks continue.
        self._subscription: Subscription[String] = node.create_subscription(
            String,
            topic,
            self._on_description,
            LATCHED,
            callback_group=MutuallyExclusiveCallbackGroup(),
        )

    def close(self) -> None:
        """Stop listening."""
        self._node.destroy_subscription(self._subscription)

    def _on_description(self, message: String) -> None:
        if message.data == self._text:
            return
        try:
            _reject_mjcf(message.data, self._origin)
            description = described_robot(message.data, self._origin, self._package_paths)
            self._take(description)
        except RigidTreeError as error:
            kept = f"; robot '{self._robot_name}' is kept" if self._robot_name else ""
            self._node.get_logger().error(f"rejected the robot description: {error}{kept}")
            return
        self._text, self._robot_name = message.data, description.tree.name


class RobotSource(Generic[R]):
    """The robot of the parameters ``robot_description`` and ``robot``, or of the topic.

    ``prepare`` returns the node's data of a robot; a RigidTreeError rejects it, and the
    previous robot is kept. ``use`` replaces the previous robot's data. If ``changeable``, the
    parameters may name another robot while the node runs.
    """

    def __init__(
        self,
        node: Node,
        prepare: Callable[[RobotDescription], R],
        use: Callable[[R], None],
        changeable: bool = True,
    ) -> None:
        self._node = node
        self._prepare = prepare
        self._use = use
        self._topic: DescriptionTopic | None = None
        self._accepted: tuple[RobotDescription, R] | None = None  # by a parameter, not yet in use
        self._in_use = threading.Lock()  # by a parameter or the topic, in different threads
        self._package_paths = _package_paths(node)
        self._given: dict[str, str] = {}
        for name, text in NAMING.items():
            words = text if changeable or AT_START in text else f"{text} {AT_START}"
            descriptor = ParameterDescriptor(description=words, read_only=AT_START in words)
            self._given[name] = str(node.declare_parameter(name, "", descriptor).value)

    def begin(self) -> None:
        """Load the robot of the parameters, or listen to the topic.

        Raises a RigidTreeError if the parameters are invalid or the robot cannot be used.
        """
        description = chosen_robot(**self._given, package_paths=self._package_paths)
        if description is not None:
            self._use(self._prepare(description))
            description.log(self._node)
            return
        self._topic = DescriptionTopic(self._node, DESCRIPTION_TOPIC, self._take)
        self._node.get_logger().info(f"waiting for a robot on topic {self.topic}")

    def _take(self, description: RobotDescription) -> None:
        """Use the topic's robot, unless a parameter has named another one meanwhile."""
        prepared = self._prepare(description)
        with self._in_use:
            if self._topic is not None:
                self._use(prepared)
                description.log(self._node)

    @property
    def topic(self) -> str:
        """The full name of the description topic."""
        return str(self._node.resolve_topic_name(DESCRIPTION_TOPIC))

    @property
    def from_parameters(self) -> bool:
        """Whether the parameters name the robot, not the topic."""
        return self._topic is None

    def no_robot(self) -> NoRobotError:
        """Return the error for requests before there is a robot."""
        return NoRobotError(
            f"no robot yet: no valid robot description was received on topic {self.topic}"
        )

    def check(self, changed: Mapping[str, Any]) -> None:
        """Prepare the robot of changed parameters; RigidTreeError if it is invalid."""
        self._accepted = None
        if changed.keys().isdisjoint(NAMING):
            return
        _reject_programs(str(changed.get("robot", "")))
        _reject_mjcf(str(changed.get("robot_description", "")), "parameter robot_description")
        given = {name: changed.get(name, "") for name in NAMING}
        description = chosen_robot(**given, package_paths=self._package_paths)
        if description is None:
            raise ConfigurationError("an empty value would remove the robot: name another robot")
        self._accepted = description, self._prepare(description)

    def apply(self, changed: Mapping[str, Any]) -> None:
        """Use the robot that ``check`` has accepted, instead of the topic."""
        if self._accepted is None or changed.keys().isdisjoint(NAMING):
            return
        (description, prepared), self._accepted = self._accepted, None
        with self._in_use:
            if self._topic is not None:
                self._topic.close()
                self._topic = None
            self._use(prepared)
        description.log(self._node)


def _package_paths(node: Node) -> str:
    """Return the node's parameter; raises DescriptionError if one is not a folder."""
    if not node.has_parameter(PACKAGE_PATHS):
        descriptor = ParameterDescriptor(description=_ABOUT_PACKAGE_PATHS, read_only=True)
        node.declare_parameter(PACKAGE_PATHS, "", descriptor)
    paths = str(node.get_parameter(PACKAGE_PATHS).value)
    checked_folders(_folders(paths))
    return paths


def _folders(package_paths: str) -> list[str]:
    return [folder for folder in package_paths.split(os.pathsep) if folder]


def described_robot(text: str, origin: str, package_paths: str = "") -> RobotDescription:
    """Read the text of a URDF, an SDF or a trusted MJCF; raises DescriptionError."""
    if not text.strip():
        raise DescriptionError("an empty description", origin)
    # Nodes of a process share the robot: one of them reads it while the others wait.
    with _reading:
        key = package_paths, text
        tree = _read.get(key)
        if tree is None:
            with _recorded_warnings() as suspicious:
                tree = read_description(text, origin, None, _folders(package_paths))
                tree = with_joint_frames(tree)
                urdf = text if root_tag(text) == URDF else write_urdf(tree)
            _read[key] = tree
            _described[tree] = urdf, tuple(suspicious)
        urdf, remarks = _described[tree]
        return RobotDescription(tree, urdf, origin, remarks)


def chosen_robot(
    robot_description: str, robot: str, xacro_args: str = "", package_paths: str = ""
) -> RobotDescription | None:
    """Return the robot of the parameters, or None if both robots are empty.

    Raises ConfigurationError if both are given, and the errors of reading the robot.
    """
    if xacro_args and not robot:
        raise ConfigurationError("parameter xacro_args needs a .xacro file in parameter robot")
    if robot_description and robot:
        raise ConfigurationError(
            f"parameters robot_description and robot ('{robot}') are both given; leave one empty"
        )
    if robot_description:
        origin = "parameter robot_description"
        return described_robot(robot_description, origin, package_paths)
    if robot:
        with _recorded_warnings() as suspicious:
            folders = _folders(package_paths)
            tree = with_joint_frames(load_robot(robot, folders, xacro_arguments(xacro_args)))
            urdf = write_urdf(tree)
        return RobotDescription(tree, urdf, f"parameter robot '{robot}'", tuple(suspicious))
    return None


def _reject_programs(robot: str) -> None:
    """Raise ConfigurationError for files that run code, as any client can set a parameter."""
    if robot.startswith(ELSEWHERE) or robot.lower().endswith(".xacro"):
        raise ConfigurationError(
            f"parameter robot: '{robot}' can run Python code and is read only when "
            "the node starts: start the node with it, or set an expanded .urdf file"
        )


def _reject_mjcf(text: str, origin: str) -> None:
    """Raise DescriptionError for MJCF from any client: MuJoCo reads files, and has no limits."""
    if root_tag(text) == MJCF:
        raise DescriptionError(
            "MJCF is read only when the node starts: start the node with this text in parameter "
            "robot_description or with its file in parameter robot, or send the URDF that "
            "write_urdf returns",
            origin,
        )


@contextmanager
def _recorded_warnings() -> Iterator[list[str]]:
    """Collect DescriptionWarnings, for the node's log instead of the terminal."""
    texts: list[str] = []
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always", DescriptionWarning)
        yield texts
    texts += [str(item.message) for item in caught]
