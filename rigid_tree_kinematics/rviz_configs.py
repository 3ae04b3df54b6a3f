"""RViz configurations, adapted to a frame prefix and to the installed plugins."""

from collections.abc import Callable, Iterable
from typing import Any

import yaml

# Packages of plugins, if their names differ.
PACKAGES = {"moveit_rviz_plugin": "moveit_ros_visualization"}


def kinematics_parameters(groups: Iterable[str]) -> dict[str, Any]:
    """Return parameters that make RViz's MotionPlanning panel use ``solve_ik`` for groups."""
    parameters: dict[str, Any] = {}
    for group in groups:
        prefix = f"robot_description_kinematics.{group}.kinematics_solver"
        parameters |= {
            prefix: "srv_kinematics_plugin/SrvKinematicsPlugin",
            f"{prefix}_search_resolution": 0.005,
            f"{prefix}_timeout": 0.05,
            f"{prefix}_service_name": "solve_ik",
        }
    return parameters


def prepared(text: str, frame_prefix: str, is_installed: Callable[[str], bool]) -> str:
    """Return an RViz configuration for a frame prefix and the installed plugins.

    Robot models without a prefix get the robot's. Displays without an installed plugin, which RViz
    would show as errors, are removed.

    Args:
        text: the configuration in YAML.
        frame_prefix: prefix of the robot's frames, such as 'left/'. RViz adds the slash itself.
        is_installed: returns whether a ROS package is installed.
    """
    config = yaml.safe_load(text)
    manager: dict[str, Any] = config["Visualization Manager"]
    plugins = [display["Class"].split("/")[0] for display in manager["Displays"]]
    manager["Displays"] = [
        display
        for display, plugin in zip(manager["Displays"], plugins, strict=True)
        if is_installed(PACKAGES.get(plugin, plugin))
    ]
    for display in manager["Displays"]:
        if display["Class"] == "rviz_default_plugins/RobotModel" and not display["TF Prefix"]:
            display["TF Prefix"] = frame_prefix.removesuffix("/")
    return yaml.safe_dump(config, sort_keys=False)
