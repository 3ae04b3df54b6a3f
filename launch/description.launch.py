"""One robot's frames: tree_state_publisher and, without hardware, a source of joint states.

ros2 launch rigid_tree_kinematics description.launch.py robot:=panda
"""

from collections.abc import Sequence

from launch import LaunchContext, LaunchDescription

from rigid_tree_kinematics.launching import (
    DESCRIPTION_ARGUMENTS,
    SOURCE_ARGUMENTS,
    RobotNode,
    declared,
    joint_states,
    page,
    robot_nodes,
    robot_rviz,
    tree_state_publisher,
)


def nodes(context: LaunchContext) -> Sequence[RobotNode]:
    return [tree_state_publisher("joint_state_source"), joint_states(), page(context)]


def generate_launch_description() -> LaunchDescription:
    return LaunchDescription(
        [
            *declared(DESCRIPTION_ARGUMENTS, SOURCE_ARGUMENTS),
            robot_nodes(nodes),
            robot_rviz(),
        ]
    )
