"""A move_group and a servo_node with a simulated Panda, and their independent clients."""
