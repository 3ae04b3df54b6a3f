"""A Panda carries a box around a pillar, commanded by a pymoveit2 script.

pip install pymoveit2
ros2 launch rigid_tree_kinematics pick_and_place.launch.py [once:=true]
"""

import os
import sys
from importlib.util import find_spec

from launch import LaunchContext, LaunchDescription, LaunchDescriptionEntity
from launch.actions import OpaqueFunction
from launch.conditions import IfCondition
from launch.substitutions import LaunchConfiguration
from launch_ros.actions import Node

from rigid_tree_kinematics.launching import (
    PAGE_ARGUMENTS,
    PROCESSES,
    declared,
    end_with,
    included,
)

ARGUMENTS = (
    ("once", "false", "Exit when the box has been set down."),
    ("web", "true", "Show it in the browser (web_viewer)."),
    *PAGE_ARGUMENTS,
    ("rviz", "false", "Show it in RViz, if it is installed."),
    PROCESSES,
)
PASSED_ON = ("web", *(name for name, *_ in PAGE_ARGUMENTS), "rviz", "processes")
SCRIPT = os.path.join(
    os.path.dirname(os.path.realpath(__file__)), "..", "examples", "pick_and_place.py"
)


def script(context: LaunchContext) -> list[LaunchDescriptionEntity]:
    """Return the example script and the handler of its exit."""
    if find_spec("pymoveit2") is None:
        raise RuntimeError("pymoveit2 is missing: pip install pymoveit2")
    once = IfCondition(LaunchConfiguration("once")).evaluate(context)
    arguments = [SCRIPT, *(["--once"] if once else [])]
    demo = Node(executable=sys.executable, arguments=arguments, output="screen")
    return [end_with(demo, "pick_and_place"), demo]


def generate_launch_description() -> LaunchDescription:
    passed_on = {name: LaunchConfiguration(name) for name in PASSED_ON}
    panda = {"robot": "panda_hand", "servo": "false", **passed_on}
    return LaunchDescription(
        [
            *declared(ARGUMENTS),
            included("moveit.launch.py", panda),
            OpaqueFunction(function=script),
        ]
    )
