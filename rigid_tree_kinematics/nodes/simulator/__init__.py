"""What robot_simulator is made of."""
