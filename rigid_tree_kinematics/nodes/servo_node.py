"""servo_node: moves joints by twists, joint velocities or poses, like MoveIt Servo."""

from __future__ import annotations

import sys
from functools import partial

from rclpy.node import Node

from rigid_tree_kinematics.needed_packages import needs
from rigid_tree_kinematics.nodes.common.process import run_node

NAME = "servo_node"
INSTALL = "sudo apt install ros-$ROS_DISTRO-moveit-msgs"


def make_node() -> Node:
    """Return the node; MissingPackageError without moveit_msgs."""
    with needs("moveit_msgs", NAME, INSTALL):
        from rigid_tree_kinematics.nodes.servo import ServoNode

    return ServoNode()


main = partial(run_node, NAME, make_node)


if __name__ == "__main__":
    sys.exit(main())
