"""MoveIt's interface: move_group, servo_node and the MoveIt-like Python names."""
