"""A NAO, real or simulated: its motion API, its frames, and on request RViz, IK and planning.

ros2 launch rigid_tree_kinematics nao.launch.py                       a simulated one
ros2 launch rigid_tree_kinematics nao.launch.py nao_ip:=nao.local     a robot
"""

from launch import LaunchContext, LaunchDescription
from launch.action import Action
from launch.actions import (
    DeclareLaunchArgument,
    ExecuteProcess,
    IncludeLaunchDescription,
    OpaqueFunction,
)
from launch.conditions import IfCondition
from launch.launch_description_sources import PythonLaunchDescriptionSource
from launch.substitutions import (
    LaunchConfiguration,
    PathJoinSubstitution,
    PythonExpression,
    ThisLaunchFileDir,
)
from launch_ros.actions import Node
from launch_ros.parameter_descriptions import ParameterValue
from launch_ros.substitutions import ExecutableInPackage

PACKAGE = "rigid_tree_kinematics"
ARGUMENTS = (
    ("nao_ip", "", "Name or address of the robot. Empty: a simulated one is started here."),
    ("nao_port", "9559", "Port of its NAOqi; of the simulated one, too."),
    ("user", "", "User, for NAOqi 2.8 and later over tcps (nao_port:=9503). Empty: tcp."),
    ("password", "", "Password of that user."),
    ("version", "V6", "The robot: V6, V5, V4, V33 or V32."),
    ("body_type", "H25", "H25, or H21 without wrists and hands (not V6)."),
    ("namespace", "nao", "Namespace of the robot's nodes and topics (/tf is shared by all)."),
    ("frame_prefix", "", "Put in front of every frame name, such as 'nao/'."),
    ("cmd_vel_timeout", "0.5", "The walk stops when no cmd_vel came for so long, s."),
    ("ik", "false", "Offer inverse kinematics (ik_server)."),
    ("planner", "false", "Offer motion planning (rrt_planner)."),
    ("web", "false", "Show the robot in the browser (web_viewer)."),
    ("web_port", "8080", "Port of the page, on this machine only."),
    ("rviz", "false", "Show the robot in RViz, where it is installed."),
)
IS_SIMULATED = PythonExpression(["'", LaunchConfiguration("nao_ip"), "' == ''"])


def setting(name: str, value_type: type) -> ParameterValue:
    """Return a launch argument as a parameter of that type."""
    return ParameterValue(LaunchConfiguration(name), value_type=value_type)


def frames(context: LaunchContext) -> list[Action]:
    """The model of this version; only Python knows its name."""
    from rigid_tree_kinematics.nao.body import NaoBody

    version = LaunchConfiguration("version").perform(context)
    body = NaoBody(version, LaunchConfiguration("body_type").perform(context))
    return [
        Node(
            package=PACKAGE,
            executable="tree_state_publisher",
            namespace=LaunchConfiguration("namespace"),
            parameters=[{"robot": body.robot_name, "frame_prefix": setting("frame_prefix", str)}],
            output="screen",
        )
    ]


def page(context: LaunchContext) -> list[Action]:
    """Lists of parameters cannot be written with substitutions."""
    prefix = LaunchConfiguration("frame_prefix").perform(context)
    return [
        Node(
            package=PACKAGE,
            executable="web_viewer",
            namespace=LaunchConfiguration("namespace"),
            parameters=[{"port": setting("web_port", int), "frame_prefixes": [prefix]}],
            output="screen",
        )
    ]


def generate_launch_description() -> LaunchDescription:
    texts = ("user", "password", "version", "body_type", "frame_prefix")
    nao_ip = PythonExpression(["'", LaunchConfiguration("nao_ip"), "' or '127.0.0.1'"])
    return LaunchDescription(
        [
            *(
                DeclareLaunchArgument(name, default_value=default, description=description)
                for name, default, description in ARGUMENTS
            ),
            ExecuteProcess(
                cmd=[
                    ExecutableInPackage(package=PACKAGE, executable="simulated_nao"),
                    *("--port", LaunchConfiguration("nao_port")),
                    *("--version", LaunchConfiguration("version")),
                    *("--body-type", LaunchConfiguration("body_type")),
                ],
                name="simulated_nao",
                condition=IfCondition(IS_SIMULATED),
                output="screen",
            ),
            Node(
                package=PACKAGE,
                executable="nao_bridge",
                namespace=LaunchConfiguration("namespace"),
                parameters=[
                    {
                        "nao_ip": ParameterValue(nao_ip, value_type=str),
                        "nao_port": setting("nao_port", int),
                        "cmd_vel_timeout": setting("cmd_vel_timeout", float),
                        **{name: setting(name, str) for name in texts},
                    }
                ],
                output="screen",
            ),
            OpaqueFunction(function=frames),
            # They get their robot from tree_state_publisher, on topic robot_description.
            *(
                Node(
                    package=PACKAGE,
                    executable=executable,
                    namespace=LaunchConfiguration("namespace"),
                    parameters=[{"frame_prefix": setting("frame_prefix", str)}],
                    condition=IfCondition(LaunchConfiguration(flag)),
                    output="screen",
                )
                for flag, executable in (("ik", "ik_server"), ("planner", "rrt_planner"))
            ),
            OpaqueFunction(function=page, condition=IfCondition(LaunchConfiguration("web"))),
            IncludeLaunchDescription(
                PythonLaunchDescriptionSource(
                    PathJoinSubstitution([ThisLaunchFileDir(), "rviz.launch.py"])
                ),
                launch_arguments={
                    "rviz_config": PathJoinSubstitution(
                        [ThisLaunchFileDir(), "..", "config", "nao.rviz"]
                    ),
                    "fixed_frame": [LaunchConfiguration("frame_prefix"), "odom"],
                    "namespace": LaunchConfiguration("namespace"),
                }.items(),
                condition=IfCondition(LaunchConfiguration("rviz")),
            ),
        ]
    )
