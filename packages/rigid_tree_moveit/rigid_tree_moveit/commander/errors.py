"""The error of all calls."""

from rigid_tree_kinematics.errors import RigidTreeError


class CommanderError(RigidTreeError, RuntimeError):
    """A call is invalid, or move_group is missing or rejected it; the message has the remedy."""
