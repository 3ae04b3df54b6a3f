"""One robot with its frames and with inverse and forward kinematics as services.

ros2 launch rigid_tree_kinematics ik.launch.py robot:=panda
"""

from launch import LaunchContext, LaunchDescription, LaunchDescriptionEntity
from launch.actions import OpaqueFunction

from rigid_tree_kinematics.launching import (
    DESCRIPTION_ARGUMENTS,
    IK_ARGUMENTS,
    SOURCE_ARGUMENTS,
    declared,
    described,
    ik_server,
    robot_nodes,
    rviz,
    setting,
)


def launch_setup(context: LaunchContext) -> list[LaunchDescriptionEntity]:
    nodes = [*described(context), ik_server(context)]
    return [*rviz(context, setting(context, "rviz_config", str)), *robot_nodes(context, nodes)]


def generate_launch_description() -> LaunchDescription:
    return LaunchDescription(
        [
            *declared(DESCRIPTION_ARGUMENTS, SOURCE_ARGUMENTS, IK_ARGUMENTS),
            OpaqueFunction(function=launch_setup),
        ]
    )
