"""Success and speed of inverse kinematics compared with other solvers."""
