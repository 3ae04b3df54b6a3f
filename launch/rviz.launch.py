"""RViz, or a message that it is not installed."""

from pathlib import Path
from typing import Any

from ament_index_python.packages import PackageNotFoundError, get_package_prefix
from launch import LaunchContext, LaunchDescription, LaunchDescriptionEntity
from launch.actions import DeclareLaunchArgument, LogInfo, OpaqueFunction
from launch.substitutions import LaunchConfiguration
from launch_ros.actions import Node

from rigid_tree_kinematics.launching import declared, settings, temporary_file
from rigid_tree_kinematics.rviz_configs import kinematics_parameters, prepared

ARGUMENTS = (
    ("frame_prefix", "", "Prefix of the robot's frames."),
    ("namespace", "", "Namespace of the robot."),
    ("use_sim_time", "false", "Use simulated time from /clock."),
    (
        "srdf",
        "",
        "Path of the SRDF whose chains MoveIt's panel solves with solve_ik. Empty: none.",
    ),
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
    config = Path(LaunchConfiguration("rviz_config").perform(context)).read_text()
    prefix = LaunchConfiguration("frame_prefix").perform(context)
    path = temporary_file(prepared(config, prefix, is_installed), ".rviz")
    return [
        Node(
            package="rviz2",
            executable="rviz2",
            namespace=LaunchConfiguration("namespace"),
            arguments=["-d", path, "-f", LaunchConfiguration("fixed_frame")],
            parameters=[settings(use_sim_time=bool), kinematics(context)],
            output="screen",
        )
    ]


def kinematics(context: LaunchContext) -> dict[str, Any]:
    """Return the parameters of the solvers for MoveIt's panel."""
    srdf = LaunchConfiguration("srdf").perform(context)
    if not srdf or not is_installed("moveit_kinematics"):
        return {}
    # Only this needs the library.
    from rigid_tree_kinematics.description.srdf import chain_groups

    return kinematics_parameters(chain_groups(srdf))


def generate_launch_description() -> LaunchDescription:
    return LaunchDescription(
        [
            DeclareLaunchArgument("rviz_config", description="RViz configuration file."),
            DeclareLaunchArgument("fixed_frame", description="RViz's fixed frame."),
            *declared(ARGUMENTS, further=("rviz_config", "fixed_frame")),
            OpaqueFunction(function=rviz),
        ]
    )
