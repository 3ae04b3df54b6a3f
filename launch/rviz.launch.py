"""RViz, or a message that it is not installed."""

import os
from pathlib import Path
from typing import Any

from ament_index_python.packages import (
    PackageNotFoundError,
    get_package_prefix,
    get_package_share_directory,
)
from launch import LaunchContext, LaunchDescription, LaunchDescriptionEntity
from launch.actions import DeclareLaunchArgument, LogInfo, OpaqueFunction
from launch.substitutions import LaunchConfiguration
from launch_ros.actions import Node

from rigid_tree_kinematics.launching import (
    argument,
    declared,
    setting,
    settings,
    temporary_file,
)
from rigid_tree_kinematics.rviz_configs import panel_parameters, prepared

ARGUMENTS = (
    DeclareLaunchArgument("rviz_config", description="RViz configuration file."),
    DeclareLaunchArgument("fixed_frame", description="RViz's fixed frame."),
    argument("frame_prefix", "", "Prefix of the robot's frames."),
    argument("namespace", "", "Namespace of the robot."),
    argument("use_sim_time", "false", "Use simulated time from /clock."),
    argument(
        "srdf",
        "",
        "Path of the SRDF with the groups of MoveIt's MotionPlanning panel. Empty: none.",
    ),
    argument("robot", "", "The robot of that SRDF: a bundled one's name, or the path of a file."),
    argument("config", "", "Its MoveIt configuration package, by name or folder. Empty: none."),
)


def is_installed(package: str) -> bool:
    try:
        get_package_prefix(package)
    except PackageNotFoundError:
        return False
    return True


def rviz(context: LaunchContext) -> list[LaunchDescriptionEntity]:
    if not is_installed("rviz2"):
        return [
            LogInfo(
                msg="rviz:=true has no effect: the package rviz2 is not installed "
                "(apt install ros-$ROS_DISTRO-rviz2)."
            )
        ]
    given = {name: setting(context, name, str) for name in ("rviz_config", "frame_prefix")}
    config = Path(given["rviz_config"]).read_text()
    groups = chains(context)
    ready = prepared(config, given["frame_prefix"], is_installed, next(iter(groups), ""))
    panel = panel_parameters(groups, *limits(context)) if groups else {}
    path = temporary_file(ready, ".rviz")
    return [
        Node(
            package="rviz2",
            executable="rviz2",
            namespace=LaunchConfiguration("namespace"),
            arguments=["-d", path, "-f", LaunchConfiguration("fixed_frame")],
            parameters=[settings(context, use_sim_time=bool), panel],
            output="screen",
        )
    ]


def chains(context: LaunchContext) -> list[str]:
    """Return the groups that MoveIt's panel can move by their tips; none without MoveIt."""
    srdf = setting(context, "srdf", str)
    if not srdf or not is_installed("moveit_kinematics"):
        return []
    # Only this needs the library.
    from rigid_tree_kinematics.description.srdf import chain_groups

    return chain_groups(srdf)


def limits(context: LaunchContext) -> tuple[list[str], dict[str, Any]]:
    """Return the robot's joints, and the planning parameters of its MoveIt configuration."""
    from rigid_tree_kinematics import load_robot
    from rigid_tree_kinematics.description.srdf import read_moveit_config

    robot, config = (setting(context, name, str) for name in ("robot", "config"))
    joints = list(load_robot(robot).position_names) if robot else []
    if not config:
        return joints, {}
    folder = config if os.path.isdir(config) else get_package_share_directory(config)
    given = read_moveit_config(folder).move_group
    return joints, {k: v for k, v in given.items() if k.startswith("robot_description_")}


def generate_launch_description() -> LaunchDescription:
    return LaunchDescription([*declared(ARGUMENTS), OpaqueFunction(function=rviz)])
