"""A planar two-link arm among polygons: configuration space, RRT on the torus, and the motion.

ros2 launch rigid_tree_demos planar_rrt.launch.py [web:=true] [rviz:=true] [once:=true]
"""

from launch import LaunchContext, LaunchDescription, LaunchDescriptionEntity
from launch.actions import OpaqueFunction
from launch.substitutions import LaunchConfiguration, PathJoinSubstitution, ThisLaunchFileDir
from launch_ros.actions import Node

from rigid_tree_kinematics.launching import (
    PAGE_ARGUMENTS,
    PROCESSES,
    argument,
    declared,
    exit_handler,
    included,
    settings,
)

SHOWN = (
    argument("web", "false", "Show it in the browser (web_viewer)."),
    *PAGE_ARGUMENTS,
    argument("rviz", "false", "Show it in RViz, if installed."),
)
ARGUMENTS = (
    argument("seed", "0", "Random seed: equal seeds give equal paths."),
    argument("growth_time", "4.0", "Duration of the tree animation, s."),
    argument("once", "false", "Exit when the goal is reached."),
    *SHOWN,
    PROCESSES,
)
# Of the demo's parameters.
TYPES = {"seed": int, "growth_time": float, "once": bool}
ARM = {
    "robot": "planar_two_link",
    "joint_state_source": "false",
    "await_joint_states": "true",  # of the demo
    "rviz_config": PathJoinSubstitution([ThisLaunchFileDir(), "..", "config", "planar_rrt.rviz"]),
    **{row.name: LaunchConfiguration(row.name) for row in SHOWN},
}


def check(context: LaunchContext) -> None:
    settings(context, **TYPES)  # before a process starts


def demo(context: LaunchContext) -> list[LaunchDescriptionEntity]:
    return [
        Node(
            package="rigid_tree_demos",
            executable="planar_rrt",
            parameters=[settings(context, **TYPES)],
            output="screen",
            on_exit=exit_handler("planar_rrt", is_demo=True),
        )
    ]


def generate_launch_description() -> LaunchDescription:
    return LaunchDescription(
        [
            *declared(ARGUMENTS),
            OpaqueFunction(function=check),
            included("description.launch.py", ARM),
            OpaqueFunction(function=demo),
        ]
    )
