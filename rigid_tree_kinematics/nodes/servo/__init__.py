"""What the node servo_node is made of."""
