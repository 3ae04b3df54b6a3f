"""The node servo_node: MoveIt Servo's commands and outputs."""

from rigid_tree_moveit.servo.node import ServoNode

__all__ = ["ServoNode"]
