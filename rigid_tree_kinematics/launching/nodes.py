"""Nodes of robots for launch files, in one process or in one process each."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from typing import Any
from weakref import WeakKeyDictionary

import yaml
from launch import LaunchContext, LaunchDescription, LaunchDescriptionEntity
from launch.action import Action
from launch.actions import OpaqueFunction
from launch.conditions import IfCondition
from launch.substitutions import LaunchConfiguration
from launch_ros.actions import Node
from launch_ros.parameter_descriptions import ParameterValue

from rigid_tree_kinematics.launching import arguments
from rigid_tree_kinematics.launching.actions import exit_handler, robot_rviz, temporary_file

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


# The nodes of ``in_one_process`` with their full names, during its actions.
_gathered: WeakKeyDictionary[LaunchContext, list[tuple[str, RobotNode]]] = WeakKeyDictionary()


def tree_state_publisher(source: str) -> RobotNode:
    """Return the publisher of the robot's frames, configured by DESCRIPTION_ARGUMENTS.

    ``source`` is the boolean launch argument that starts a source of joint states. A file that
    includes the launch file and has a source of its own sets ``await_joint_states``.
    """
    awaits = LaunchConfiguration("await_joint_states", default=LaunchConfiguration(source))
    parameters = arguments.settings(
        robot=str,
        use_sim_time=bool,
        frame_prefix=str,
        parent_frame=str,
        publish_frequency=float,
        ignore_timestamp=bool,
    )
    parameters["base_pose"] = partial(arguments.pose_argument, "base_pose")
    meshes = LaunchConfiguration("meshes", default="simple")
    parameters["meshes"] = ParameterValue(meshes, value_type=str)
    parameters["await_joint_states"] = ParameterValue(awaits, value_type=bool)
    return RobotNode("tree_state_publisher", parameters)


def described(context: LaunchContext) -> list[RobotNode]:
    """Return the frames of a robot, its joint states without hardware, and the page.

    Configured by DESCRIPTION_ARGUMENTS and SOURCE_ARGUMENTS.
    """
    source = "joint_state_source"
    parameters = arguments.settings(robot=str, use_sim_time=bool, rate=float)
    parameters["mode"] = arguments.SOURCE_MODE
    return [tree_state_publisher(source), RobotNode(source, parameters, source), page(context)]


def ik_server() -> RobotNode:
    """Return the inverse kinematics server, configured by IK_ARGUMENTS."""
    parameters = arguments.settings(
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
    return {name: arguments.setting(f"web_{name}", kind) for name, kind in names}


def robot_nodes(make: Callable[[LaunchContext], Sequence[RobotNode]]) -> OpaqueFunction:
    """Return the action that starts the enabled nodes of ``make`` in one or several processes.

    In one process, nodes start in the given order. Uses the arguments ``processes`` and
    ``namespace``. Robots of ``in_one_process`` share theirs.
    """

    def start(context: LaunchContext) -> list[LaunchDescriptionEntity]:
        processes = LaunchConfiguration("processes").perform(context)
        if processes not in ("one", "each"):
            raise RuntimeError(f"argument processes must be 'one' or 'each', not '{processes}'")
        nodes = [
            _placed(node, context)
            for node in make(context)
            if not node.flag or IfCondition(LaunchConfiguration(node.flag)).evaluate(context)
        ]
        if processes == "one" and context in _gathered:
            _gathered[context] += nodes
            return []
        if processes == "one" and len(nodes) > 1:
            return [_shared_process(nodes)]
        return [_own_process(*node) for node in nodes]

    return OpaqueFunction(function=start)


def robot_launch(
    make: Callable[[LaunchContext], Sequence[RobotNode]], *tables: arguments.Table
) -> LaunchDescription:
    """Return the launch of one robot's nodes and RViz, with DESCRIPTION_ARGUMENTS and further."""
    declared = arguments.declared(arguments.DESCRIPTION_ARGUMENTS, *tables)
    return LaunchDescription([*declared, robot_nodes(make), robot_rviz()])


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


def _placed(node: RobotNode, context: LaunchContext) -> tuple[str, RobotNode]:
    """Return a node's full name, within the namespace of PushROSNamespace, and its values."""
    namespace = LaunchConfiguration("namespace", default="").perform(context)
    if not namespace.startswith("/"):
        namespace = f"{context.launch_configurations.get('ros_namespace', '')}/{namespace}"

    def evaluated(value: Any) -> Any:
        if isinstance(value, ParameterValue):
            return value.evaluate(context)
        return value(context) if callable(value) else value

    parameters = {name: evaluated(value) for name, value in node.parameters.items()}
    name = f"{namespace.strip('/')}/{node.executable}".strip("/")
    return name, replace(node, parameters=parameters)


def _own_process(name: str, node: RobotNode) -> Node:
    return Node(
        package=arguments.PACKAGE,
        executable=node.executable,
        namespace=f"/{name.rpartition('/')[0]}",
        parameters=[dict(node.parameters)] if node.parameters else [],
        output="screen",
        on_exit=exit_handler(node.executable, node.is_demo),
    )


def _shared_process(nodes: Sequence[tuple[str, RobotNode]]) -> Node:
    """Return robot_host with all nodes and a parameter file that has a section for each."""
    parameters = {
        f"/{name}": {"ros__parameters": dict(node.parameters)}
        for name, node in nodes
        if node.parameters
    }
    return Node(
        package=arguments.PACKAGE,
        executable=HOST,
        arguments=[name for name, _ in nodes],
        parameters=[temporary_file(yaml.safe_dump(parameters), ".yaml")],
        output="screen",
        on_exit=exit_handler(HOST, any(node.is_demo for _, node in nodes)),
    )
