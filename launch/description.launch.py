"""One robot's frames: tree_state_publisher and, without hardware, a source of joint states.

ros2 launch rigid_tree_kinematics description.launch.py robot:=panda
"""

from launch import LaunchDescription

from rigid_tree_kinematics.launching import (
    DESCRIPTION_ARGUMENTS,
    SOURCE_ARGUMENTS,
    declared,
    joint_states,
    page,
    robot_nodes,
    robot_rviz,
    tree_state_publisher,
)


def generate_launch_description() -> LaunchDescription:
    return LaunchDescription(
        [
            *declared(DESCRIPTION_ARGUMENTS, SOURCE_ARGUMENTS),
            robot_nodes(lambda context: [tree_state_publisher(), joint_states(), page(context)]),
            robot_rviz(),
        ]
    )
