"""What the node move_group is made of."""
