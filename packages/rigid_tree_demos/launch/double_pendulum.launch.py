"""A falling double pendulum: links A, B and C; joint_A starts at 30 degrees.

ros2 launch rigid_tree_demos double_pendulum.launch.py [rviz:=true]
"""

import os

from launch import LaunchDescription

from rigid_tree_kinematics.launching import argument, declared, included

CONFIG = os.path.join(
    os.path.dirname(os.path.realpath(__file__)), "..", "config", "double_pendulum.rviz"
)
# Other arguments of bringup.launch.py, such as rviz and paused, can be given too.
DEFAULTS = (
    argument("robot", "double_pendulum", "The robot."),
    argument("mode", "free", "free: the robot falls. See bringup.launch.py."),
    argument(
        "initial_positions", "{joint_A: 0.5235987755982988}", "Initial joint positions, rad."
    ),
    argument("ik", "false", "Start ik_server (inverse kinematics)."),
    argument("planner", "false", "Start rrt_planner (motion planning)."),
    argument("rviz_config", CONFIG, "RViz configuration to show."),
)


def generate_launch_description() -> LaunchDescription:
    return LaunchDescription(
        [*declared(DEFAULTS, further=None), included("bringup.launch.py", {})]
    )
