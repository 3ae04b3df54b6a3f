"""The node move_group: its services, actions and topics."""

from rigid_tree_kinematics.nodes.moveit.interface.motion_actions import MotionActions
from rigid_tree_kinematics.nodes.moveit.interface.plan_services import PlanServices
from rigid_tree_kinematics.nodes.moveit.interface.scene_services import SceneServices
from rigid_tree_kinematics.nodes.moveit.interface.server import MoveItServer
from rigid_tree_kinematics.nodes.moveit.interface.state_services import StateServices


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
