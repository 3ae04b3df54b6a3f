"""A planar two-link arm among polygons: its configuration space, RRT on the torus, the motion.

ros2 launch rigid_tree_kinematics planar_rrt.launch.py [rviz:=true] [once:=true]
"""

from launch import LaunchContext, LaunchDescription
from launch.action import Action
from launch.actions import (
    DeclareLaunchArgument,
    EmitEvent,
    IncludeLaunchDescription,
    RegisterEventHandler,
)
from launch.event_handlers import OnProcessExit
from launch.events import Shutdown
from launch.events.process import ProcessExited
from launch.launch_description_sources import PythonLaunchDescriptionSource
from launch.substitutions import LaunchConfiguration, PathJoinSubstitution, ThisLaunchFileDir
from launch_ros.actions import Node
from launch_ros.parameter_descriptions import ParameterValue

ARGUMENTS = (
    ("seed", "0", "Where random numbers begin: equal seeds, equal paths."),
    ("growth_time", "4.0", "How long the tree is shown growing, s."),
    ("once", "false", "End when the goal is reached."),
    ("rviz", "false", "Show it in RViz, where installed."),
)


def setting(name: str, value_type: type) -> ParameterValue:
    """Return a launch argument as a parameter of that type."""
    return ParameterValue(LaunchConfiguration(name), value_type=value_type)


def end_of_demo(event: ProcessExited, context: LaunchContext) -> list[Action]:
    """End everything; an exception is what makes ``ros2 launch`` exit with 1."""
    if context.is_shutdown:
        return []
    if event.returncode:
        raise RuntimeError("the demo failed: see the word of planar_rrt above")
    return [EmitEvent(event=Shutdown(reason="the demo is over"))]


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
            *(
                DeclareLaunchArgument(name, default_value=default, description=description)
                for name, default, description in ARGUMENTS
            ),
            RegisterEventHandler(OnProcessExit(target_action=demo, on_exit=end_of_demo)),
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
