"""What several nodes are made of: process, parameters, robot, state, messages."""
