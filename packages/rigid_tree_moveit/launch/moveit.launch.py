"""A simulated robot behind MoveIt's interface, for MoveIt's clients, without MoveIt.

ros2 launch rigid_tree_moveit moveit.launch.py robot:=panda
"""

import os
from functools import partial
from pathlib import Path
from typing import Any

import yaml
from ament_index_python.packages import get_package_share_directory
from launch import Action, LaunchContext, LaunchDescription
from launch.actions import IncludeLaunchDescription, LogInfo
from launch_ros.substitutions import FindPackageShare

from rigid_tree_kinematics import launching
from rigid_tree_kinematics.launching import PACKAGE, Nodes, argument

CONFIG = Path(__file__).resolve().parents[1] / "config"
ARGUMENTS = (
    argument("robot", "panda_hand", "A bundled robot (panda: with its hand), or a file's path."),
    argument(
        "config", "", "MoveIt configuration package, by name or folder: its robot, SRDF, ..."
    ),
    argument("controllers", "moveit_controllers.yaml", "Controllers file of package config."),
    argument("servo", "true", "Start servo_node, which moves the arm by twists and velocities."),
    argument("move_group_name", "", "Group of servo_node. Empty: the largest group with a tip."),
    argument("initial_state", "", "Start, in the SRDF. Empty: the first one without collisions."),
    argument("initial_positions", "", "initial_positions.yaml. Empty: use initial_state."),
    argument("rviz_config", f"{CONFIG}/moveit.rviz", "Path of an RViz configuration."),
)
BUNDLED = IncludeLaunchDescription(
    [FindPackageShare(PACKAGE), "/launch/robot_arguments.launch.py"]
)
RVIZ = IncludeLaunchDescription([FindPackageShare(PACKAGE), "/launch/rviz.launch.py"])


def configure(context: LaunchContext) -> tuple[dict[str, Any], dict[str, Any], list[LogInfo]]:
    """Set the arguments robot and srdf; return parameters of move_group and robot_simulator."""
    robot, srdf, package, controllers = launching.texts(
        context, "robot", "srdf", "config", "controllers"
    ).values()
    if package:
        from rigid_tree_kinematics.description.srdf import read_moveit_config  # takes 0.2 s

        folder = package if os.path.isdir(package) else get_package_share_directory(package)
        config = read_moveit_config(folder, controllers)
        given = {"robot": config.robot, "srdf": srdf or config.srdf}
        context.launch_configurations.update(given)
        return config.move_group, config.simulator, [LogInfo(msg=config.summary)]
    robot = "panda_hand" if robot == "panda" else robot  # MoveIt's panda has its hand
    bundled = os.path.join(get_package_share_directory(PACKAGE), "robots", f"{robot}.srdf")
    if not srdf and os.path.isfile(bundled):
        srdf = bundled
    context.launch_configurations.update(robot=robot, srdf=srdf)
    return {}, yaml.safe_load((CONFIG / "controllers.yaml").read_text()).get(robot, {}), []


def nodes(context: LaunchContext, move_group: dict[str, Any], driver: dict[str, Any]) -> Nodes:
    """Return the nodes with their parameters."""
    is_on = partial(launching.is_on, context)
    texts, values = partial(launching.texts, context), partial(launching.values, context)
    robot, common, frames = launching.robot(context)
    nodes = {"tree_state_publisher": frames | {"await_joint_states": is_on("simulator")}}
    if is_on("simulator"):
        start = texts("srdf", "initial_state") | values("use_sim_time", "rate")
        # Also without a name: for servo_node and clients that name no controller.
        names = {"controllers": ["", *driver.get("controllers", [])]}
        nodes["robot_simulator"] = {**robot, **start, **driver, **names}
        if path := texts("initial_positions")["initial_positions"]:
            from rigid_tree_kinematics.description.srdf import read_initial_positions

            nodes["robot_simulator"] |= read_initial_positions(path)
    if is_on("web"):
        nodes["web_viewer"] = launching.page(context, [common["frame_prefix"]])
    common |= texts("srdf") | values("padding")
    nodes["move_group"] = {**common, **texts("scene"), **move_group}
    if is_on("servo"):
        prefix = "robot_description_planning.joint_limits."
        limits = {name: value for name, value in move_group.items() if name.startswith(prefix)}
        group = {"moveit_servo.move_group_name": texts("move_group_name")["move_group_name"]}
        nodes["servo_node"] = {**common, **limits, **group}
    return nodes


def launch_setup(context: LaunchContext) -> list[Action]:
    """Return the process of the nodes, and RViz."""
    move_group, driver, summary = configure(context)
    hosts = launching.hosts(context, nodes(context, move_group, driver))
    return [*summary, *([RVIZ] if launching.is_on(context, "rviz") else []), *hosts]


def generate_launch_description() -> LaunchDescription:
    entities = [*ARGUMENTS, BUNDLED, launching.setup(launch_setup)]
    return launching.description(__file__, entities)
