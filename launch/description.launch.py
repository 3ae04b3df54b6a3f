"""One robot's frames: tree_state_publisher and, without hardware, a source of joint states.

ros2 launch rigid_tree_kinematics description.launch.py robot:=panda
"""

from launch import LaunchDescription

from rigid_tree_kinematics.launching import SOURCE_ARGUMENTS, described, robot_launch


def generate_launch_description() -> LaunchDescription:
    return robot_launch(described, SOURCE_ARGUMENTS)
