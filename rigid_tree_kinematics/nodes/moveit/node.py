"""The node move_group."""

from __future__ import annotations

from rigid_tree_kinematics.nodes.moveit.description_services import DescriptionServices
from rigid_tree_kinematics.nodes.moveit.motion_actions import MotionActions
from rigid_tree_kinematics.nodes.moveit.plan_services import PlanServices
from rigid_tree_kinematics.nodes.moveit.scene_services import SceneServices
from rigid_tree_kinematics.nodes.moveit.sequence_services import SequenceServices
from rigid_tree_kinematics.nodes.moveit.server import MoveItServer
from rigid_tree_kinematics.nodes.moveit.state_services import StateServices

NAME = "move_group"


class MoveGroupNode(MoveItServer):
    """The node. Raises a RigidTreeError or a parameter exception if it cannot start."""

    def __init__(self) -> None:
        super().__init__(NAME)
        StateServices(self)
        DescriptionServices(self)
        SceneServices(self)
        plans = PlanServices(self)
        self._motions = MotionActions(self, plans, SequenceServices(self, plans))

    def destroy_node(self) -> None:
        """End running plans and motions too."""
        self._motions.destroy()
        super().destroy_node()
