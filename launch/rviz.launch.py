"""Start RViz where it is installed; say so where it is not."""

from pathlib import Path

from ament_index_python.packages import PackageNotFoundError, get_package_prefix
from launch import LaunchContext, LaunchDescription
from launch.action import Action
from launch.actions import DeclareLaunchArgument, LogInfo, OpaqueFunction
from launch.substitutions import LaunchConfiguration
from launch_ros.actions import Node
from launch_ros.parameter_descriptions import ParameterValue

from rigid_tree_kinematics.launching import written
from rigid_tree_kinematics.rviz_configs import prepared


def is_installed(package: str) -> bool:
    try:
        get_package_prefix(package)
    except PackageNotFoundError:
        return False
    return True


def rviz_or_word(context: LaunchContext) -> list[Action]:
    if not is_installed("rviz2"):
        return [
            LogInfo(
                msg="rviz:=true has no effect: the package rviz2 is not installed "
                "(apt install ros-$ROS_DISTRO-rviz2)."
            )
        ]
    config = Path(LaunchConfiguration("rviz_config").perform(context)).read_text()
    prefix = LaunchConfiguration("frame_prefix").perform(context)
    path = written(prepared(config, prefix, is_installed), ".rviz")
    return [
        Node(
            package="rviz2",
            executable="rviz2",
            namespace=LaunchConfiguration("namespace"),
            arguments=["-d", path, "-f", LaunchConfiguration("fixed_frame")],
            parameters=[
                {
                    "use_sim_time": ParameterValue(
                        LaunchConfiguration("use_sim_time"), value_type=bool
                    )
                }
            ],
            output="screen",
        )
    ]


def generate_launch_description() -> LaunchDescription:
    return LaunchDescription(
        [
            DeclareLaunchArgument("rviz_config", description="File of RViz displays."),
            DeclareLaunchArgument("fixed_frame", description="Frame that RViz holds still."),
            DeclareLaunchArgument(
                "frame_prefix", default_value="", description="Prefix of the robot's frames."
            ),
            DeclareLaunchArgument(
                "namespace", default_value="", description="Namespace of the robot to show."
            ),
            DeclareLaunchArgument(
                "use_sim_time", default_value="false", description="Take the time from /clock."
            ),
            OpaqueFunction(function=rviz_or_word),
        ]
    )
