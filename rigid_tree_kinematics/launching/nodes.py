"""Actions of launch files: start nodes and RViz, include files, end the launch."""

import atexit
import functools
import subprocess
import tempfile
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from pathlib import Path
from typing import Any
from weakref import WeakKeyDictionary, WeakSet

import yaml
from ament_index_python.packages import PackageNotFoundError, get_package_prefix
from launch import LaunchContext, LaunchDescription, LaunchDescriptionEntity
from launch.action import Action
from launch.actions import EmitEvent, IncludeLaunchDescription, OpaqueFunction, TimerAction
from launch.conditions import IfCondition
from launch.events import Shutdown
from launch.events.process import ProcessExited
from launch.launch_description_sources import PythonLaunchDescriptionSource
from launch.substitutions import LaunchConfiguration, PathJoinSubstitution, ThisLaunchFileDir
from launch_ros.actions import Node
from launch_ros.parameter_descriptions import ParameterValue
from launch_ros.substitutions import FindPackageShare

from rigid_tree_kinematics.launching import arguments

HOST = "robot_host"
WEB = "rigid_tree_web"
PYTHON = "python"  # the program that runs the nodes' Python


@dataclass(frozen=True)
class RobotNode:
    """A node of this package in the robot's namespace.

    Args:
        executable: its program, and the node's name.
        parameters: plain values, ParameterValues and functions of the LaunchContext.
        flag: name of the boolean launch argument that enables the node. Empty: always enabled.
        is_demo: whether the launch ends with the node.
        package: the package of the program.
    """

    executable: str
    parameters: Mapping[str, Any] = field(default_factory=dict)
    flag: str = ""
    is_demo: bool = False
    package: str = arguments.PACKAGE


# The nodes of ``in_one_process`` with their full names, during its actions.
_gathered: WeakKeyDictionary[LaunchContext, list[tuple[str, RobotNode]]] = WeakKeyDictionary()
_failed: WeakSet[LaunchContext] = WeakSet()  # which an error ends

Entities = Sequence[LaunchDescriptionEntity]


def opaque(function: Callable[[LaunchContext], Entities | None]) -> OpaqueFunction:
    """Return an OpaqueFunction whose error ends the launch with all its processes.

    ``launch`` loses sight of the processes that start in the same event as an exception, and
    leaves them running: the error is raised in an event of its own. Nothing starts after it.
    """

    def call(context: LaunchContext) -> list[LaunchDescriptionEntity]:
        if context in _failed:
            return []
        try:
            return [*(function(context) or ())]
        except Exception as error:
            _failed.add(context)
            return [TimerAction(period=0.0, actions=[OpaqueFunction(function=_raiser(error))])]

    return OpaqueFunction(function=call)


def _raiser(error: Exception) -> Callable[[LaunchContext], None]:
    def fail(_: LaunchContext) -> None:
        raise error

    return fail


def tree_state_publisher(source: str) -> RobotNode:
    """Return the publisher of the robot's frames, configured by DESCRIPTION_ARGUMENTS.

    ``source`` is the boolean launch argument that starts a source of joint states. A file that
    includes the launch file and has a source of its own sets ``await_joint_states``.
    """
    parameters = arguments.settings(
        robot=str,
        package_paths=str,
        xacro_args=str,
        use_sim_time=bool,
        frame_prefix=str,
        parent_frame=str,
        publish_frequency=float,
        ignore_timestamp=bool,
    )
    parameters["base_pose"] = partial(arguments.pose_argument, "base_pose")
    meshes = LaunchConfiguration("meshes", default="simple")
    parameters["meshes"] = ParameterValue(meshes, value_type=str)
    awaits = LaunchConfiguration("await_joint_states", default=LaunchConfiguration(source))
    parameters["await_joint_states"] = arguments.setting(source, bool, awaits)
    return RobotNode("tree_state_publisher", parameters)


def described(context: LaunchContext) -> list[RobotNode]:
    """Return the frames of a robot, its joint states without hardware, and the page.

    Configured by DESCRIPTION_ARGUMENTS and SOURCE_ARGUMENTS.
    """
    source = "joint_state_source"
    parameters = arguments.settings(robot=str, xacro_args=str, package_paths=str)
    parameters |= arguments.settings(use_sim_time=bool, rate=float)
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
    parameters = page_parameters() | {"frame_prefixes": [prefix]}
    return RobotNode("web_viewer", parameters, "web", package=WEB)


def page_parameters() -> dict[str, Any]:
    """Return the parameters of web_viewer that PAGE_ARGUMENTS set."""
    names = (("port", int), ("host", str), ("token", str))
    return {name: arguments.setting(f"web_{name}", kind) for name, kind in names}


def robot_nodes(make: Callable[[LaunchContext], Sequence[RobotNode]]) -> OpaqueFunction:
    """Return the action that starts the enabled nodes of ``make``, in one or more processes.

    In one process, nodes start in the given order. Uses the arguments ``processes`` and
    ``namespace``. Robots of ``in_one_process`` share theirs.
    """

    def start(context: LaunchContext) -> list[LaunchDescriptionEntity]:
        processes = LaunchConfiguration("processes").perform(context)
        if processes not in ("one", "each"):
            raise RuntimeError(f"argument processes must be 'one' or 'each', not '{processes}'")
        namespace = _namespace(context)
        try:
            nodes = [
                _placed(node, namespace, context)
                for node in make(context)
                if not node.flag or IfCondition(LaunchConfiguration(node.flag)).evaluate(context)
            ]
        except Exception as error:
            if not namespace:
                raise
            raise RuntimeError(f"{namespace}: {error}") from error  # of which robot of a fleet
        if processes == "one" and context in _gathered:
            _gathered[context] += nodes
            return []
        if processes == "one" and len(nodes) > 1:
            return [_shared_process(nodes)]
        return [_own_process(*node) for node in nodes]

    return opaque(start)


def robot_launch(
    make: Callable[[LaunchContext], Sequence[RobotNode]], *tables: arguments.Table
) -> LaunchDescription:
    """Return the launch of one robot's nodes and RViz, with DESCRIPTION_ARGUMENTS and others."""
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

    return [opaque(begin), *actions, opaque(end)]


def _namespace(context: LaunchContext) -> str:
    """Return the robot's namespace, within that of PushROSNamespace, without slashes around it."""
    namespace = LaunchConfiguration("namespace", default="").perform(context)
    if not namespace.startswith("/"):
        namespace = f"{context.launch_configurations.get('ros_namespace', '')}/{namespace}"
    namespace = namespace.strip("/")
    if namespace:
        arguments.check_namespace(namespace, "argument namespace")
    return namespace


def _placed(node: RobotNode, namespace: str, context: LaunchContext) -> tuple[str, RobotNode]:
    """Return a node's full name and its values."""

    def evaluated(value: Any) -> Any:
        if isinstance(value, ParameterValue):
            return value.evaluate(context)
        return value(context) if callable(value) else value

    own = arguments.without_globals(dict(node.parameters), context)
    parameters = {name: evaluated(value) for name, value in own.items()}
    _check_installed(node)
    name = f"{namespace}/{node.executable}".strip("/")
    return name, replace(node, parameters=parameters)


def _check_installed(node: RobotNode) -> None:
    """Raise RuntimeError if the package of a node is not installed."""
    try:
        get_package_prefix(node.package)
    except PackageNotFoundError:
        reason = f"{node.flag}:=true" if node.flag else node.executable
        raise RuntimeError(
            f"{reason} needs the package {node.package}, which is not installed: build it in "
            f"this workspace (packages/{node.package})"
        ) from None


def _own_process(name: str, node: RobotNode) -> Node:
    return Node(
        package=node.package,
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


def included(
    launch_file: str,
    arguments: Mapping[str, Any],
    package: str = arguments.PACKAGE,
) -> IncludeLaunchDescription:
    """Return an include of a package's launch file with these arguments."""
    path = PathJoinSubstitution([FindPackageShare(package), "launch", launch_file])
    return IncludeLaunchDescription(
        PythonLaunchDescriptionSource(path),
        launch_arguments=arguments.items(),
    )


def rviz(config: Any, fixed_frame: Callable[[LaunchContext], str]) -> OpaqueFunction:
    """Return RViz, enabled by the argument rviz.

    Args:
        config: file name of an RViz configuration beside the launch file, or its path.
        fixed_frame: returns RViz's fixed frame.
    """

    def show(context: LaunchContext) -> list[LaunchDescriptionEntity]:
        if not IfCondition(LaunchConfiguration("rviz")).evaluate(context):
            return []
        names = ("frame_prefix", "namespace", "srdf", "robot", "config")
        defaults = {"use_sim_time": "false"} | dict.fromkeys(names, "")
        arguments = {
            "rviz_config": PathJoinSubstitution([ThisLaunchFileDir(), "..", "config", config]),
            "fixed_frame": fixed_frame(context),
            **{name: LaunchConfiguration(name, default=value) for name, value in defaults.items()},
        }
        return [included("rviz.launch.py", arguments)]

    return opaque(show)


def robot_rviz() -> OpaqueFunction:
    """Return RViz with the robot and the configuration of DESCRIPTION_ARGUMENTS."""

    def base(context: LaunchContext) -> str:
        # Only RViz needs the base frame: without it the robot is not loaded here.
        base = arguments.robot_argument(context).base_name
        return LaunchConfiguration("frame_prefix").perform(context) + base

    return rviz(LaunchConfiguration("rviz_config"), base)


def demo(package: str, program: str, **types: type) -> OpaqueFunction:
    """Return a demo, which ends the launch; its parameters are launch arguments."""

    def start(context: LaunchContext) -> list[LaunchDescriptionEntity]:
        values = arguments.without_globals(arguments.settings(**types), context)
        parameters = {name: value.evaluate(context) for name, value in values.items()}
        return [
            Node(
                package=package,
                executable=program,
                parameters=[parameters],
                output="screen",
                on_exit=exit_handler(program, is_demo=True),
            )
        ]

    return opaque(start)


def exit_handler(
    name: str, is_demo: bool = False
) -> Callable[[ProcessExited, LaunchContext], Action | None]:
    """Return the ``on_exit`` handler of a process.

    A process that fails ends the launch, and ``ros2 launch`` exits with 1. One that a signal kills
    does so only if it is a demo. A demo that succeeds ends the launch with 0.
    """

    def end(event: ProcessExited, context: LaunchContext) -> Action | None:
        if context.is_shutdown:
            return None
        if event.returncode > 0 or (is_demo and event.returncode):
            raise RuntimeError(f"{name} has failed: see its message above")
        return EmitEvent(event=Shutdown(reason="the demo is finished")) if is_demo else None

    return end


def temporary_file(text: str, suffix: str) -> str:
    """Write a text to a new file, which is removed when the launch ends; return its path."""
    folder = _temporary_folder()
    with tempfile.NamedTemporaryFile("w", dir=folder, suffix=suffix, delete=False) as file:
        file.write(text)
    return file.name


@functools.cache
def _temporary_folder() -> str:
    folder = tempfile.TemporaryDirectory(prefix=f"{arguments.PACKAGE}_")
    atexit.register(folder.cleanup)
    return folder.name


@functools.cache
def nodes_have(package: str) -> bool:
    """Return whether the nodes' Python has a package; this process's Python can differ."""
    code = "import sys, importlib.util as u; sys.exit(u.find_spec(sys.argv[1]) is None)"
    program = Path(get_package_prefix(arguments.PACKAGE)) / "lib" / arguments.PACKAGE / PYTHON
    return subprocess.run([program, "-c", code, package], check=False).returncode == 0
