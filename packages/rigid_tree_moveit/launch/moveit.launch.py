"""A simulated robot behind MoveIt's interface, for MoveIt's clients, without MoveIt.

ros2 launch rigid_tree_moveit moveit.launch.py robot:=panda
"""

import os
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from ament_index_python.packages import get_package_share_directory
from launch import LaunchContext, LaunchDescription, LaunchDescriptionEntity
from launch.actions import LogInfo, SetLaunchConfiguration
from launch.substitutions import LaunchConfiguration

from rigid_tree_kinematics.launching import (
    DESCRIPTION_ARGUMENTS,
    RobotNode,
    declared,
    opaque,
    page,
    robot_nodes,
    robot_rviz,
    setting,
    settings,
    tree_state_publisher,
)

if TYPE_CHECKING:
    from rigid_tree_kinematics.description.srdf import MoveItConfig

PACKAGE = "rigid_tree_moveit"
ARGUMENTS = (
    (
        "robot",
        "panda_hand",
        "A bundled robot's name (panda: with its hand, as in MoveIt's configuration), or the path "
        "of a .urdf, .xacro or .yaml file.",
    ),
    (
        "config",
        "",
        "MoveIt configuration package, by name or folder: its robot, SRDF, initial positions, "
        "controllers and limits.",
    ),
    (
        "controllers",
        "moveit_controllers.yaml",
        "Controllers file of the package config, such as gripper_moveit_controllers.yaml.",
    ),
    ("srdf", "", "Path of an SRDF with the groups. Empty: a bundled robot's own, or none."),
    ("scene", "", "Name of a bundled scene, or path of a .yaml file. Empty: no obstacles."),
    ("padding", "0.0", "Distance below which two bodies are in collision, m."),
    ("servo", "true", "Start servo_node, which moves the arm by twists and joint velocities."),
    ("move_group_name", "", "Group that servo_node moves. Empty: the largest group with a tip."),
    ("simulator", "true", "Simulate the robot. false: a driver offers follow_joint_trajectory."),
    ("rate", "100.0", "Rate of the simulator's joint states, Hz."),
    (
        "initial_state",
        "",
        "State of the SRDF that the simulated robot starts at. Empty: the first one without "
        "collisions.",
    ),
    ("initial_positions", "", "Path of an initial_positions.yaml. Empty: use initial_state."),
    ("rviz_config", "moveit.rviz", "RViz configuration of this package."),
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


def name_robot(context: LaunchContext) -> list[LaunchDescriptionEntity]:
    if config := config_of(context):
        srdf = LaunchConfiguration("srdf").perform(context) or config.srdf
        return [
            SetLaunchConfiguration("robot", config.robot),
            SetLaunchConfiguration("srdf", srdf),
            LogInfo(msg=config.summary),
        ]
    given = LaunchConfiguration("robot").perform(context)
    robot = ALIASES.get(given, given)
    return [
        SetLaunchConfiguration("robot", robot),
        SetLaunchConfiguration("srdf", srdf_of(robot, context)),
    ]


def config_of(context: LaunchContext) -> "MoveItConfig | None":
    """Return the configuration package of MoveIt, None if there is none."""
    name = LaunchConfiguration("config").perform(context)
    if not name:
        return None
    # Only a MoveIt configuration needs the library.
    from rigid_tree_kinematics.description.srdf import read_moveit_config

    folder = name if os.path.isdir(name) else get_package_share_directory(name)
    return read_moveit_config(folder, LaunchConfiguration("controllers").perform(context))


def nodes(context: LaunchContext) -> Sequence[RobotNode]:
    common = settings(use_sim_time=bool, frame_prefix=str, padding=float, srdf=str)
    config = config_of(context)
    group = {"moveit_servo.move_group_name": setting("move_group_name", str)}
    limits = {
        name: value
        for name, value in (config.move_group if config else {}).items()
        if name.startswith("robot_description_planning.joint_limits.")
    }
    return [
        tree_state_publisher("simulator"),
        RobotNode("robot_simulator", simulator_parameters(context), "simulator"),
        page(context),
        RobotNode(
            "move_group",
            common | settings(scene=str) | (config.move_group if config else {}),
            package=PACKAGE,
        ),
        RobotNode("servo_node", common | group | limits, "servo", package=PACKAGE),
    ]


def simulator_parameters(context: LaunchContext) -> dict[str, Any]:
    """Return the simulator's parameters; positions of a file replace those of the state."""
    parameters = settings(robot=str, use_sim_time=bool, srdf=str, initial_state=str, rate=float)
    parameters |= settings(package_paths=str, xacro_args=str)
    config = config_of(context)
    robot = LaunchConfiguration("robot").perform(context)
    parameters |= config.simulator if config else CONTROLLERS.get(robot, {})
    # Also without a name: for servo_node and clients that name no controller.
    parameters["controllers"] = ["", *parameters.get("controllers", [])]
    if path := LaunchConfiguration("initial_positions").perform(context):
        from rigid_tree_kinematics.description.srdf import read_initial_positions
        from rigid_tree_kinematics.errors import ConfigurationError

        try:
            parameters |= read_initial_positions(path)
        except ConfigurationError as error:
            raise RuntimeError(f"argument initial_positions: {error}") from None
    return parameters


def srdf_of(robot: str, context: LaunchContext) -> str:
    """Return the path of the given SRDF, or of the bundled robot's own; empty if there is none."""
    given = LaunchConfiguration("srdf").perform(context)
    share = get_package_share_directory("rigid_tree_kinematics")
    bundled = os.path.join(share, "robots", f"{robot}.srdf")
    return given or (bundled if os.path.isfile(bundled) else "")


def generate_launch_description() -> LaunchDescription:
    return LaunchDescription(
        [
            *declared(DESCRIPTION_ARGUMENTS, ARGUMENTS),
            opaque(name_robot),
            robot_nodes(nodes),
            robot_rviz(),
        ]
    )
