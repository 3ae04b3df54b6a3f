"""One robot with its frames and with inverse and forward kinematics as services.

ros2 launch rigid_tree_kinematics ik.launch.py robot:=panda
"""

from launch import LaunchDescription

from rigid_tree_kinematics.launching import (
    IK_ARGUMENTS,
    SOURCE_ARGUMENTS,
    described,
    ik_server,
    robot_launch,
)


def generate_launch_description() -> LaunchDescription:
    return robot_launch(
        lambda context: [*described(context), ik_server()], SOURCE_ARGUMENTS, IK_ARGUMENTS
    )
