"""servo_node: moves joints by twists, joint velocities or poses, like MoveIt Servo."""

from rclpy.node import Node

from rigid_tree_kinematics.needed_packages import needs

NAME = "servo_node"
INSTALL = "sudo apt install ros-$ROS_DISTRO-moveit-msgs"


def make_node() -> Node:
    """Return the node; MissingPackageError without moveit_msgs."""
    with needs("moveit_msgs", NAME, INSTALL):
        from rigid_tree_kinematics.nodes.servo import ServoNode

    return ServoNode()
