"""Errors of NAO's modules."""

from rigid_tree_kinematics.errors import RigidTreeError


class NaoError(RigidTreeError, RuntimeError):
    """A method was called with invalid names or numbers, or the robot rejected it."""


class NoRobotConnectionError(NaoError):
    """There is no connection to the robot, or it was lost during a call."""
