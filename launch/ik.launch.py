"""One robot with inverse and forward kinematics as services, and its frames on the network.

ros2 launch rigid_tree_kinematics ik.launch.py robot:=panda
"""

from launch import LaunchDescription

from rigid_tree_kinematics.launching import (
    DESCRIPTION_ARGUMENTS,
    IK_ARGUMENTS,
    SOURCE_ARGUMENTS,
    declared,
    frames,
    ik_server,
    joint_states,
    robot_nodes,
    robot_rviz,
)


def generate_launch_description() -> LaunchDescription:
    return LaunchDescription(
        [
            *declared(DESCRIPTION_ARGUMENTS, SOURCE_ARGUMENTS, IK_ARGUMENTS),
            robot_nodes(lambda context: [*frames(context), joint_states(), ik_server()]),
            robot_rviz(),
        ]
    )
