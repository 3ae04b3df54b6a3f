"""Shared parts of the tests: processes, ROS networks, reference models, a simulated NAO."""
