"""The kernels of a step: rows of tasks, limits, and the quadratic programs."""
