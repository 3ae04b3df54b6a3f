"""move_group: MoveIt's interface to this package's scene, IK and planner."""

from rclpy.node import Node

from rigid_tree_kinematics.needed_packages import needs
from rigid_tree_kinematics.nodes.base import SOURCE_PARAMETERS, run_node
from rigid_tree_moveit.move_group.settings import MoveGroupSettings, ToolSettings

NAME = "move_group"
INSTALL = "sudo apt install ros-$ROS_DISTRO-moveit-msgs"


def make_node() -> Node:
    """Return the node; MissingPackageError without moveit_msgs."""
    with needs("moveit_msgs", NAME, INSTALL):
        from rigid_tree_moveit.move_group.node import MoveGroupNode

    return MoveGroupNode()


PARAMETERS = (
    MoveGroupSettings,
    ToolSettings,
    SOURCE_PARAMETERS,
)


def main() -> int:
    """Run the node; return the exit code of the process."""
    return run_node(NAME, make_node, PARAMETERS)
