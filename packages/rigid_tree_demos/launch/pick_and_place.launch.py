"""A Panda carries a box around a pillar, commanded by a pymoveit2 script.

pip install pymoveit2
ros2 launch rigid_tree_demos pick_and_place.launch.py [once:=true]
"""

import os

from launch import LaunchContext, LaunchDescription, LaunchDescriptionEntity
from launch.conditions import IfCondition
from launch.substitutions import LaunchConfiguration
from launch_ros.actions import Node

from rigid_tree_kinematics.launching import (
    PACKAGE,
    PAGE_ARGUMENTS,
    PROCESSES,
    PYTHON,
    declared,
    exit_handler,
    included,
    nodes_have,
    opaque,
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
    """Return the example script."""
    if not nodes_have("pymoveit2"):
        raise RuntimeError("pymoveit2 is missing: pip install pymoveit2")
    once = IfCondition(LaunchConfiguration("once")).evaluate(context)
    return [
        Node(
            package=PACKAGE,
            executable=PYTHON,
            exec_name="pick_and_place",
            arguments=[SCRIPT, *(["--once"] if once else [])],
            output="screen",
            on_exit=exit_handler("pick_and_place", is_demo=True),
        )
    ]


def generate_launch_description() -> LaunchDescription:
    passed_on = {name: LaunchConfiguration(name) for name in PASSED_ON}
    panda = {"robot": "panda_hand", "servo": "false", **passed_on}
    return LaunchDescription(
        [
            *declared(ARGUMENTS),
            opaque(script),
            included("moveit.launch.py", panda, package="rigid_tree_moveit"),
        ]
    )
