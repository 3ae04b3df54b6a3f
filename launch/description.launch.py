"""One robot's frames on the network: its tree_state_publisher and, without hardware, its motion.

ros2 launch rigid_tree_kinematics description.launch.py robot:=panda
"""

from launch import LaunchContext, LaunchDescription
from launch.action import Action
from launch.actions import DeclareLaunchArgument, IncludeLaunchDescription, OpaqueFunction
from launch.conditions import IfCondition
from launch.launch_description_sources import PythonLaunchDescriptionSource
from launch.substitutions import (
    LaunchConfiguration,
    PathJoinSubstitution,
    PythonExpression,
    ThisLaunchFileDir,
)
from launch_ros.actions import Node
from launch_ros.parameter_descriptions import ParameterValue

ARGUMENTS = (
    ("robot", "panda", "A bundled robot's name, or the path of a .urdf, .xacro or .yaml file."),
    ("namespace", "", "Namespace of the robot's nodes and topics (/tf is shared by all)."),
    ("frame_prefix", "", "Put in front of every frame name, such as 'left/'."),
    (
        "sweep",
        "true",
        "Move the joints slowly through their limits. false: they stay at home, until parameters "
        "positions.<joint> of joint_state_source say otherwise.",
    ),
    (
        "joint_state_source",
        "true",
        "Publish joint states without hardware. false: a driver publishes them.",
    ),
    ("rate", "50.0", "Joint states a second that joint_state_source publishes, Hz."),
    ("publish_frequency", "0.0", "Highest rate of a joint's frames, Hz; 0: no limit."),
    ("ignore_timestamp", "false", "Publish joint states with old stamps too."),
    ("use_sim_time", "false", "Take the time from /clock."),
    ("web", "false", "Show the robot in the browser (web_viewer)."),
    ("web_port", "8080", "Port of the page, on this machine only."),
    ("rviz", "false", "Show the robot in RViz, where it is installed."),
    ("rviz_config", "description.rviz", "Which of this package's RViz configurations to show."),
)

# Written so that Humble, which has no EqualsSubstitution yet, understands it as well.
SOURCE_MODE = PythonExpression(
    ["'sweep' if '", LaunchConfiguration("sweep"), "'.lower() in ('true', '1') else 'positions'"]
)


def setting(name: str, value_type: type) -> ParameterValue:
    """Return a launch argument as a parameter of that type."""
    return ParameterValue(LaunchConfiguration(name), value_type=value_type)


def page(context: LaunchContext) -> list[Action]:
    # Lists of parameters cannot be written with substitutions.
    prefix = LaunchConfiguration("frame_prefix").perform(context)
    return [
        Node(
            package="rigid_tree_kinematics",
            executable="web_viewer",
            namespace=LaunchConfiguration("namespace"),
            parameters=[{"port": setting("web_port", int), "frame_prefixes": [prefix]}],
            output="screen",
        )
    ]


def rviz(context: LaunchContext) -> list[Action]:
    # Only RViz needs to know the base frame; the robot is not read twice for nothing.
    from rigid_tree_kinematics import load_robot

    base = load_robot(LaunchConfiguration("robot").perform(context)).base_name
    return [
        IncludeLaunchDescription(
            PythonLaunchDescriptionSource(
                PathJoinSubstitution([ThisLaunchFileDir(), "rviz.launch.py"])
            ),
            launch_arguments={
                "rviz_config": PathJoinSubstitution(
                    [ThisLaunchFileDir(), "..", "config", LaunchConfiguration("rviz_config")]
                ),
                "fixed_frame": [LaunchConfiguration("frame_prefix"), base],
                "namespace": LaunchConfiguration("namespace"),
                "use_sim_time": LaunchConfiguration("use_sim_time"),
            }.items(),
        )
    ]


def generate_launch_description() -> LaunchDescription:
    robot = {
        "robot": setting("robot", str),
        "use_sim_time": setting("use_sim_time", bool),
    }
    return LaunchDescription(
        [
            *(
                DeclareLaunchArgument(name, default_value=default, description=description)
                for name, default, description in ARGUMENTS
            ),
            Node(
                package="rigid_tree_kinematics",
                executable="tree_state_publisher",
                namespace=LaunchConfiguration("namespace"),
                parameters=[
                    robot,
                    {
                        "frame_prefix": setting("frame_prefix", str),
                        "publish_frequency": setting("publish_frequency", float),
                        "ignore_timestamp": setting("ignore_timestamp", bool),
                    },
                ],
                output="screen",
            ),
            Node(
                package="rigid_tree_kinematics",
                executable="joint_state_source",
                namespace=LaunchConfiguration("namespace"),
                parameters=[
                    robot,
                    {"mode": SOURCE_MODE, "rate": setting("rate", float)},
                ],
                condition=IfCondition(LaunchConfiguration("joint_state_source")),
                output="screen",
            ),
            OpaqueFunction(function=page, condition=IfCondition(LaunchConfiguration("web"))),
            OpaqueFunction(function=rviz, condition=IfCondition(LaunchConfiguration("rviz"))),
        ]
    )
