"""A real or simulated NAO: motion API, frames and, optionally, RViz, IK and planning.

ros2 launch rigid_tree_nao nao.launch.py                       a simulated one
ros2 launch rigid_tree_nao nao.launch.py nao_ip:=nao.local     a robot
"""

from launch import LaunchContext, LaunchDescription, LaunchDescriptionEntity
from launch.actions import ExecuteProcess, OpaqueFunction
from launch.substitutions import LaunchConfiguration
from launch_ros.substitutions import ExecutableInPackage

from rigid_tree_kinematics import launching
from rigid_tree_kinematics.launching import RobotNode, argument, setting, settings

PACKAGE = "rigid_tree_nao"
ARGUMENTS = (
    argument("nao_ip", "", "Host name or address of the robot. Empty: start a simulated one."),
    argument("nao_port", "9559", "Port of NAOqi or of the simulated robot."),
    argument("user", "", "User, for NAOqi 2.8 and later over tcps (nao_port:=9503). Empty: tcp."),
    argument("username", "", "Same as user, as in naoqi_driver2."),
    argument(
        "password",
        "",
        "Password of the user. 'no_password' (naoqi_driver2's default): tcp without login.",
    ),
    argument("version", "V6", "Robot version: V6, V5, V4, V33 or V32."),
    argument("body_type", "H25", "H25, or H21 (without wrists and hands; not V6)."),
    argument("namespace", "nao", "Namespace of the robot's nodes and topics, except /tf."),
    argument("frame_prefix", "", "Prefix of all frame names, such as 'nao/'."),
    argument("cmd_vel_timeout", "0.5", "Time without cmd_vel after which the walk stops, s."),
    argument("ik", "false", "Start ik_server (inverse kinematics)."),
    argument("planner", "false", "Start rrt_planner (motion planning)."),
    argument("web", "false", "Show the robot in the browser (web_viewer)."),
    *launching.PAGE_ARGUMENTS,
    argument("rviz", "false", "Show the robot in RViz, if it is installed."),
    launching.PROCESSES,
)
NO_PASSWORD = "no_password"  # of naoqi_driver2


def simulated_nao() -> ExecuteProcess:
    """Return the simulated robot, which is not a node."""
    values = {name: LaunchConfiguration(name) for name in ("nao_port", "version", "body_type")}
    return ExecuteProcess(
        cmd=[
            ExecutableInPackage(package=PACKAGE, executable="simulated_nao"),
            *("--port", values["nao_port"]),
            *("--version", values["version"]),
            *("--body-type", values["body_type"]),
        ],
        name="simulated_nao",
        output="screen",
        on_exit=launching.exit_handler("simulated_nao"),
    )


def nao(context: LaunchContext) -> list[RobotNode]:
    """Return the bridge and the nodes that show the robot."""
    from rigid_tree_nao.model.body import NaoBody

    texts = dict.fromkeys(
        ("version", "body_type", "frame_prefix", "nao_ip", "user", "password"), str
    )
    bridge = settings(context, nao_port=int, cmd_vel_timeout=float, **texts)
    is_simulated = not bridge["nao_ip"]
    bridge["nao_ip"] = bridge["nao_ip"] or "127.0.0.1"
    bridge["user"] = bridge["user"] or setting(context, "username", str)
    if bridge["password"] == NO_PASSWORD:
        bridge["user"] = bridge["password"] = ""
    body = NaoBody(bridge["version"], bridge["body_type"])
    model = {"robot": body.robot_name, "frame_prefix": bridge["frame_prefix"]}
    model["await_joint_states"] = is_simulated
    return [
        RobotNode("nao_bridge", bridge, PACKAGE),
        RobotNode("tree_state_publisher", model),
        *launching.page_of_robot(context),
    ]


def launch_setup(context: LaunchContext) -> list[LaunchDescriptionEntity]:
    prefix = settings(context, frame_prefix=str)
    programs = {"ik": "ik_server", "planner": "rrt_planner"}
    # They share a process separate from the bridge and its libqi.
    solvers = [RobotNode(p, prefix) for on, p in programs.items() if setting(context, on, bool)]
    bridge = launching.robot_nodes(context, nao(context))
    return [
        *launching.rviz(context, "nao.rviz", prefix["frame_prefix"] + "odom"),
        *([] if setting(context, "nao_ip", str) else [simulated_nao()]),
        *bridge,
        *launching.robot_nodes(context, solvers),
    ]


def generate_launch_description() -> LaunchDescription:
    arguments = launching.declared(ARGUMENTS)
    return LaunchDescription([*arguments, OpaqueFunction(function=launch_setup)])
