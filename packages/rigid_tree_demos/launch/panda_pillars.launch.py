"""A Panda moves back and forth between two pillars, planning each motion.

ros2 launch rigid_tree_demos panda_pillars.launch.py [rviz:=true] [once:=true]
"""

from launch import LaunchDescription
from launch.substitutions import LaunchConfiguration

from rigid_tree_kinematics.launching import PROCESSES, declared, demo, included

ARGUMENTS = (
    ("once", "false", "Exit when the goal is reached."),
    ("rviz", "false", "Show it in RViz, if installed."),
    PROCESSES,
)
# The start of planning_demo's first motion.
START = {f"panda_joint{k + 1}": q for k, q in enumerate((1.0, 0.3, 0.0, -1.8, 0.0, 2.1, 0.785))}


def generate_launch_description() -> LaunchDescription:
    panda = {
        "robot": "panda",
        "scene": "panda_pillars",
        "initial_positions": str(START),
        "ik": "false",
        "rviz": LaunchConfiguration("rviz"),
    }
    return LaunchDescription(
        [
            *declared(ARGUMENTS),
            demo("rigid_tree_demos", "planning_demo", once=bool),
            included("bringup.launch.py", panda),
        ]
    )
