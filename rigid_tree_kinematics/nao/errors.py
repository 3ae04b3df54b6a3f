"""What goes wrong with a NAO."""

from __future__ import annotations

from rigid_tree_kinematics.errors import RigidTreeError


class NaoError(RigidTreeError, RuntimeError):
    """A method was called with names or numbers that make no sense, or the robot refused it."""


class NoRobotConnectionError(NaoError):
    """The robot is not there, or went away during a call."""
