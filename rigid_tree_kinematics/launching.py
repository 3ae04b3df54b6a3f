"""What the launch files share: arguments from tables, a robot's nodes in one process, RViz.

Only launch files import this module: it needs launch and launch_ros, nothing of the library.
"""

from __future__ import annotations

import atexit
import functools
import tempfile
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import yaml
from launch import LaunchContext, LaunchDescriptionEntity
from launch.action import Action
from launch.actions import (
    DeclareLaunchArgument,
    EmitEvent,
    IncludeLaunchDescription,
    OpaqueFunction,
    RegisterEventHandler,
)
from launch.conditions import IfCondition
from launch.event_handlers import OnProcessExit
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

PACKAGE = "rigid_tree_kinematics"
HOST = "robot_host"

# Name, default and description of each argument.
Table = Iterable[tuple[str, str, str]]

PROCESSES = (
    "processes",
    "one",
    "one: the robot's nodes share a process. each: every node has its own.",
)
PAGE_ARGUMENTS = (
    ("web_port", "8080", "Port of the page."),
    (
        "web_host",
        "127.0.0.1",
        "Address that the page is served on; beyond loopback, such as 0.0.0.0, it needs a token.",
    ),
    ("web_token", "", "Token of the page. Empty: none on loopback, elsewhere a random one."),
)
DESCRIPTION_ARGUMENTS = (
    ("robot", "panda", "A bundled robot's name, or the path of a .urdf, .xacro or .yaml file."),
    ("namespace", "", "Namespace of the robot's nodes and topics (/tf is shared by all)."),
    ("frame_prefix", "", "Put in front of every frame name, such as 'left/'."),
    ("publish_frequency", "0.0", "Highest rate of a joint's frames, Hz; 0: no limit."),
    ("ignore_timestamp", "false", "Publish joint states with old stamps too."),
    ("use_sim_time", "false", "Take the time from /clock."),
    ("web", "false", "Show the robot in the browser (web_viewer)."),
    *PAGE_ARGUMENTS,
    ("rviz", "false", "Show the robot in RViz, where it is installed."),
    ("rviz_config", "description.rviz", "Which of this package's RViz configurations to show."),
    PROCESSES,
)
SOURCE_ARGUMENTS = (
    (
        "sweep",
        "true",
        "Move the joints slowly through their limits. false: they stay at home, until parameters "
        "positions.<joint> of joint_state_source say otherwise.",
    ),
    (
        "joint_state_source",
        "true",
        "Publish joint states without hardware. false: a driver publishes them.",
    ),
    ("rate", "50.0", "Joint states a second that joint_state_source publishes, Hz."),
)
IK_ARGUMENTS = (
    ("sweep", "false", SOURCE_ARGUMENTS[0][2]),
    ("timeout", "0.1", "How long ik_server works on a request that names no timeout, s."),
    ("tracked_body", "", "The link that follows topic ik_target. Empty: none does."),
    ("tracked_base", "", "The link that stands still meanwhile. Empty: the robot's root."),
    ("rviz_config", "ik.rviz", "Which of this package's RViz configurations to show."),
)
# Written so that Humble, which has no EqualsSubstitution yet, understands it as well.
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
    """One of a robot's nodes, in the robot's namespace.

    Args:
        executable: of this package; the node's name, too.
        parameters: plain values, and ParameterValues of launch arguments.
        flag: launch argument that says whether the node is started; always if empty.
    """

    executable: str
    parameters: Mapping[str, Any] = field(default_factory=dict)
    flag: str = ""


def declared(*tables: Table) -> list[DeclareLaunchArgument]:
    """Return the arguments of tables; where a name comes again, the later one counts."""
    rows = {name: (default, text) for table in tables for name, default, text in table}
    return [
        DeclareLaunchArgument(name, default_value=default, description=text)
        for name, (default, text) in rows.items()
    ]


def setting(name: str, value_type: type) -> ParameterValue:
    """Return a launch argument as a parameter of that type."""
    return ParameterValue(LaunchConfiguration(name), value_type=value_type)


def tree_state_publisher() -> RobotNode:
    """Return what puts the robot's frames on the network; takes DESCRIPTION_ARGUMENTS."""
    return RobotNode(
        "tree_state_publisher",
        {
            "robot": setting("robot", str),
            "use_sim_time": setting("use_sim_time", bool),
            "frame_prefix": setting("frame_prefix", str),
            "publish_frequency": setting("publish_frequency", float),
            "ignore_timestamp": setting("ignore_timestamp", bool),
        },
    )


def joint_states() -> RobotNode:
    """Return what plays the joints of a robot without hardware. Takes SOURCE_ARGUMENTS."""
    return RobotNode(
        "joint_state_source",
        {
            "robot": setting("robot", str),
            "use_sim_time": setting("use_sim_time", bool),
            "mode": SOURCE_MODE,
            "rate": setting("rate", float),
        },
        "joint_state_source",
    )


def ik_server() -> RobotNode:
    """Return the server of inverse kinematics; takes the arguments IK_ARGUMENTS."""
    return RobotNode(
        "ik_server",
        {
            "use_sim_time": setting("use_sim_time", bool),
            "frame_prefix": setting("frame_prefix", str),
            "timeout": setting("timeout", float),
            "tracked_body": setting("tracked_body", str),
            "tracked_base": setting("tracked_base", str),
        },
    )


def page(context: LaunchContext) -> RobotNode:
    """Return the page in the browser; takes web, frame_prefix and PAGE_ARGUMENTS."""
    # Lists of parameters cannot be written with substitutions.
    prefix = LaunchConfiguration("frame_prefix").perform(context)
    return RobotNode("web_viewer", page_parameters() | {"frame_prefixes": [prefix]}, "web")


def page_parameters() -> dict[str, Any]:
    """Return where the page is served; takes PAGE_ARGUMENTS."""
    names = (("port", int), ("host", str), ("token", str))
    return {name: setting(f"web_{name}", kind) for name, kind in names}


def robot_nodes(make: Callable[[LaunchContext], Sequence[RobotNode]]) -> OpaqueFunction:
    """Return the action that starts what ``make`` returns: in one process, or each in its own.

    In one process they start one after the other: what moves first, what plans last.

    Takes the arguments ``processes`` and ``namespace``.
    """

    def start(context: LaunchContext) -> list[LaunchDescriptionEntity]:
        nodes = [node for node in make(context) if _is_wanted(node, context)]
        processes = LaunchConfiguration("processes").perform(context)
        if processes not in ("one", "each"):
            raise RuntimeError(f"processes is one or each, not '{processes}'")
        if processes == "one" and len(nodes) > 1:
            return [_host(nodes, context)]
        return [_alone(node, context) for node in nodes]

    return OpaqueFunction(function=start)


def _is_wanted(node: RobotNode, context: LaunchContext) -> bool:
    return not node.flag or IfCondition(LaunchConfiguration(node.flag)).evaluate(context)


def _alone(node: RobotNode, context: LaunchContext) -> Node:
    return Node(
        package=PACKAGE,
        executable=node.executable,
        namespace=LaunchConfiguration("namespace"),
        parameters=[_evaluated(node, context)] if node.parameters else [],
        output="screen",
    )


def _host(nodes: Sequence[RobotNode], context: LaunchContext) -> Node:
    """Return one process for all nodes, with a file that gives each its parameters by name."""
    namespace = LaunchConfiguration("namespace").perform(context).strip("/")
    prefix = f"/{namespace}" if namespace else ""
    parameters = {
        f"{prefix}/{node.executable}": {"ros__parameters": _evaluated(node, context)}
        for node in nodes
        if node.parameters
    }
    return Node(
        package=PACKAGE,
        executable=HOST,
        namespace=LaunchConfiguration("namespace"),
        arguments=[node.executable for node in nodes],
        parameters=[written(yaml.safe_dump(parameters), ".yaml")],
        output="screen",
    )


def written(text: str, suffix: str) -> str:
    """Return the path of a new file with this text, which is removed when the launch ends."""
    with tempfile.NamedTemporaryFile("w", dir=_folder(), suffix=suffix, delete=False) as file:
        file.write(text)
    return file.name


@functools.cache
def _folder() -> str:
    folder = tempfile.TemporaryDirectory(prefix=f"{PACKAGE}_")
    atexit.register(folder.cleanup)
    return folder.name


def _evaluated(node: RobotNode, context: LaunchContext) -> dict[str, Any]:
    """Return a node's parameters as plain values."""
    return {
        name: value.evaluate(context) if isinstance(value, ParameterValue) else value
        for name, value in node.parameters.items()
    }


def rviz(config: Any, fixed_frame: Any) -> Action:
    """Return RViz, if the launch argument rviz says so.

    Args:
        config: name of one of this package's RViz configurations.
        fixed_frame: the frame that RViz holds still.
    """
    return IncludeLaunchDescription(
        PythonLaunchDescriptionSource(
            PathJoinSubstitution([ThisLaunchFileDir(), "rviz.launch.py"])
        ),
        launch_arguments={
            "rviz_config": PathJoinSubstitution([ThisLaunchFileDir(), "..", "config", config]),
            "fixed_frame": fixed_frame,
            "frame_prefix": LaunchConfiguration("frame_prefix", default=""),
            "namespace": LaunchConfiguration("namespace", default=""),
            "use_sim_time": LaunchConfiguration("use_sim_time", default="false"),
        }.items(),
        condition=IfCondition(LaunchConfiguration("rviz")),
    )


def robot_rviz() -> Action:
    """Return RViz with the configuration and the robot that DESCRIPTION_ARGUMENTS name."""

    def show(context: LaunchContext) -> list[LaunchDescriptionEntity]:
        # Only RViz needs to know the base frame; the robot is not read twice for nothing.
        from rigid_tree_kinematics import load_robot

        base = load_robot(LaunchConfiguration("robot").perform(context)).base_name
        frame = [LaunchConfiguration("frame_prefix"), base]
        return [rviz(LaunchConfiguration("rviz_config"), frame)]

    return OpaqueFunction(function=show, condition=IfCondition(LaunchConfiguration("rviz")))


def end_with(demo: Node, name: str) -> RegisterEventHandler:
    """Return what ends everything when a demo ends; an error makes ``ros2 launch`` exit with 1."""

    def end(event: ProcessExited, context: LaunchContext) -> list[Action]:
        if context.is_shutdown:
            return []
        if event.returncode:
            raise RuntimeError(f"the demo failed: see the message above from {name}")
        return [EmitEvent(event=Shutdown(reason="the demo is over"))]

    return RegisterEventHandler(OnProcessExit(target_action=demo, on_exit=end))
