"""A Panda carries a box around a pillar, commanded by a pymoveit2 script.

pip install pymoveit2
ros2 launch rigid_tree_demos pick_and_place.launch.py [once:=true]

The other arguments are those of moveit.launch.py, which this file includes.
"""

from pathlib import Path

from launch import Action, LaunchContext, LaunchDescription
from launch.actions import IncludeLaunchDescription
from launch_ros.actions import Node
from launch_ros.substitutions import FindPackageShare

from rigid_tree_kinematics.launching import (
    PACKAGE,
    argument,
    description,
    exit_handler,
    is_on,
    setup,
)

SCRIPT = Path(__file__).resolve().parents[1] / "examples" / "pick_and_place.py"
ARGUMENTS = (
    argument("once", "false", "Exit when the box has been set down."),
    argument("servo", "false", "Start servo_node."),
    argument("web", "true", "Show it in the browser (web_viewer)."),
)
MOVEIT = IncludeLaunchDescription(
    [FindPackageShare("rigid_tree_moveit"), "/launch/moveit.launch.py"]
)


def script(context: LaunchContext) -> list[Action]:
    """Return the example script, in the Python of the nodes."""
    demo = Node(
        package=PACKAGE,
        executable="python",
        exec_name="pick_and_place",
        arguments=[str(SCRIPT), *(["--once"] if is_on(context, "once") else [])],
        output="screen",
        on_exit=exit_handler(is_demo=True),
    )
    return [demo]


def generate_launch_description() -> LaunchDescription:
    return description(__file__, [*ARGUMENTS, MOVEIT, setup(script)])
