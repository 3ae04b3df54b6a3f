"""The node servo_node: MoveIt Servo's commands and outputs."""
