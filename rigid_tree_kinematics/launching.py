"""Shared parts of the launch files: argument tables, nodes in one process, included files, RViz.

Only launch files import this module. It needs launch and launch_ros.
"""

from __future__ import annotations

import atexit
import functools
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any
from weakref import WeakKeyDictionary

import yaml
from ament_index_python.packages import get_package_prefix
from launch import LaunchContext, LaunchDescriptionEntity
from launch.action import Action
from launch.actions import (
    DeclareLaunchArgument,
    EmitEvent,
    IncludeLaunchDescription,
    OpaqueFunction,
)
from launch.condition import Condition
from launch.conditions import IfCondition
from launch.events import Shutdown
from launch.events.process import ProcessExited
from launch.launch_description_sources import PythonLaunchDescriptionSource
from launch.substitutions import (
    LaunchConfiguration,
    PathJoinSubstitution,
    PythonExpression,
    ThisLaunchFileDir,
)
from launch_ros.actions import Node
from launch_ros.parameter_descriptions import ParameterValue

from rigid_tree_kinematics.errors import UnknownNameError

PACKAGE = "rigid_tree_kinematics"
HOST = "robot_host"
PYTHON = "python"  # the program that runs the nodes' Python

# Name, default and description of each argument.
Table = Iterable[tuple[str, str, str]]

PROCESSES = (
    "processes",
    "one",
    "one: all nodes in one process. each: one process per node.",
)
PAGE_ARGUMENTS = (
    ("web_port", "8080", "Port of the page."),
    (
        "web_host",
        "127.0.0.1",
        "Address that serves the page; addresses other than loopback (0.0.0.0) need a token.",
    ),
    ("web_token", "", "Token of the page. Empty: none on loopback, a random one elsewhere."),
)
DESCRIPTION_ARGUMENTS = (
    ("robot", "panda", "Name of a bundled robot, or path of a .urdf, .xacro or .yaml file."),
    ("namespace", "", "Namespace of the robot's nodes and topics, except /tf."),
    ("frame_prefix", "", "Prefix of all frame names, such as 'left/'."),
    ("publish_frequency", "0.0", "Maximum rate of each joint's frames, Hz. 0: no limit."),
    ("ignore_timestamp", "false", "Also publish frames of joint states with old stamps."),
    ("use_sim_time", "false", "Use simulated time from /clock."),
    ("web", "false", "Show the robot in the browser (web_viewer)."),
    *PAGE_ARGUMENTS,
    ("rviz", "false", "Show the robot in RViz, if it is installed."),
    ("rviz_config", "description.rviz", "RViz configuration of this package."),
    PROCESSES,
)
SOURCE_ARGUMENTS = (
    (
        "sweep",
        "true",
        "Move the joints slowly within their limits. false: keep them at the parameters "
        "positions.<joint> of joint_state_source (default: home).",
    ),
    (
        "joint_state_source",
        "true",
        "Publish joint states without hardware. false: a driver publishes them.",
    ),
    ("rate", "50.0", "Rate of joint_state_source, Hz."),
)
IK_ARGUMENTS = (
    ("sweep", "false", SOURCE_ARGUMENTS[0][2]),
    ("timeout", "0.1", "Time limit of IK requests without a timeout, s."),
    ("tracked_body", "", "Link that follows topic ik_target. Empty: none."),
    ("tracked_base", "", "Link that stays fixed while tracking. Empty: the robot's root."),
    ("rviz_config", "ik.rviz", "RViz configuration of this package."),
)
# Humble has no EqualsSubstitution.
SOURCE_MODE = ParameterValue(
    PythonExpression(
        [
            "'sweep' if '",
            LaunchConfiguration("sweep"),
            "'.lower() in ('true', '1') else 'positions'",
        ]
    ),
    value_type=str,
)


@dataclass(frozen=True)
class RobotNode:
    """A node of this package in the robot's namespace.

    Args:
        executable: its program, and the node's name.
        parameters: plain values and ParameterValues.
        flag: name of the boolean launch argument that enables the node. Empty: always enabled.
    """

    executable: str
    parameters: Mapping[str, Any] = field(default_factory=dict)
    flag: str = ""


@dataclass(frozen=True)
class _Placed:
    """A node with the values of its parameters, and its namespace without a leading slash."""

    namespace: str
    executable: str
    parameters: Mapping[str, Any]


# The nodes of ``in_one_process``, while its actions are executed.
_gathered: WeakKeyDictionary[LaunchContext, list[_Placed]] = WeakKeyDictionary()


def declared(*tables: Table, further: Iterable[str] | None = ()) -> list[DeclareLaunchArgument]:
    """Return the declared arguments of the tables; later rows replace earlier ones.

    Raises UnknownNameError if the command ``ros2 launch`` sets an argument that is neither in
    them nor in ``further``. With None the check is left to an included file.
    """
    rows = {name: (default, text) for table in tables for name, default, text in table}
    if further is not None:
        _check_command([*rows, *further])
    return [
        DeclareLaunchArgument(name, default_value=default, description=text)
        for name, (default, text) in rows.items()
    ]


@functools.cache
def _words_to_check() -> list[str]:
    """Return what the command sets if it launches a file of this package.

    The list becomes empty when it has been checked: files that this one includes have fewer
    arguments.
    """
    command = sys.argv[1:]
    return command[3:] if command[:2] == ["launch", PACKAGE] else []


def _check_command(known: list[str]) -> None:
    words = _words_to_check()
    names = [word.partition(":=")[0] for word in words if ":=" in word]
    words.clear()
    for name in names:
        if name not in known:
            raise UnknownNameError("argument", name, known, sys.argv[3])


def setting(name: str, value_type: type) -> ParameterValue:
    """Return a launch argument as a parameter value of a type."""
    return ParameterValue(LaunchConfiguration(name), value_type=value_type)


def settings(**types: type) -> dict[str, Any]:
    """Return parameters that are launch arguments of the same names."""
    return {name: setting(name, value_type) for name, value_type in types.items()}


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
        publish_frequency=float,
        ignore_timestamp=bool,
    )
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
    parameters = {
        name: value.evaluate(context) if isinstance(value, ParameterValue) else value
        for name, value in node.parameters.items()
    }
    return _Placed(namespace.strip("/"), node.executable, parameters)


def _own_process(node: _Placed) -> Node:
    return Node(
        package=PACKAGE,
        executable=node.executable,
        namespace=f"/{node.namespace}",
        parameters=[dict(node.parameters)] if node.parameters else [],
        output="screen",
        on_exit=exit_handler(node.executable),
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
        on_exit=exit_handler(HOST),
    )


def temporary_file(text: str, suffix: str) -> str:
    """Return the path of a new file with a text; it is removed when the launch ends."""
    folder = _temporary_folder()
    with tempfile.NamedTemporaryFile("w", dir=folder, suffix=suffix, delete=False) as file:
        file.write(text)
    return file.name


@functools.cache
def _temporary_folder() -> str:
    folder = tempfile.TemporaryDirectory(prefix=f"{PACKAGE}_")
    atexit.register(folder.cleanup)
    return folder.name


def included(
    launch_file: str, arguments: Mapping[str, Any], condition: Condition | None = None
) -> IncludeLaunchDescription:
    """Return another launch file of this package with these arguments."""
    return IncludeLaunchDescription(
        PythonLaunchDescriptionSource(PathJoinSubstitution([ThisLaunchFileDir(), launch_file])),
        launch_arguments=arguments.items(),
        condition=condition,
    )


def rviz(config: Any, fixed_frame: Any) -> Action:
    """Return RViz, enabled by the argument rviz.

    Args:
        config: file name of an RViz configuration of this package.
        fixed_frame: RViz's fixed frame.
    """
    arguments = {
        "rviz_config": PathJoinSubstitution([ThisLaunchFileDir(), "..", "config", config]),
        "fixed_frame": fixed_frame,
        "frame_prefix": LaunchConfiguration("frame_prefix", default=""),
        "namespace": LaunchConfiguration("namespace", default=""),
        "use_sim_time": LaunchConfiguration("use_sim_time", default="false"),
        "srdf": LaunchConfiguration("srdf", default=""),
    }
    return included("rviz.launch.py", arguments, IfCondition(LaunchConfiguration("rviz")))


def robot_rviz() -> Action:
    """Return RViz with the robot and the configuration of DESCRIPTION_ARGUMENTS."""

    def show(context: LaunchContext) -> list[LaunchDescriptionEntity]:
        # Only RViz needs the base frame: without it the robot is not loaded here.
        from rigid_tree_kinematics import load_robot

        base = load_robot(LaunchConfiguration("robot").perform(context)).base_name
        frame = [LaunchConfiguration("frame_prefix"), base]
        return [rviz(LaunchConfiguration("rviz_config"), frame)]

    return OpaqueFunction(function=show, condition=IfCondition(LaunchConfiguration("rviz")))


def exit_handler(
    name: str, is_demo: bool = False
) -> Callable[[ProcessExited, LaunchContext], Action | None]:
    """Return what a process does to the launch when it exits, for ``on_exit``.

    A process that fails ends the launch, and ``ros2 launch`` exits with 1. One that a signal kills
    does so only if it is a demo. A demo that succeeds ends the launch with 0.
    """

    def end(event: ProcessExited, context: LaunchContext) -> Action | None:
        if context.is_shutdown:
            return None
        if event.returncode > 0 or (is_demo and event.returncode):
            raise RuntimeError(f"{name} has failed: see its message above")
        return EmitEvent(event=Shutdown(reason="the demo has ended")) if is_demo else None

    return end


@functools.cache
def nodes_have(package: str) -> bool:
    """Return whether the nodes' Python has a package, which the one of this process may lack."""
    code = "import sys, importlib.util as u; sys.exit(u.find_spec(sys.argv[1]) is None)"
    program = Path(get_package_prefix(PACKAGE)) / "lib" / PACKAGE / PYTHON
    return subprocess.run([program, "-c", code, package], check=False).returncode == 0
