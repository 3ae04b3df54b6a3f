"""One robot with inverse and forward kinematics as services, and its frames on the network.

ros2 launch rigid_tree_kinematics ik.launch.py robot:=panda
"""

from launch import LaunchDescription
from launch.actions import DeclareLaunchArgument, IncludeLaunchDescription
from launch.launch_description_sources import PythonLaunchDescriptionSource
from launch.substitutions import LaunchConfiguration, PathJoinSubstitution, ThisLaunchFileDir
from launch_ros.actions import Node
from launch_ros.parameter_descriptions import ParameterValue

# The arguments of description.launch.py count here too; sweep has another default.
SWEEP = (
    "Move the joints slowly through their limits. false: they stay at home, until parameters "
    "positions.<joint> of joint_state_source say otherwise."
)
ARGUMENTS = (
    ("sweep", "false", SWEEP),
    ("timeout", "0.1", "How long ik_server works on a request that names no timeout, s."),
    ("tracked_body", "", "The link that follows topic ik_target. Empty: none does."),
    ("rviz_config", "ik.rviz", "Which of this package's RViz configurations to show."),
    ("tracked_base", "", "The link that stands still meanwhile. Empty: the robot's root."),
)


def setting(name: str, value_type: type) -> ParameterValue:
    """Return a launch argument as a parameter of that type."""
    return ParameterValue(LaunchConfiguration(name), value_type=value_type)


def generate_launch_description() -> LaunchDescription:
    return LaunchDescription(
        [
            *(
                DeclareLaunchArgument(name, default_value=default, description=description)
                for name, default, description in ARGUMENTS
            ),
            IncludeLaunchDescription(
                PythonLaunchDescriptionSource(
                    PathJoinSubstitution([ThisLaunchFileDir(), "description.launch.py"])
                )
            ),
            # It gets its robot from tree_state_publisher, on topic robot_description.
            Node(
                package="rigid_tree_kinematics",
                executable="ik_server",
                namespace=LaunchConfiguration("namespace"),
                parameters=[
                    {
                        "use_sim_time": setting("use_sim_time", bool),
                        "frame_prefix": setting("frame_prefix", str),
                        "timeout": setting("timeout", float),
                        "tracked_body": setting("tracked_body", str),
                        "tracked_base": setting("tracked_base", str),
                    }
                ],
                output="screen",
            ),
        ]
    )
