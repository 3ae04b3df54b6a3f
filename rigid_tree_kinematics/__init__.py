"""Kinematics, inverse kinematics and motion planning for robots that are rigid body trees."""

from rigid_tree_kinematics.description import list_robots, load_robot
from rigid_tree_kinematics.errors import RigidTreeError
from rigid_tree_kinematics.model import Joint, RigidBody, RigidBodyTree

__version__ = "0.1.0"

__all__ = [
    "Joint",
    "RigidBody",
    "RigidBodyTree",
    "RigidTreeError",
    "__version__",
    "list_robots",
    "load_robot",
]
