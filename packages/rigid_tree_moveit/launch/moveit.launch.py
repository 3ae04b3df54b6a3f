"""A simulated robot behind MoveIt's interface, for MoveIt's clients, without MoveIt.

ros2 launch rigid_tree_moveit moveit.launch.py robot:=panda
"""

import os
from typing import Any

from ament_index_python.packages import get_package_share_directory
from launch import LaunchContext, LaunchDescription, LaunchDescriptionEntity
from launch.actions import LogInfo, OpaqueFunction

from rigid_tree_kinematics import launching
from rigid_tree_kinematics.launching import RobotNode, argument, setting, settings

PACKAGE = "rigid_tree_moveit"
ARGUMENTS = (
    *launching.DESCRIPTION_ARGUMENTS,
    argument(
        "robot",
        "panda_hand",
        "A bundled robot's name (panda: with its hand, as in MoveIt's configuration), or the path "
        "of a .urdf, .xacro or .yaml file.",
    ),
    argument(
        "config",
        "",
        "MoveIt configuration package, by name or folder: its robot, SRDF, initial positions, "
        "controllers and limits.",
    ),
    argument(
        "controllers",
        "moveit_controllers.yaml",
        "Controllers file of the package config, such as gripper_moveit_controllers.yaml.",
    ),
    argument(
        "srdf", "", "Path of an SRDF with the groups. Empty: a bundled robot's own, or none."
    ),
    argument(
        "scene", "", "Name of a bundled scene, or path of a .yaml file. Empty: no obstacles."
    ),
    argument("padding", "0.0", "Distance below which two bodies are in collision, m."),
    argument(
        "servo", "true", "Start servo_node, which moves the arm by twists and joint velocities."
    ),
    argument(
        "move_group_name", "", "Group that servo_node moves. Empty: the largest group with a tip."
    ),
    argument(
        "simulator", "true", "Simulate the robot. false: a driver offers follow_joint_trajectory."
    ),
    argument("rate", "100.0", "Rate of the simulator's joint states, Hz."),
    argument(
        "initial_state",
        "",
        "State of the SRDF that the simulated robot starts at. Empty: the first one without "
        "collisions.",
    ),
    argument(
        "initial_positions", "", "Path of an initial_positions.yaml. Empty: use initial_state."
    ),
    argument("rviz_config", "moveit.rviz", "RViz configuration of this package."),
)
# MoveIt's name of the Panda with its hand.
ALIASES = {"panda": "panda_hand"}
# By moveit_resources: moveit_controllers.yaml and gripper_moveit_controllers.yaml of the Panda.
CONTROLLERS = {
    "panda_hand": {
        "controllers": ["panda_arm_controller"],
        "panda_arm_controller.joints": [f"panda_joint{k}" for k in range(1, 8)],
        "gripper_controllers": ["panda_hand_controller"],
    }
}


def launch_setup(context: LaunchContext) -> list[LaunchDescriptionEntity]:
    """Return the nodes and RViz, for the robot of a MoveIt configuration or by its name."""
    given = settings(context, robot=str, srdf=str, config=str, controllers=str)
    robot, srdf, name = ALIASES.get(given["robot"], given["robot"]), given["srdf"], given["config"]
    move_group: dict[str, Any] = {}
    driver = CONTROLLERS.get(robot, {})
    summary = []
    if name:
        # Only a MoveIt configuration needs the library.
        from rigid_tree_kinematics.description.srdf import read_moveit_config

        folder = name if os.path.isdir(name) else get_package_share_directory(name)
        config = read_moveit_config(folder, given["controllers"])
        robot, srdf = config.robot, srdf or config.srdf
        move_group, driver = config.move_group, config.simulator
        summary = [LogInfo(msg=config.summary)]
    share = get_package_share_directory(launching.PACKAGE)
    bundled = os.path.join(share, "robots", f"{robot}.srdf")
    if not name and not srdf and os.path.isfile(bundled):
        srdf = bundled
    context.launch_configurations.update(robot=robot, srdf=srdf)
    nodes = robot_nodes(context, move_group, driver)
    config_file = setting(context, "rviz_config", str)
    return [
        *summary,
        *launching.rviz(context, config_file),
        *launching.robot_nodes(context, nodes),
    ]


def robot_nodes(
    context: LaunchContext, move_group: dict[str, Any], driver: dict[str, Any]
) -> list[RobotNode]:
    """Return the nodes, with the parameters of a MoveIt configuration."""
    common = settings(context, use_sim_time=bool, frame_prefix=str, padding=float, srdf=str)
    prefix = "robot_description_planning.joint_limits."
    servo = {name: value for name, value in move_group.items() if name.startswith(prefix)}
    servo["moveit_servo.move_group_name"] = setting(context, "move_group_name", str)
    nodes = [launching.tree_state_publisher(context, "simulator")]
    if setting(context, "simulator", bool):
        nodes.append(RobotNode("robot_simulator", simulator_parameters(context, driver)))
    nodes += launching.page_of_robot(context)
    scene = settings(context, scene=str)
    nodes.append(RobotNode("move_group", {**common, **scene, **move_group}, PACKAGE))
    if setting(context, "servo", bool):
        nodes.append(RobotNode("servo_node", {**common, **servo}, PACKAGE))
    return nodes


def simulator_parameters(context: LaunchContext, driver: dict[str, Any]) -> dict[str, Any]:
    """Return the simulator's parameters; positions of a file replace those of the state."""
    texts = dict.fromkeys(("robot", "srdf", "initial_state", "package_paths", "xacro_args"), str)
    parameters = settings(context, use_sim_time=bool, rate=float, **texts) | driver
    # Also without a name: for servo_node and clients that name no controller.
    parameters["controllers"] = ["", *parameters.get("controllers", [])]
    if path := setting(context, "initial_positions", str):
        from rigid_tree_kinematics.description.srdf import read_initial_positions
        from rigid_tree_kinematics.errors import ConfigurationError

        try:
            parameters |= read_initial_positions(path)
        except ConfigurationError as error:
            raise RuntimeError(f"argument initial_positions: {error}") from None
    return parameters


def generate_launch_description() -> LaunchDescription:
    arguments = launching.declared(ARGUMENTS)
    return LaunchDescription([*arguments, OpaqueFunction(function=launch_setup)])
