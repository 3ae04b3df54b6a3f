"""A Panda that goes to and fro between two pillars, on paths planned while you watch.

ros2 launch rigid_tree_kinematics panda_pillars.launch.py [rviz:=true] [once:=true]
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

# Where the way of planning_demo begins.
START = {f"panda_joint{k + 1}": q for k, q in enumerate((1.0, 0.3, 0.0, -1.8, 0.0, 2.1, 0.785))}


def end_of_demo(event: ProcessExited, context: LaunchContext) -> list[Action]:
    """End everything; an exception is what makes ``ros2 launch`` exit with 1."""
    if context.is_shutdown:
        return []
    if event.returncode:
        raise RuntimeError("the demo failed: see the word of planning_demo above")
    return [EmitEvent(event=Shutdown(reason="the demo is over"))]


def generate_launch_description() -> LaunchDescription:
    demo = Node(
        package="rigid_tree_kinematics",
        executable="planning_demo",
        parameters=[{"once": ParameterValue(LaunchConfiguration("once"), value_type=bool)}],
        output="screen",
    )
    return LaunchDescription(
        [
            DeclareLaunchArgument(
                "once", default_value="false", description="End when the goal is reached."
            ),
            DeclareLaunchArgument(
                "rviz", default_value="false", description="Show it in RViz, where installed."
            ),
            RegisterEventHandler(OnProcessExit(target_action=demo, on_exit=end_of_demo)),
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
