"""Actions of launch files: the nodes of robots, included files, RViz, the end of demos."""

import atexit
import functools
import re
import subprocess
import tempfile
from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import yaml
from ament_index_python.packages import PackageNotFoundError, get_package_prefix
from launch import LaunchContext, LaunchDescriptionEntity
from launch.action import Action
from launch.actions import EmitEvent, IncludeLaunchDescription, OpaqueFunction
from launch.events import Shutdown
from launch.events.process import ProcessExited
from launch.launch_description_sources import PythonLaunchDescriptionSource
from launch.substitutions import LaunchConfiguration, PathJoinSubstitution, ThisLaunchFileDir
from launch_ros.actions import Node
from launch_ros.substitutions import FindPackageShare

from rigid_tree_kinematics.launching.arguments import (
    PACKAGE,
    named,
    number,
    robot_argument,
    setting,
    settings,
    yaml_argument,
)

PYTHON = "python"  # the program that runs the nodes' Python


class _WithoutAliases(yaml.SafeDumper):
    """Writes values that several nodes share in full: rcl reads no aliases."""

    def ignore_aliases(self, data: Any) -> bool:
        """Return True."""
        return True


class RobotNode(NamedTuple):
    """A program of a package, in the robot's namespace, and its parameters.

    The launch ends with a node that ``is_demo``.
    """

    executable: str
    parameters: Mapping[str, Any] = {}
    package: str = PACKAGE
    is_demo: bool = False


Entities = list[LaunchDescriptionEntity]


def tree_state_publisher(context: LaunchContext, source: str) -> RobotNode:
    """Return the publisher of the robot's frames, configured by DESCRIPTION_ARGUMENTS.

    ``source`` is the boolean launch argument that starts a source of joint states. A file that
    includes the launch file and has a source of its own sets ``await_joint_states``.
    """
    parameters = settings(
        context,
        robot=str,
        package_paths=str,
        xacro_args=str,
        use_sim_time=bool,
        frame_prefix=str,
        parent_frame=str,
        meshes=str,
        publish_frequency=float,
        ignore_timestamp=bool,
    )
    example, where = "[x, y, z, roll, pitch, yaw]", named(context, "base_pose")
    pose = yaml_argument(context, "base_pose", example)
    if len(pose) != 6:
        raise RuntimeError(f"{where} must be '{example}', not {pose}")
    parameters["base_pose"] = [number(value, where) for value in pose]
    awaits = "await_joint_states"
    has_own = awaits in context.launch_configurations
    parameters[awaits] = setting(context, awaits if has_own else source, bool)
    return RobotNode("tree_state_publisher", parameters)


def described(context: LaunchContext) -> list[RobotNode]:
    """Return the frames of a robot, its joint states without hardware, and the page.

    Configured by DESCRIPTION_ARGUMENTS and SOURCE_ARGUMENTS.
    """
    nodes = [tree_state_publisher(context, "joint_state_source")]
    if setting(context, "joint_state_source", bool):
        parameters = settings(
            context, robot=str, xacro_args=str, package_paths=str, use_sim_time=bool, rate=float
        )
        parameters["mode"] = "sweep" if setting(context, "sweep", bool) else "positions"
        nodes.append(RobotNode("joint_state_source", parameters))
    return [*nodes, *page_of_robot(context)]


def ik_server(context: LaunchContext) -> RobotNode:
    """Return the inverse kinematics server, configured by IK_ARGUMENTS."""
    names = {"frame_prefix": str, "tracked_body": str, "tracked_base": str}
    return RobotNode("ik_server", settings(context, use_sim_time=bool, timeout=float, **names))


def page(context: LaunchContext, **shown: Any) -> RobotNode:
    """Return web_viewer with parameters of what it shows, configured by PAGE_ARGUMENTS."""
    server = {name: setting(context, f"web_{name}", str) for name in ("host", "token")}
    port = setting(context, "web_port", int)
    return RobotNode("web_viewer", {**shown, **server, "port": port}, "rigid_tree_web")


def page_of_robot(context: LaunchContext) -> list[RobotNode]:
    """Return the page of the robot if the argument web enables it."""
    prefix = setting(context, "frame_prefix", str)
    return [page(context, frame_prefixes=[prefix])] if setting(context, "web", bool) else []


def robot_nodes(context: LaunchContext, nodes: Sequence[RobotNode]) -> Entities:
    """Return the action that starts the nodes in one process, in this order.

    The argument ``processes`` can ask for one process each. Nodes of ``in_one_process`` start
    together.
    """
    for node in nodes:
        _check_installed(node)
    placed = {f"{_namespace(context)}/{node.executable}".strip("/"): node for node in nodes}
    gathered: Any = context.launch_configurations.get("gathered_nodes")
    if gathered is not None:
        gathered.append(placed)
        return []
    return _processes(context, placed)


def _namespace(context: LaunchContext) -> str:
    """Return the robot's namespace, within that of PushROSNamespace, without slashes around it."""
    namespace = LaunchConfiguration("namespace", default="").perform(context)
    if not namespace.startswith("/"):
        namespace = f"{context.launch_configurations.get('ros_namespace', '')}/{namespace}"
    namespace = namespace.strip("/")
    if namespace:
        check_namespace(namespace, "argument namespace")
    return namespace


def check_namespace(namespace: str, where: str) -> None:
    """Raise RuntimeError if a namespace, without slashes around it, is not valid in ROS."""
    if not re.fullmatch(r"[A-Za-z_]\w*(/[A-Za-z_]\w*)*", namespace, re.ASCII):
        raise RuntimeError(f"{where}: '{namespace}' must look like 'arm_1' or 'hall/arm_1'")


def _check_installed(node: RobotNode) -> None:
    try:
        get_package_prefix(node.package)
    except PackageNotFoundError:
        raise RuntimeError(
            f"{node.executable} needs the package {node.package}, which is not installed: build "
            f"it in this workspace (packages/{node.package})"
        ) from None


def _processes(context: LaunchContext, nodes: Mapping[str, RobotNode]) -> Entities:
    """Return the host of all nodes, or a process for each, with one file of parameters."""
    processes = LaunchConfiguration("processes", default="one").perform(context)
    if processes not in ("one", "each"):
        raise RuntimeError(f"argument processes must be 'one' or 'each', not '{processes}'")
    sections = {
        f"/{name}": {"ros__parameters": dict(node.parameters)}
        for name, node in nodes.items()
        if node.parameters
    }
    text = yaml.dump(sections, Dumper=_WithoutAliases)
    parameters = [temporary_file(text, ".yaml")] if sections else []
    if processes == "one" and len(nodes) > 1:
        is_demo = any(node.is_demo for node in nodes.values())
        return [
            Node(
                package=PACKAGE,
                executable="robot_host",
                arguments=list(nodes),
                parameters=parameters,
                output="screen",
                on_exit=exit_handler("robot_host", is_demo),
            )
        ]
    return [
        Node(
            package=node.package,
            executable=node.executable,
            namespace=f"/{name.rpartition('/')[0]}",
            parameters=parameters,
            output="screen",
            on_exit=exit_handler(node.executable, node.is_demo),
        )
        for name, node in nodes.items()
    ]


def in_one_process(actions: Iterable[Action], hosts: int = 1) -> list[Action]:
    """Return actions, such as included launch files, whose robots share one or more processes."""

    def begin(context: LaunchContext) -> None:
        values: dict[str, Any] = context.launch_configurations
        values["gathered_nodes"] = []

    def end(context: LaunchContext) -> Entities:
        robots: Any = context.launch_configurations.pop("gathered_nodes")
        shares = [robots[k::hosts] for k in range(min(hosts, len(robots)))]
        shared = [dict(item for robot in share for item in robot.items()) for share in shares]
        return [process for nodes in shared for process in _processes(context, nodes)]

    return [OpaqueFunction(function=begin), *actions, OpaqueFunction(function=end)]


def included(
    launch_file: str, arguments: Mapping[str, Any], package: str = PACKAGE
) -> IncludeLaunchDescription:
    """Return an include of a package's launch file with these arguments."""
    path = PathJoinSubstitution([FindPackageShare(package), "launch", launch_file])
    return IncludeLaunchDescription(
        PythonLaunchDescriptionSource(path), launch_arguments=arguments.items()
    )


def rviz(context: LaunchContext, config: str, fixed_frame: str = "") -> Entities:
    """Return RViz if the argument rviz enables it.

    Args:
        context: of the launch.
        config: file name of an RViz configuration in the package's config folder, or its path.
        fixed_frame: RViz's fixed frame. Empty: the base of DESCRIPTION_ARGUMENTS' robot.
    """
    if not setting(context, "rviz", bool):
        return []
    names = ("frame_prefix", "namespace", "srdf", "robot", "config")
    defaults = {"use_sim_time": "false"} | dict.fromkeys(names, "")
    values = {name: LaunchConfiguration(name, default=text) for name, text in defaults.items()}
    path = PathJoinSubstitution([ThisLaunchFileDir(), "..", "config", config])
    # Only this needs the base: without RViz the robot is not loaded here.
    prefix = values["frame_prefix"].perform(context)
    frame = fixed_frame or prefix + robot_argument(context).base_name
    return [included("rviz.launch.py", {"rviz_config": path, "fixed_frame": frame, **values})]


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
    folder = tempfile.TemporaryDirectory(prefix=f"{PACKAGE}_")
    atexit.register(folder.cleanup)
    return folder.name


@functools.cache
def nodes_have(package: str) -> bool:
    """Return whether the nodes' Python has a package; this process's Python can differ."""
    code = "import sys, importlib.util as u; sys.exit(u.find_spec(sys.argv[1]) is None)"
    program = Path(get_package_prefix(PACKAGE)) / "lib" / PACKAGE / PYTHON
    return subprocess.run([program, "-c", code, package], check=False).returncode == 0
