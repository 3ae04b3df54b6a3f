"""move_group: MoveIt's interface to this package's scene, IK and planner."""

from rclpy.node import Node

from rigid_tree_kinematics.needed_packages import needs

NAME = "move_group"
INSTALL = "sudo apt install ros-$ROS_DISTRO-moveit-msgs"


def make_node() -> Node:
    """Return the node; MissingPackageError without moveit_msgs."""
    with needs("moveit_msgs", NAME, INSTALL):
        from rigid_tree_kinematics.nodes.moveit.node import MoveGroupNode

    return MoveGroupNode()
