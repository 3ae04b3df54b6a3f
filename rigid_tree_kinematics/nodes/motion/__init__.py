"""Moving a robot from a node: a task with an exit code, and motions that a user asks for.

``MotionClient`` is for subclasses that speak to other servers, which raise its errors.
"""

from rigid_tree_kinematics.nodes.common.requests import BlockedError, MotionClient, MotionError
from rigid_tree_kinematics.nodes.motion.motion_node import MotionNode, TaskError, TaskNode
from rigid_tree_kinematics.nodes.motion.user_motion import UserMotion

__all__ = [
    "BlockedError",
    "MotionClient",
    "MotionError",
    "MotionNode",
    "TaskError",
    "TaskNode",
    "UserMotion",
]
