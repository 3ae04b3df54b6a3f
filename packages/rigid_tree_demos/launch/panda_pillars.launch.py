"""A Panda moves back and forth between two pillars, planning each motion.

ros2 launch rigid_tree_demos panda_pillars.launch.py [rviz:=true] [once:=true]

The other arguments are those of bringup.launch.py, which this file includes.
"""

from launch import LaunchDescription
from launch.actions import IncludeLaunchDescription
from launch.substitutions import LaunchConfiguration
from launch_ros.actions import Node
from launch_ros.substitutions import FindPackageShare

from rigid_tree_kinematics.launching import PACKAGE, argument, description, exit_handler

# The start of planning_demo's first motion.
START = {f"panda_joint{k + 1}": q for k, q in enumerate((1.0, 0.3, 0.0, -1.8, 0.0, 2.1, 0.785))}
ARGUMENTS = (
    argument("once", "false", "Exit when the goal is reached."),
    argument("scene", "panda_pillars", "The obstacles."),
    argument("initial_positions", str(START), "Initial positions, rad."),
    argument("ik", "false", "Start ik_server (inverse kinematics)."),
)
BRINGUP = IncludeLaunchDescription([FindPackageShare(PACKAGE), "/launch/bringup.launch.py"])


def generate_launch_description() -> LaunchDescription:
    demo = Node(
        package="rigid_tree_demos",
        executable="planning_demo",
        parameters=[{"once": LaunchConfiguration("once")}],
        output="screen",
        on_exit=exit_handler(is_demo=True),
    )
    return description(__file__, [*ARGUMENTS, BRINGUP, demo])
