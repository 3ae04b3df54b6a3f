"""A planar two-link arm among polygons: configuration space, RRT on the torus, and the motion.

ros2 launch rigid_tree_demos planar_rrt.launch.py [web:=true] [rviz:=true] [once:=true]

The other arguments are those of description.launch.py, which this file includes.
"""

from pathlib import Path

from launch import LaunchDescription
from launch.actions import IncludeLaunchDescription
from launch.substitutions import LaunchConfiguration
from launch_ros.actions import Node
from launch_ros.substitutions import FindPackageShare

from rigid_tree_kinematics.launching import PACKAGE, argument, description, exit_handler

CONFIG = Path(__file__).resolve().parents[1] / "config" / "planar_rrt.rviz"
OF_DEMO = (
    argument("seed", "0", "Random seed: equal seeds give equal paths."),
    argument("growth_time", "4.0", "Duration of the tree animation, s."),
    argument("once", "false", "Exit when the goal is reached."),
)
DEFAULTS = (
    argument("robot", "planar_two_link", "The robot."),
    argument("joint_state_source", "false", "Publish joint states; the demo does so."),
    argument("await_joint_states", "true", "Do not warn before the first joint states."),
    argument("rviz_config", str(CONFIG), "Path of an RViz configuration."),
)
DESCRIPTION = IncludeLaunchDescription(
    [FindPackageShare(PACKAGE), "/launch/description.launch.py"]
)


def generate_launch_description() -> LaunchDescription:
    demo = Node(
        package="rigid_tree_demos",
        executable="planar_rrt",
        parameters=[{row.name: LaunchConfiguration(row.name) for row in OF_DEMO}],
        output="screen",
        on_exit=exit_handler(is_demo=True),
    )
    return description(__file__, [*OF_DEMO, *DEFAULTS, DESCRIPTION, demo])
