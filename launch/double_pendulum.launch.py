"""A double pendulum that falls: links A, B and C, joint_A at 30 degrees at the start.

ros2 launch rigid_tree_kinematics double_pendulum.launch.py [rviz:=true]
"""

from launch import LaunchDescription
from launch.actions import IncludeLaunchDescription
from launch.launch_description_sources import PythonLaunchDescriptionSource
from launch.substitutions import PathJoinSubstitution, ThisLaunchFileDir

from rigid_tree_kinematics.launching import declared

# The arguments of bringup.launch.py count here too, such as rviz, paused and real_time_factor.
DEFAULTS = (
    ("robot", "double_pendulum", "The robot that falls."),
    ("mode", "free", "free: it falls. Other modes, see bringup.launch.py."),
    ("initial_positions", "{joint_A: 0.5235987755982988}", "Where joints begin, rad."),
    ("ik", "false", "Offer inverse kinematics (ik_server)."),
    ("planner", "false", "Offer motion planning (rrt_planner)."),
    ("rviz_config", "double_pendulum.rviz", "Which RViz configuration to show."),
)


def generate_launch_description() -> LaunchDescription:
    return LaunchDescription(
        [
            *declared(DEFAULTS),
            IncludeLaunchDescription(
                PythonLaunchDescriptionSource(
                    PathJoinSubstitution([ThisLaunchFileDir(), "bringup.launch.py"])
                )
            ),
        ]
    )
