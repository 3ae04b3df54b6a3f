"""A planar two-link arm among polygons: its configuration space, RRT on the torus, the motion.

ros2 launch rigid_tree_kinematics planar_rrt.launch.py [rviz:=true] [once:=true]
"""

from launch import LaunchDescription
from launch.actions import IncludeLaunchDescription
from launch.launch_description_sources import PythonLaunchDescriptionSource
from launch.substitutions import LaunchConfiguration, PathJoinSubstitution, ThisLaunchFileDir
from launch_ros.actions import Node

from rigid_tree_kinematics.launching import PROCESSES, declared, end_with, setting

ARGUMENTS = (
    ("seed", "0", "Where random numbers begin: equal seeds, equal paths."),
    ("growth_time", "4.0", "How long the tree is shown growing, s."),
    ("once", "false", "End when the goal is reached."),
    ("rviz", "false", "Show it in RViz, where installed."),
    PROCESSES,
)


def generate_launch_description() -> LaunchDescription:
    demo = Node(
        package="rigid_tree_kinematics",
        executable="planar_rrt",
        parameters=[
            {
                "seed": setting("seed", int),
                "growth_time": setting("growth_time", float),
                "once": setting("once", bool),
            }
        ],
        output="screen",
    )
    return LaunchDescription(
        [
            *declared(ARGUMENTS),
            end_with(demo, "planar_rrt"),
            IncludeLaunchDescription(
                PythonLaunchDescriptionSource(
                    PathJoinSubstitution([ThisLaunchFileDir(), "description.launch.py"])
                ),
                launch_arguments={
                    "robot": "planar_two_link",
                    "joint_state_source": "false",
                    "rviz": LaunchConfiguration("rviz"),
                    "rviz_config": "planar_rrt.rviz",
                }.items(),
            ),
            demo,
        ]
    )
