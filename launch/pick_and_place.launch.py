"""A Panda carries a box around a pillar, led by a script of pymoveit2; see it in the browser.

pip install pymoveit2
ros2 launch rigid_tree_kinematics pick_and_place.launch.py [once:=true]
"""

import os
import sys
from importlib.util import find_spec

from launch import LaunchDescription
from launch.actions import IncludeLaunchDescription, OpaqueFunction
from launch.conditions import IfCondition
from launch.launch_description_sources import PythonLaunchDescriptionSource
from launch.substitutions import LaunchConfiguration, PathJoinSubstitution, ThisLaunchFileDir
from launch_ros.actions import Node

from rigid_tree_kinematics.launching import PAGE_ARGUMENTS, PROCESSES, declared, end_with

ARGUMENTS = (
    ("once", "false", "End when the box has been set down."),
    ("web", "true", "Show it in the browser (web_viewer)."),
    *PAGE_ARGUMENTS,
    ("rviz", "false", "Show it in RViz, where it is installed."),
    PROCESSES,
)
PASSED_ON = ("web", *(name for name, *_ in PAGE_ARGUMENTS), "rviz", "processes")
SCRIPT = os.path.join(
    os.path.dirname(os.path.realpath(__file__)), "..", "examples", "pick_and_place.py"
)


def script(context):
    """Return the example, and what ends everything when it ends."""
    if find_spec("pymoveit2") is None:
        raise RuntimeError("pymoveit2 is missing: pip install pymoveit2")
    once = IfCondition(LaunchConfiguration("once")).evaluate(context)
    arguments = [SCRIPT, *(["--once"] if once else [])]
    demo = Node(executable=sys.executable, arguments=arguments, output="screen")
    return [end_with(demo, "pick_and_place"), demo]


def generate_launch_description() -> LaunchDescription:
    return LaunchDescription(
        [
            *declared(ARGUMENTS),
            IncludeLaunchDescription(
                PythonLaunchDescriptionSource(
                    PathJoinSubstitution([ThisLaunchFileDir(), "moveit.launch.py"])
                ),
                launch_arguments={
                    "robot": "panda_hand",
                    "servo": "false",
                    **{name: LaunchConfiguration(name) for name in PASSED_ON},
                }.items(),
            ),
            OpaqueFunction(function=script),
        ]
    )
