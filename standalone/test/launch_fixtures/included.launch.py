"""An included launch file that reports its argument and its folder."""

from launch import LaunchDescription
from launch.actions import DeclareLaunchArgument, LogInfo, SetLaunchConfiguration
from launch.substitutions import LaunchConfiguration, ThisLaunchFileDir


def generate_launch_description():
    return LaunchDescription(
        [
            DeclareLaunchArgument("robot", description="which robot", choices=["panda", "nao"]),
            DeclareLaunchArgument("inner", default_value=["of ", LaunchConfiguration("robot")]),
            LogInfo(msg=["included robot=", LaunchConfiguration("robot")]),
            LogInfo(msg=["included inner=", LaunchConfiguration("inner")]),
            LogInfo(msg=["included directory=", ThisLaunchFileDir()]),
            SetLaunchConfiguration("set_inside", "yes"),
        ]
    )
