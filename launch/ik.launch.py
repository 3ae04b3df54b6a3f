"""One robot with its frames and with inverse and forward kinematics as services.

ros2 launch rigid_tree_kinematics ik.launch.py robot:=panda
"""

from collections.abc import Sequence

from launch import LaunchContext, LaunchDescription

from rigid_tree_kinematics.launching import (
    DESCRIPTION_ARGUMENTS,
    IK_ARGUMENTS,
    SOURCE_ARGUMENTS,
    RobotNode,
    declared,
    ik_server,
    joint_states,
    page,
    robot_nodes,
    robot_rviz,
    tree_state_publisher,
)


def nodes(context: LaunchContext) -> Sequence[RobotNode]:
    publisher = tree_state_publisher("joint_state_source")
    return [publisher, joint_states(), page(context), ik_server()]


def generate_launch_description() -> LaunchDescription:
    return LaunchDescription(
        [
            *declared(DESCRIPTION_ARGUMENTS, SOURCE_ARGUMENTS, IK_ARGUMENTS),
            robot_nodes(nodes),
            robot_rviz(),
        ]
    )
