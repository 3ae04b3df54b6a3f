"""RViz configurations, adapted to a frame prefix and to the installed plugins."""

from collections.abc import Container, Iterable, Mapping, Sequence
from typing import Any

import yaml

from rigid_tree_kinematics.description.srdf import chain_groups, read_moveit_config

ACCELERATION_LIMIT = 5.0  # rad/s^2 or m/s^2, the default of move_group
# SrvKinematicsPlugin, which would use solve_ik, cannot run in RViz: it adds RViz's node, which
# spins already, to an executor.
KINEMATICS = "kdl_kinematics_plugin/KDLKinematicsPlugin"
# Packages of plugins, if their names differ.
PACKAGES = {"moveit_rviz_plugin": "moveit_ros_visualization"}


def panel_parameters(
    groups: Sequence[str], joints: Iterable[str], given: Mapping[str, Any]
) -> dict[str, Any]:
    """Return the parameters that MoveIt's MotionPlanning panel needs, by their dotted names.

    It solves inverse kinematics for its markers, and times Cartesian paths, itself.

    Args:
        groups: those that are chains.
        joints: all joints.
        given: parameters of MoveIt's configuration. Its plugins are replaced, and acceleration
            limits that it lacks, without which no path is timed, are added.
    """
    parameters: dict[str, Any] = {}
    for group in groups:
        prefix = f"robot_description_kinematics.{group}.kinematics_solver"
        parameters |= {f"{prefix}_timeout": 0.05, f"{prefix}_search_resolution": 0.005}
    parameters |= given
    for group in groups:
        parameters[f"robot_description_kinematics.{group}.kinematics_solver"] = KINEMATICS
    for joint in joints:
        prefix = f"robot_description_planning.joint_limits.{joint}"
        if parameters.get(f"{prefix}.has_acceleration_limits") is not True:
            parameters[f"{prefix}.has_acceleration_limits"] = True
            parameters[f"{prefix}.max_acceleration"] = ACCELERATION_LIMIT
    return parameters


def moveit_panel(
    srdf: str, joints: Iterable[str], config: str
) -> tuple[list[str], dict[str, Any]]:
    """Return the chain groups of an SRDF, and the parameters of MoveIt's panel for them.

    ``config`` is the folder of the MoveIt configuration package; empty: none.
    """
    groups = chain_groups(srdf)
    given = read_moveit_config(config).move_group if config else {}
    planning = {k: v for k, v in given.items() if k.startswith("robot_description_")}
    return groups, panel_parameters(groups, joints, planning) if groups else {}


def prepared(text: str, frame_prefix: str, installed: Container[str], group: str = "") -> str:
    """Return an RViz configuration for a frame prefix and the installed plugins.

    Robot models without a prefix get the robot's. Displays without an installed plugin, which RViz
    would show as errors, are removed.

    Args:
        text: the configuration in YAML.
        frame_prefix: prefix of the robot's frames, such as 'left/'. RViz adds the slash itself.
        installed: the installed ROS packages.
        group: at which MoveIt's MotionPlanning panel starts. Empty: its first one by name.
    """
    config = yaml.safe_load(text)
    manager: dict[str, Any] = config["Visualization Manager"]
    plugins = [display["Class"].split("/")[0] for display in manager["Displays"]]
    manager["Displays"] = [
        display
        for display, plugin in zip(manager["Displays"], plugins, strict=True)
        if PACKAGES.get(plugin, plugin) in installed
    ]
    for display in manager["Displays"]:
        if display["Class"] == "rviz_default_plugins/RobotModel" and not display["TF Prefix"]:
            display["TF Prefix"] = frame_prefix.removesuffix("/")
        if display["Class"] == "moveit_rviz_plugin/MotionPlanning" and group:
            display["Planning Request"] = {"Planning Group": group}
    return yaml.safe_dump(config, sort_keys=False)
