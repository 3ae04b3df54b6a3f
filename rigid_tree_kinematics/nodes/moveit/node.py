"""The node move_group."""

from rigid_tree_kinematics.nodes.moveit.motions import MotionActions
from rigid_tree_kinematics.nodes.moveit.plans import PlanServices
from rigid_tree_kinematics.nodes.moveit.scenes import SceneServices
from rigid_tree_kinematics.nodes.moveit.server import MoveItServer
from rigid_tree_kinematics.nodes.moveit.states import StateServices


class MoveGroupNode(MoveItServer):
    """The node. Raises a RigidTreeError or a parameter exception if it cannot start."""

    def __init__(self) -> None:
        super().__init__("move_group")
        StateServices(self)
        SceneServices(self)
        self._motions = MotionActions(self, PlanServices(self))

    def destroy_node(self) -> None:
        """Cancel plans and motions too."""
        self._motions.destroy()
        super().destroy_node()
