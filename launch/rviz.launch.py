"""Start RViz where it is installed; say so where it is not."""

from ament_index_python.packages import PackageNotFoundError, get_package_prefix
from launch import LaunchContext, LaunchDescription
from launch.action import Action
from launch.actions import DeclareLaunchArgument, LogInfo, OpaqueFunction
from launch.substitutions import LaunchConfiguration
from launch_ros.actions import Node
from launch_ros.parameter_descriptions import ParameterValue


def rviz_or_word(context: LaunchContext) -> list[Action]:
    try:
        get_package_prefix("rviz2")
    except PackageNotFoundError:
        return [
            LogInfo(
                msg="rviz:=true has no effect: the package rviz2 is not installed "
                "(apt install ros-$ROS_DISTRO-rviz2)."
            )
        ]
    return [
        Node(
            package="rviz2",
            executable="rviz2",
            namespace=LaunchConfiguration("namespace"),
            arguments=[
                "-d",
                LaunchConfiguration("rviz_config"),
                "-f",
                LaunchConfiguration("fixed_frame"),
            ],
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
                "namespace", default_value="", description="Namespace of the robot to show."
            ),
            DeclareLaunchArgument(
                "use_sim_time", default_value="false", description="Take the time from /clock."
            ),
            OpaqueFunction(function=rviz_or_word),
        ]
    )
