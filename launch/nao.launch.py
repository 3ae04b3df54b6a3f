"""A NAO, real or simulated: its motion API, its frames, and on request RViz, IK and planning.

ros2 launch rigid_tree_kinematics nao.launch.py                       a simulated one
ros2 launch rigid_tree_kinematics nao.launch.py nao_ip:=nao.local     a robot
"""

from collections.abc import Sequence

from launch import LaunchContext, LaunchDescription
from launch.actions import ExecuteProcess
from launch.conditions import IfCondition
from launch.substitutions import LaunchConfiguration, PythonExpression
from launch_ros.parameter_descriptions import ParameterValue
from launch_ros.substitutions import ExecutableInPackage

from rigid_tree_kinematics.launching import (
    PACKAGE,
    PAGE_ARGUMENTS,
    PROCESSES,
    RobotNode,
    declared,
    page,
    robot_nodes,
    rviz,
    setting,
)

ARGUMENTS = (
    ("nao_ip", "", "Name or address of the robot. Empty: a simulated one is started here."),
    ("nao_port", "9559", "Port of its NAOqi; of the simulated one, too."),
    ("user", "", "User, for NAOqi 2.8 and later over tcps (nao_port:=9503). Empty: tcp."),
    ("username", "", "The same as user, as naoqi_driver2 calls it."),
    (
        "password",
        "",
        "Password of that user; 'no_password', naoqi_driver2's default: none, over tcp.",
    ),
    ("version", "V6", "The robot: V6, V5, V4, V33 or V32."),
    ("body_type", "H25", "H25, or H21 without wrists and hands (not V6)."),
    ("namespace", "nao", "Namespace of the robot's nodes and topics (/tf is shared by all)."),
    ("frame_prefix", "", "Put in front of every frame name, such as 'nao/'."),
    ("cmd_vel_timeout", "0.5", "The walk stops when no cmd_vel came for so long, s."),
    ("ik", "false", "Offer inverse kinematics (ik_server)."),
    ("planner", "false", "Offer motion planning (rrt_planner)."),
    ("web", "false", "Show the robot in the browser (web_viewer)."),
    *PAGE_ARGUMENTS,
    ("rviz", "false", "Show the robot in RViz, where it is installed."),
    PROCESSES,
)
NO_PASSWORD = "no_password"  # in place of one, by naoqi_driver2
IS_SIMULATED = PythonExpression(["'", LaunchConfiguration("nao_ip"), "' == ''"])


def text(value: str) -> ParameterValue:
    """Return a parameter that stays a text, even if it looks like a number."""
    return ParameterValue(value, value_type=str)


def nao(context: LaunchContext) -> Sequence[RobotNode]:
    """Return the bridge and what shows the robot."""
    # The model of this version; only Python knows its name.
    from rigid_tree_kinematics.nao.model.body import NaoBody

    version = LaunchConfiguration("version").perform(context)
    body = NaoBody(version, LaunchConfiguration("body_type").perform(context))
    nao_ip = PythonExpression(["'", LaunchConfiguration("nao_ip"), "' or '127.0.0.1'"])
    texts = ("version", "body_type", "frame_prefix")
    password = LaunchConfiguration("password").perform(context)
    users = [LaunchConfiguration(name).perform(context) for name in ("user", "username")]
    has_login = password != NO_PASSWORD
    bridge = {
        "user": text(next(filter(None, users), "") if has_login else ""),
        "password": text(password if has_login else ""),
        "nao_ip": ParameterValue(nao_ip, value_type=str),
        "nao_port": setting("nao_port", int),
        "cmd_vel_timeout": setting("cmd_vel_timeout", float),
        **{name: setting(name, str) for name in texts},
    }
    model = {"robot": body.robot_name, "frame_prefix": setting("frame_prefix", str)}
    return [
        RobotNode("nao_bridge", bridge),
        RobotNode("tree_state_publisher", model),
        page(context),
    ]


def solvers(context: LaunchContext) -> Sequence[RobotNode]:
    """Return what gets its robot from tree_state_publisher, apart from the bridge's libqi."""
    prefix = {"frame_prefix": setting("frame_prefix", str)}
    return [RobotNode("ik_server", prefix, "ik"), RobotNode("rrt_planner", prefix, "planner")]


def generate_launch_description() -> LaunchDescription:
    return LaunchDescription(
        [
            *declared(ARGUMENTS),
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
            robot_nodes(nao),
            robot_nodes(solvers),
            rviz("nao.rviz", [LaunchConfiguration("frame_prefix"), "odom"]),
        ]
    )
