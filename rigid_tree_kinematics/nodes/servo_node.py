"""servo_node: moves joints by twists, joint velocities or poses, like MoveIt Servo."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from importlib.util import find_spec

from rclpy.node import Node

from rigid_tree_kinematics.errors import ConfigurationError
from rigid_tree_kinematics.nodes.common.process import run_node

NAME = "servo_node"
MISSING = (
    "servo_node speaks moveit_msgs, which is not installed; on a ROS machine: "
    "sudo apt install ros-$ROS_DISTRO-moveit-msgs"
)


def make_node() -> Node:
    """Return the node; ConfigurationError where moveit_msgs is missing."""
    if find_spec("moveit_msgs") is None:
        raise ConfigurationError(MISSING)
    from rigid_tree_kinematics.nodes.servo import ServoNode

    return ServoNode()


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the node; return the exit code of the process."""
    return run_node(NAME, make_node, arguments)


if __name__ == "__main__":
    sys.exit(main())
