"""A Panda that goes to and fro between two pillars, on paths planned while you watch.

ros2 launch rigid_tree_kinematics panda_pillars.launch.py [rviz:=true] [once:=true]
"""

from launch import LaunchDescription
from launch.actions import IncludeLaunchDescription
from launch.launch_description_sources import PythonLaunchDescriptionSource
from launch.substitutions import LaunchConfiguration, PathJoinSubstitution, ThisLaunchFileDir
from launch_ros.actions import Node

from rigid_tree_kinematics.launching import PROCESSES, declared, end_with, setting

ARGUMENTS = (
    ("once", "false", "End when the goal is reached."),
    ("rviz", "false", "Show it in RViz, where installed."),
    PROCESSES,
)
# Where the way of planning_demo begins.
START = {f"panda_joint{k + 1}": q for k, q in enumerate((1.0, 0.3, 0.0, -1.8, 0.0, 2.1, 0.785))}


def generate_launch_description() -> LaunchDescription:
    demo = Node(
        package="rigid_tree_kinematics",
        executable="planning_demo",
        parameters=[{"once": setting("once", bool)}],
        output="screen",
    )
    return LaunchDescription(
        [
            *declared(ARGUMENTS),
            end_with(demo, "planning_demo"),
            IncludeLaunchDescription(
                PythonLaunchDescriptionSource(
                    PathJoinSubstitution([ThisLaunchFileDir(), "bringup.launch.py"])
                ),
                launch_arguments={
                    "robot": "panda",
                    "scene": "panda_pillars",
                    "initial_positions": str(START),
                    "ik": "false",
                    "rviz": LaunchConfiguration("rviz"),
                }.items(),
            ),
            demo,
        ]
    )
