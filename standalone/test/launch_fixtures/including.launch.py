"""Includes a launch file in the same folder."""

from launch import LaunchDescription
from launch.actions import DeclareLaunchArgument, GroupAction, IncludeLaunchDescription, LogInfo
from launch.conditions import IfCondition
from launch.substitutions import LaunchConfiguration, PathJoinSubstitution, ThisLaunchFileDir


def generate_launch_description():
    return LaunchDescription(
        [
            DeclareLaunchArgument("model", default_value="panda", description="which model"),
            DeclareLaunchArgument("verbose", default_value="false"),
            IncludeLaunchDescription(
                PathJoinSubstitution([ThisLaunchFileDir(), "included.launch.py"]),
                launch_arguments={"robot": LaunchConfiguration("model")}.items(),
            ),
            LogInfo(msg=["after include set_inside=", LaunchConfiguration("set_inside")]),
            GroupAction(
                [
                    DeclareLaunchArgument("level", default_value="1"),
                    LogInfo(msg=["level=", LaunchConfiguration("level")]),
                ],
                condition=IfCondition(LaunchConfiguration("verbose")),
            ),
        ]
    )
