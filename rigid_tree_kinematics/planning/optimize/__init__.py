"""Optimization of a path that was found, for clearance, smoothness and posture."""

from rigid_tree_kinematics.planning.optimize.optimizer import optimized

__all__ = ["optimized"]
