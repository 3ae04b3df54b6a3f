"""NAO: its model behind ALMotion's methods, the connection to a robot, and a simulated robot."""

from rigid_tree_kinematics.nao.motion_model import NaoMotionModel

__all__ = ["NaoMotionModel"]
