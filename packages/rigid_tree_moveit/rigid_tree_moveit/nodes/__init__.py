"""The programs: move_group, servo_node and servo_keyboard."""
