"""A real or simulated NAO: motion API, frames and, optionally, RViz, IK and planning.

ros2 launch rigid_tree_nao nao.launch.py                       a simulated one
ros2 launch rigid_tree_nao nao.launch.py nao_ip:=nao.local     a robot
"""

from collections.abc import Sequence

from launch import LaunchContext, LaunchDescription
from launch.actions import ExecuteProcess
from launch.conditions import IfCondition
from launch.substitutions import LaunchConfiguration, PythonExpression
from launch_ros.parameter_descriptions import ParameterValue
from launch_ros.substitutions import ExecutableInPackage

from rigid_tree_kinematics.launching import (
    PAGE_ARGUMENTS,
    PROCESSES,
    RobotNode,
    declared,
    exit_handler,
    page,
    robot_nodes,
    rviz,
    settings,
)

PACKAGE = "rigid_tree_nao"
ARGUMENTS = (
    ("nao_ip", "", "Host name or address of the robot. Empty: start a simulated one."),
    ("nao_port", "9559", "Port of NAOqi or of the simulated robot."),
    ("user", "", "User, for NAOqi 2.8 and later over tcps (nao_port:=9503). Empty: tcp."),
    ("username", "", "Same as user, as in naoqi_driver2."),
    (
        "password",
        "",
        "Password of the user. 'no_password' (naoqi_driver2's default): tcp without login.",
    ),
    ("version", "V6", "Robot version: V6, V5, V4, V33 or V32."),
    ("body_type", "H25", "H25, or H21 (without wrists and hands; not V6)."),
    ("namespace", "nao", "Namespace of the robot's nodes and topics, except /tf."),
    ("frame_prefix", "", "Prefix of all frame names, such as 'nao/'."),
    ("cmd_vel_timeout", "0.5", "Time without cmd_vel after which the walk stops, s."),
    ("ik", "false", "Start ik_server (inverse kinematics)."),
    ("planner", "false", "Start rrt_planner (motion planning)."),
    ("web", "false", "Show the robot in the browser (web_viewer)."),
    *PAGE_ARGUMENTS,
    ("rviz", "false", "Show the robot in RViz, if it is installed."),
    PROCESSES,
)
NO_PASSWORD = "no_password"  # of naoqi_driver2
IS_SIMULATED = PythonExpression(["'", LaunchConfiguration("nao_ip"), "' == ''"])


def text(value: str) -> ParameterValue:
    """Return a string parameter, even if the value looks like a number."""
    return ParameterValue(value, value_type=str)


def nao(context: LaunchContext) -> Sequence[RobotNode]:
    """Return the bridge and the nodes that show the robot."""
    from rigid_tree_nao.model.body import NaoBody

    values = {row[0]: LaunchConfiguration(row[0]).perform(context) for row in ARGUMENTS}
    has_login = values["password"] != NO_PASSWORD
    bridge = {
        "user": text((values["user"] or values["username"]) if has_login else ""),
        "password": text(values["password"] if has_login else ""),
        "nao_ip": text(values["nao_ip"] or "127.0.0.1"),
        **settings(
            nao_port=int, cmd_vel_timeout=float, version=str, body_type=str, frame_prefix=str
        ),
    }
    body = NaoBody(values["version"], values["body_type"])
    model = {"robot": body.robot_name} | settings(frame_prefix=str)
    model["await_joint_states"] = values["nao_ip"] == ""
    return [
        RobotNode("nao_bridge", bridge, package=PACKAGE),
        RobotNode("tree_state_publisher", model),
        page(context),
    ]


def solvers(context: LaunchContext) -> Sequence[RobotNode]:
    """Return the nodes that share a process separate from the bridge and its libqi."""
    prefix = settings(frame_prefix=str)
    return [RobotNode("ik_server", prefix, "ik"), RobotNode("rrt_planner", prefix, "planner")]


def odometry_frame(context: LaunchContext) -> str:
    return LaunchConfiguration("frame_prefix").perform(context) + "odom"


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
                on_exit=exit_handler("simulated_nao"),
            ),
            robot_nodes(nao),
            robot_nodes(solvers),
            rviz("nao.rviz", odometry_frame),
        ]
    )
