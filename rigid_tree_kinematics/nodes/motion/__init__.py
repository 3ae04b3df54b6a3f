"""Moving a robot from a node: a task with an exit code, and motions that a user asks for."""

from rigid_tree_kinematics.nodes.motion.motion_node import MotionNode, TaskError, TaskNode
from rigid_tree_kinematics.nodes.motion.user_motion import UserMotion

__all__ = ["MotionNode", "TaskError", "TaskNode", "UserMotion"]
