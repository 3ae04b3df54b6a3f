"""Nodes of robots for launch files: in one process, or in one each."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import Any
from weakref import WeakKeyDictionary

import yaml
from launch import LaunchContext, LaunchDescriptionEntity
from launch.action import Action
from launch.actions import OpaqueFunction
from launch.conditions import IfCondition
from launch.substitutions import LaunchConfiguration
from launch_ros.actions import Node
from launch_ros.parameter_descriptions import ParameterValue

from rigid_tree_kinematics.launching.actions import exit_handler, temporary_file
from rigid_tree_kinematics.launching.arguments import (
    PACKAGE,
    SOURCE_MODE,
    pose_argument,
    setting,
    settings,
)

HOST = "robot_host"


@dataclass(frozen=True)
class RobotNode:
    """A node of this package in the robot's namespace.

    Args:
        executable: its program, and the node's name.
        parameters: plain values, ParameterValues and functions of the LaunchContext.
        flag: name of the boolean launch argument that enables the node. Empty: always enabled.
        is_demo: whether the launch ends with the node.
    """

    executable: str
    parameters: Mapping[str, Any] = field(default_factory=dict)
    flag: str = ""
    is_demo: bool = False


@dataclass(frozen=True)
class _Placed:
    """A node with the values of its parameters, and its namespace without a leading slash."""

    namespace: str
    executable: str
    parameters: Mapping[str, Any]
    is_demo: bool


# The nodes of ``in_one_process``, while its actions are executed.
_gathered: WeakKeyDictionary[LaunchContext, list[_Placed]] = WeakKeyDictionary()


def tree_state_publisher(source: str) -> RobotNode:
    """Return the publisher of the robot's frames, configured by DESCRIPTION_ARGUMENTS.

    ``source`` is the boolean launch argument that starts a source of joint states. A file that
    includes the launch file and has a source of its own sets ``await_joint_states``.
    """
    awaits = LaunchConfiguration("await_joint_states", default=LaunchConfiguration(source))
    parameters = settings(
        robot=str,
        use_sim_time=bool,
        frame_prefix=str,
        parent_frame=str,
        publish_frequency=float,
        ignore_timestamp=bool,
    )
    parameters["base_pose"] = partial(pose_argument, "base_pose")
    meshes = LaunchConfiguration("meshes", default="simple")
    parameters["meshes"] = ParameterValue(meshes, value_type=str)
    parameters["await_joint_states"] = ParameterValue(awaits, value_type=bool)
    return RobotNode("tree_state_publisher", parameters)


def joint_states() -> RobotNode:
    """Return the joint state source, configured by SOURCE_ARGUMENTS."""
    parameters = settings(robot=str, use_sim_time=bool, rate=float) | {"mode": SOURCE_MODE}
    return RobotNode("joint_state_source", parameters, "joint_state_source")


def ik_server() -> RobotNode:
    """Return the inverse kinematics server, configured by IK_ARGUMENTS."""
    parameters = settings(
        use_sim_time=bool, frame_prefix=str, timeout=float, tracked_body=str, tracked_base=str
    )
    return RobotNode("ik_server", parameters)


def page(context: LaunchContext) -> RobotNode:
    """Return web_viewer, configured by web, frame_prefix and PAGE_ARGUMENTS."""
    # Substitutions cannot be elements of a list parameter.
    prefix = LaunchConfiguration("frame_prefix").perform(context)
    return RobotNode("web_viewer", page_parameters() | {"frame_prefixes": [prefix]}, "web")


def page_parameters() -> dict[str, Any]:
    """Return the parameters of web_viewer that PAGE_ARGUMENTS set."""
    names = (("port", int), ("host", str), ("token", str))
    return {name: setting(f"web_{name}", kind) for name, kind in names}


def robot_nodes(make: Callable[[LaunchContext], Sequence[RobotNode]]) -> OpaqueFunction:
    """Return the action that starts the enabled nodes of ``make``, in one process or in several.

    In one process, nodes start in the given order. Uses the arguments ``processes`` and
    ``namespace``. Robots of ``in_one_process`` share theirs.
    """

    def start(context: LaunchContext) -> list[LaunchDescriptionEntity]:
        nodes = [node for node in make(context) if _is_enabled(node, context)]
        processes = LaunchConfiguration("processes").perform(context)
        if processes not in ("one", "each"):
            raise RuntimeError(f"argument processes must be 'one' or 'each', not '{processes}'")
        placed = [_placed(node, context) for node in nodes]
        if processes == "one" and context in _gathered:
            _gathered[context] += placed
            return []
        if processes == "one" and len(nodes) > 1:
            return [_shared_process(placed)]
        return [_own_process(node) for node in placed]

    return OpaqueFunction(function=start)


def in_one_process(actions: Iterable[Action]) -> list[Action]:
    """Return actions whose ``robot_nodes`` share one process, unless ``processes`` is "each".

    The actions may include launch files.
    """

    def begin(context: LaunchContext) -> None:
        _gathered[context] = []

    def end(context: LaunchContext) -> list[LaunchDescriptionEntity]:
        nodes = _gathered.pop(context)
        return [_shared_process(nodes)] if nodes else []

    return [OpaqueFunction(function=begin), *actions, OpaqueFunction(function=end)]


def _is_enabled(node: RobotNode, context: LaunchContext) -> bool:
    return not node.flag or IfCondition(LaunchConfiguration(node.flag)).evaluate(context)


def _placed(node: RobotNode, context: LaunchContext) -> _Placed:
    """Return a node with its namespace, which is within that of PushROSNamespace."""
    namespace = LaunchConfiguration("namespace", default="").perform(context)
    if not namespace.startswith("/"):
        namespace = f"{context.launch_configurations.get('ros_namespace', '')}/{namespace}"
    parameters = {name: _evaluated(value, context) for name, value in node.parameters.items()}
    return _Placed(namespace.strip("/"), node.executable, parameters, node.is_demo)


def _evaluated(value: Any, context: LaunchContext) -> Any:
    if isinstance(value, ParameterValue):
        return value.evaluate(context)
    return value(context) if callable(value) else value


def _own_process(node: _Placed) -> Node:
    return Node(
        package=PACKAGE,
        executable=node.executable,
        namespace=f"/{node.namespace}",
        parameters=[dict(node.parameters)] if node.parameters else [],
        output="screen",
        on_exit=exit_handler(node.executable, node.is_demo),
    )


def _shared_process(nodes: Sequence[_Placed]) -> Node:
    """Return robot_host with all nodes and a parameter file that has a section for each."""
    names = [f"{node.namespace}/{node.executable}".strip("/") for node in nodes]
    parameters = {
        f"/{name}": {"ros__parameters": dict(node.parameters)}
        for name, node in zip(names, nodes, strict=True)
        if node.parameters
    }
    return Node(
        package=PACKAGE,
        executable=HOST,
        arguments=names,
        parameters=[temporary_file(yaml.safe_dump(parameters), ".yaml")],
        output="screen",
        on_exit=exit_handler(HOST, any(node.is_demo for node in nodes)),
    )
