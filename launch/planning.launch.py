"""One robot with motion planning as a service and an action, beside its inverse kinematics.

ros2 launch rigid_tree_kinematics planning.launch.py robot:=panda scene:=panda_pillars
"""

from launch import LaunchDescription
from launch.actions import DeclareLaunchArgument, IncludeLaunchDescription
from launch.launch_description_sources import PythonLaunchDescriptionSource
from launch.substitutions import LaunchConfiguration, PathJoinSubstitution, ThisLaunchFileDir
from launch_ros.actions import Node
from launch_ros.parameter_descriptions import ParameterValue

# The arguments of ik.launch.py count here too; rviz_config has another default.
ARGUMENTS = (
    ("scene", "", "A bundled scene's name, or the path of a .yaml file. Empty: no obstacles."),
    ("srdf", "", "Path of an SRDF whose disable_collisions count. Empty: none."),
    ("padding", "0.0", "Distance below which two things count as touching, m."),
    ("planner", "rrt_connect", "For requests that name none: rrt_connect, rrt or rrt_star."),
    ("time_limit", "5.0", "How long a plan that names no limit may take, s."),
    ("tip", "", "The link whose way is drawn. Empty: the end of the longest chain."),
    ("rviz_config", "planning.rviz", "Which of this package's RViz configurations to show."),
)


def setting(name: str, value_type: type) -> ParameterValue:
    """Return a launch argument as a parameter of that type."""
    return ParameterValue(LaunchConfiguration(name), value_type=value_type)


def generate_launch_description() -> LaunchDescription:
    texts = ("frame_prefix", "scene", "srdf", "planner", "tip")
    return LaunchDescription(
        [
            *(
                DeclareLaunchArgument(name, default_value=default, description=description)
                for name, default, description in ARGUMENTS
            ),
            IncludeLaunchDescription(
                PythonLaunchDescriptionSource(
                    PathJoinSubstitution([ThisLaunchFileDir(), "ik.launch.py"])
                )
            ),
            # It gets its robot from tree_state_publisher, on topic robot_description.
            Node(
                package="rigid_tree_kinematics",
                executable="rrt_planner",
                namespace=LaunchConfiguration("namespace"),
                parameters=[
                    {
                        "use_sim_time": setting("use_sim_time", bool),
                        "padding": setting("padding", float),
                        "time_limit": setting("time_limit", float),
                        **{name: setting(name, str) for name in texts},
                    }
                ],
                output="screen",
            ),
        ]
    )
