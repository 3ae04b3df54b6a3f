"""A planar two-link arm among polygons: configuration space, RRT on the torus, and the motion.

ros2 launch rigid_tree_demos planar_rrt.launch.py [web:=true] [rviz:=true] [once:=true]
"""

from launch import LaunchDescription
from launch.substitutions import LaunchConfiguration, PathJoinSubstitution, ThisLaunchFileDir

from rigid_tree_kinematics.launching import PAGE_ARGUMENTS, PROCESSES, declared, demo, included

ARGUMENTS = (
    ("seed", "0", "Random seed: equal seeds give equal paths."),
    ("growth_time", "4.0", "Duration of the tree animation, s."),
    ("once", "false", "Exit when the goal is reached."),
    ("web", "false", "Show it in the browser (web_viewer)."),
    *PAGE_ARGUMENTS,
    ("rviz", "false", "Show it in RViz, if installed."),
    PROCESSES,
)
CONFIG = PathJoinSubstitution([ThisLaunchFileDir(), "..", "config", "planar_rrt.rviz"])
PASSED_ON = ("web", *(name for name, *_ in PAGE_ARGUMENTS), "rviz")


def generate_launch_description() -> LaunchDescription:
    arm = {
        "robot": "planar_two_link",
        "joint_state_source": "false",
        "await_joint_states": "true",  # of the demo
        "rviz_config": CONFIG,
        **{name: LaunchConfiguration(name) for name in PASSED_ON},
    }
    return LaunchDescription(
        [
            *declared(ARGUMENTS),
            demo("rigid_tree_demos", "planar_rrt", seed=int, growth_time=float, once=bool),
            included("description.launch.py", arm),
        ]
    )
