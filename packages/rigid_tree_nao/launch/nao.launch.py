"""A real or simulated NAO: motion API, frames and, optionally, RViz, IK and planning.

ros2 launch rigid_tree_nao nao.launch.py                       a simulated one
ros2 launch rigid_tree_nao nao.launch.py nao_ip:=nao.local     a robot
"""

from functools import partial
from typing import Any

from ament_index_python.packages import get_package_share_directory
from launch import Action, LaunchContext, LaunchDescription
from launch.actions import ExecuteProcess, IncludeLaunchDescription
from launch.substitutions import LaunchConfiguration
from launch_ros.substitutions import ExecutableInPackage, FindPackageShare

from rigid_tree_kinematics import launching
from rigid_tree_kinematics.launching import argument

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
    argument("web_port", "8080", "Port of the page."),
    argument("web_host", "127.0.0.1", "Address of the page; other than loopback need a token."),
    argument("web_token", "", "Token of the page. Empty: none on loopback, else a random one."),
    argument("rviz", "false", "Show the robot in RViz, if it is installed."),
    argument("processes", "one", "one: all nodes in one process. each: one process per node."),
)
NO_PASSWORD = "no_password"  # of naoqi_driver2


def simulated_nao() -> ExecuteProcess:
    """Return the simulated robot, which is not a node."""
    return ExecuteProcess(
        cmd=[
            ExecutableInPackage(package=PACKAGE, executable="simulated_nao"),
            *("--port", LaunchConfiguration("nao_port")),
            *("--version", LaunchConfiguration("version")),
            *("--body-type", LaunchConfiguration("body_type")),
        ],
        name="simulated_nao",
        output="screen",
        on_exit=launching.exit_handler(),
    )


def launch_setup(context: LaunchContext) -> list[Action]:
    """Return the bridge with the nodes that show the robot, the solvers, and RViz."""
    from rigid_tree_nao.model.body import NaoBody

    is_on = partial(launching.is_on, context)
    prefix = launching.texts(context, "frame_prefix")
    bridge = launching.texts(context, "nao_ip", "user", "password", "version", "body_type")
    bridge |= prefix | launching.values(context, "nao_port", "cmd_vel_timeout")
    is_simulated = not bridge["nao_ip"]
    bridge["nao_ip"] = bridge["nao_ip"] or "127.0.0.1"
    bridge["user"] = bridge["user"] or launching.texts(context, "username")["username"]
    if bridge["password"] == NO_PASSWORD:
        bridge["user"] = bridge["password"] = ""
    model: dict[str, Any] = {
        "robot": NaoBody(bridge["version"], bridge["body_type"]).robot_name,
        **prefix,
    }
    model["await_joint_states"] = is_simulated
    nodes = {"nao_bridge": bridge, "tree_state_publisher": model}
    if is_on("web"):
        nodes["web_viewer"] = launching.page(context, [*prefix.values()])
    programs = {"ik": "ik_server", "planner": "rrt_planner"}
    solvers = {program: prefix for name, program in programs.items() if is_on(name)}
    started: list[Action] = [simulated_nao()] if is_simulated else []
    # The solvers cannot share the process of the bridge and its libqi.
    started += launching.hosts(context, nodes) + (
        launching.hosts(context, solvers) if solvers else []
    )
    if is_on("rviz"):
        config = get_package_share_directory(PACKAGE) + "/config/nao.rviz"
        given = {"rviz_config": config, "fixed_frame": prefix["frame_prefix"] + "odom"}
        rviz: list[Any] = [FindPackageShare(launching.PACKAGE), "/launch/rviz.launch.py"]
        started.append(IncludeLaunchDescription(rviz, launch_arguments=given.items()))
    return started


def generate_launch_description() -> LaunchDescription:
    return launching.description(__file__, [*ARGUMENTS, launching.setup(launch_setup)])
