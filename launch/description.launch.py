"""One robot's frames: tree_state_publisher and, without hardware, a source of joint states.

ros2 launch rigid_tree_kinematics description.launch.py robot:=panda
"""

from launch import LaunchContext, LaunchDescription, LaunchDescriptionEntity
from launch.actions import OpaqueFunction

from rigid_tree_kinematics.launching import (
    DESCRIPTION_ARGUMENTS,
    SOURCE_ARGUMENTS,
    declared,
    described,
    robot_nodes,
    rviz,
    setting,
)


def launch_setup(context: LaunchContext) -> list[LaunchDescriptionEntity]:
    config = setting(context, "rviz_config", str)
    return [*rviz(context, config), *robot_nodes(context, described(context))]


def generate_launch_description() -> LaunchDescription:
    return LaunchDescription(
        [
            *declared(DESCRIPTION_ARGUMENTS, SOURCE_ARGUMENTS),
            OpaqueFunction(function=launch_setup),
        ]
    )
