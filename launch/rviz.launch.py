"""RViz, or a message that it is not installed."""

import os
from pathlib import Path
from typing import Any

from ament_index_python.packages import get_package_share_directory, get_packages_with_prefixes
from launch import Action, LaunchContext, LaunchDescription
from launch.actions import LogInfo
from launch.substitutions import LaunchConfiguration
from launch_ros.actions import Node

from rigid_tree_kinematics import load_robot
from rigid_tree_kinematics.description.urdf import xacro_arguments
from rigid_tree_kinematics.launching import (
    argument,
    description,
    is_on,
    setup,
    temporary_file,
    texts,
)
from rigid_tree_kinematics.model import RigidBodyTree
from rigid_tree_kinematics.rviz_configs import moveit_panel, prepared

ARGUMENTS = (
    argument("rviz_config", "bringup.rviz", "RViz configuration of this package, or a path."),
    argument("fixed_frame", "", "RViz's fixed frame. Empty: the base of argument robot."),
    argument("frame_prefix", "", "Prefix of the robot's frames."),
    argument("namespace", "", "Namespace of the robot."),
    argument("use_sim_time", "false", "Use simulated time from /clock."),
    argument("robot", "", "Name of a bundled robot, or path of a .urdf, .xacro or .yaml file."),
    argument("package_paths", "", "Folders with packages that this file refers to."),
    argument("xacro_args", "", "Arguments of a .xacro file."),
    argument("srdf", "", "SRDF with the groups of MoveIt's MotionPlanning panel. Empty: none."),
    argument("config", "", "Its MoveIt configuration package, by name or folder. Empty: none."),
)


def rviz(context: LaunchContext) -> list[Action]:
    """Return RViz, with its configuration adapted to the robot."""
    installed = get_packages_with_prefixes()
    if "rviz2" not in installed:
        fix = "apt install ros-$ROS_DISTRO-rviz2"
        why = f"rviz:=true has no effect: the package rviz2 is not installed ({fix})."
        return [LogInfo(msg=why)]
    given = texts(context, *(row.name for row in ARGUMENTS))
    config = Path(__file__).resolve().parents[1] / "config" / given["rviz_config"]
    groups: list[str] = []
    # SetParameter of an including file may set it, if it is false here.
    parameters: dict[str, Any] = {"use_sim_time": True} if is_on(context, "use_sim_time") else {}
    if given["srdf"] and "moveit_kinematics" in installed:
        joints = robot_of(given).position_names if given["robot"] else ()
        folder = given["config"]
        if folder and not os.path.isdir(folder):
            folder = get_package_share_directory(folder)
        groups, panel = moveit_panel(given["srdf"], joints, folder)
        parameters |= panel
    ready = prepared(config.read_text(), given["frame_prefix"], installed, next(iter(groups), ""))
    frame = given["fixed_frame"] or given["frame_prefix"] + robot_of(given).base_name
    return [
        Node(
            package="rviz2",
            executable="rviz2",
            namespace=LaunchConfiguration("namespace"),
            arguments=["-d", temporary_file(ready, ".rviz"), "-f", frame],
            parameters=[parameters] if parameters else [],
            output="screen",
        )
    ]


def robot_of(given: dict[str, str]) -> RigidBodyTree:
    """Return the robot of the arguments."""
    paths = [path for path in given["package_paths"].split(os.pathsep) if path]
    arguments = xacro_arguments(given["xacro_args"])
    return load_robot(given["robot"], package_paths=paths, xacro_arguments=arguments)


def generate_launch_description() -> LaunchDescription:
    return description(__file__, [*ARGUMENTS, setup(rviz)])
