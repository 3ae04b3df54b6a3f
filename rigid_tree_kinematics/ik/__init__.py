"""Inverse kinematics: joint positions for poses, within limits, with an honest answer."""

from rigid_tree_kinematics.ik.result import IKResult, IKStatus
from rigid_tree_kinematics.ik.solver import InverseKinematics

__all__ = ["IKResult", "IKStatus", "InverseKinematics"]
