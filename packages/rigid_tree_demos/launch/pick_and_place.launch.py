"""A Panda carries a box around a pillar, commanded by a pymoveit2 script.

pip install pymoveit2
ros2 launch rigid_tree_demos pick_and_place.launch.py [once:=true]
"""

import os

from launch import LaunchContext, LaunchDescription, LaunchDescriptionEntity
from launch.actions import OpaqueFunction
from launch.substitutions import LaunchConfiguration
from launch_ros.actions import Node

from rigid_tree_kinematics import launching
from rigid_tree_kinematics.launching import argument, setting

SHOWN = (
    argument("web", "true", "Show it in the browser (web_viewer)."),
    *launching.PAGE_ARGUMENTS,
    argument("rviz", "false", "Show it in RViz, if it is installed."),
    launching.PROCESSES,
)
ONCE = argument("once", "false", "Exit when the box has been set down.")
SCRIPT = os.path.join(
    os.path.dirname(os.path.realpath(__file__)), "..", "examples", "pick_and_place.py"
)


PANDA = {
    "robot": "panda_hand",
    "servo": "false",
    **{row.name: LaunchConfiguration(row.name) for row in SHOWN},
}


def check(context: LaunchContext) -> None:
    setting(context, "once", bool)
    if not launching.nodes_have("pymoveit2"):
        raise RuntimeError("pymoveit2 is missing: pip install pymoveit2")


def script(context: LaunchContext) -> list[LaunchDescriptionEntity]:
    """Return the example script."""
    return [
        Node(
            package=launching.PACKAGE,
            executable=launching.PYTHON,
            exec_name="pick_and_place",
            arguments=[SCRIPT, *(["--once"] if setting(context, "once", bool) else [])],
            output="screen",
            on_exit=launching.exit_handler("pick_and_place", is_demo=True),
        )
    ]


def generate_launch_description() -> LaunchDescription:
    return LaunchDescription(
        [
            *launching.declared([ONCE, *SHOWN]),
            OpaqueFunction(function=check),
            launching.included("moveit.launch.py", PANDA, package="rigid_tree_moveit"),
            OpaqueFunction(function=script),
        ]
    )
