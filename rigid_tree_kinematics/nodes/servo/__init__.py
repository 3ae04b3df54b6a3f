"""What the node servo_node is made of."""

from rigid_tree_kinematics.nodes.servo.node import ServoNode

__all__ = [
    "ServoNode",
]
