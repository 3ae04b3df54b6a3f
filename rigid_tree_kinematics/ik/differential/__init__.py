"""Differential inverse kinematics: joint velocities for several tasks, limits and barriers."""
