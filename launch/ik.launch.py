"""One robot with its frames and with inverse and forward kinematics as services.

ros2 launch rigid_tree_kinematics ik.launch.py robot:=panda
"""

from launch import LaunchDescription

from rigid_tree_kinematics.launching import (
    DESCRIPTION_ARGUMENTS,
    IK_ARGUMENTS,
    SOURCE_ARGUMENTS,
    declared,
    ik_server,
    joint_states,
    page,
    robot_nodes,
    robot_rviz,
    tree_state_publisher,
)


def generate_launch_description() -> LaunchDescription:
    return LaunchDescription(
        [
            *declared(DESCRIPTION_ARGUMENTS, SOURCE_ARGUMENTS, IK_ARGUMENTS),
            robot_nodes(
                lambda context: [
                    tree_state_publisher(),
                    joint_states(),
                    page(context),
                    ik_server(),
                ]
            ),
            robot_rviz(),
        ]
    )
