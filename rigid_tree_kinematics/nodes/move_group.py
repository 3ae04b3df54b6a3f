"""move_group: MoveIt's services, actions and topics, on this package's scene, IK and planner."""

from __future__ import annotations

import sys
from collections.abc import Sequence

from rclpy.logging import get_logger

from rigid_tree_kinematics.nodes.common.process import run_node

NAME = "move_group"
MISSING = (
    "the package moveit_msgs is not installed, which move_group speaks; on a ROS machine: "
    "sudo apt install ros-$ROS_DISTRO-moveit-msgs"
)


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the node; return the exit code of the process."""
    try:
        import moveit_msgs.srv  # noqa: F401
    except ImportError:
        get_logger(NAME).fatal(MISSING)
        return 1
    from rigid_tree_kinematics.nodes.moveit.node import MoveGroupNode

    return run_node(NAME, MoveGroupNode, arguments)


if __name__ == "__main__":
    sys.exit(main())
