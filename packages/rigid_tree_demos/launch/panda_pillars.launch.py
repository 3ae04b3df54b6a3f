"""A Panda moves back and forth between two pillars, planning each motion.

ros2 launch rigid_tree_demos panda_pillars.launch.py [rviz:=true] [once:=true]
"""

from launch import LaunchContext, LaunchDescription, LaunchDescriptionEntity
from launch.actions import OpaqueFunction
from launch.substitutions import LaunchConfiguration
from launch_ros.actions import Node

from rigid_tree_kinematics.launching import (
    PROCESSES,
    argument,
    declared,
    exit_handler,
    included,
    settings,
)

# The start of planning_demo's first motion.
START = {f"panda_joint{k + 1}": q for k, q in enumerate((1.0, 0.3, 0.0, -1.8, 0.0, 2.1, 0.785))}
ARGUMENTS = (
    argument("once", "false", "Exit when the goal is reached."),
    argument("rviz", "false", "Show it in RViz, if installed."),
    PROCESSES,
)
TYPES = {"once": bool}  # of the demo's parameters
PANDA = {
    "robot": "panda",
    "scene": "panda_pillars",
    "initial_positions": str(START),
    "ik": "false",
    "rviz": LaunchConfiguration("rviz"),
}


def check(context: LaunchContext) -> None:
    settings(context, **TYPES)  # before a process starts


def demo(context: LaunchContext) -> list[LaunchDescriptionEntity]:
    return [
        Node(
            package="rigid_tree_demos",
            executable="planning_demo",
            parameters=[settings(context, **TYPES)],
            output="screen",
            on_exit=exit_handler("planning_demo", is_demo=True),
        )
    ]


def generate_launch_description() -> LaunchDescription:
    return LaunchDescription(
        [
            *declared(ARGUMENTS),
            OpaqueFunction(function=check),
            included("bringup.launch.py", PANDA),
            OpaqueFunction(function=demo),
        ]
    )
