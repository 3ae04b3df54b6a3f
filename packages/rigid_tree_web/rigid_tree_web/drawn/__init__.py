"""What is drawn in the scene of the page: robots, their balance, obstacles, targets."""

from rigid_tree_web.drawn.balance import BalanceView
from rigid_tree_web.drawn.drawn_robot import DrawnRobot, Position, Quaternion
from rigid_tree_web.drawn.ghost import COLLISION, GOAL, Ghost, PathGhost
from rigid_tree_web.drawn.scene import DrawnScene
from rigid_tree_web.drawn.target import TargetGizmo, TargetPair
