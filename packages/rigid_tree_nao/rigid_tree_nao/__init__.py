"""NAO: the model behind ALMotion's methods, the connection, a simulated robot."""

from rigid_tree_nao.errors import NaoError, NoRobotConnectionError
from rigid_tree_nao.model import NaoMotionModel

__all__ = ["NaoError", "NaoMotionModel", "NoRobotConnectionError"]
