"""Starts one Python process from ``script`` and says goodbye when it is shut down."""

import sys

from launch import LaunchDescription
from launch.actions import DeclareLaunchArgument, ExecuteProcess, LogInfo, RegisterEventHandler
from launch.event_handlers import OnShutdown
from launch.substitutions import LaunchConfiguration


def generate_launch_description():
    return LaunchDescription(
        [
            DeclareLaunchArgument("script", description="a Python program"),
            DeclareLaunchArgument("sigterm_timeout", default_value="5"),
            DeclareLaunchArgument("sigkill_timeout", default_value="5"),
            ExecuteProcess(
                cmd=[sys.executable, "-u", "-c", LaunchConfiguration("script")],
                name="child",
                output="screen",
            ),
            RegisterEventHandler(OnShutdown(on_shutdown=[LogInfo(msg="goodbye")])),
        ]
    )
