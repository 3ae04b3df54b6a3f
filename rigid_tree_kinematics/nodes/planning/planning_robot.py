"""The robot of a node that plans motions."""

from rigid_tree_kinematics.collision import CollisionChecker, SceneCheckers
from rigid_tree_kinematics.model.chains import longest_chain_end
from rigid_tree_kinematics.nodes.common.robot import Robot, RobotDescription
from rigid_tree_kinematics.nodes.planning.parameters import PlannerSettings
from rigid_tree_kinematics.perception import OwnBody


class PlanningRobot(Robot):
    """A robot with collision checkers."""

    def __init__(self, description: RobotDescription, settings: PlannerSettings) -> None:
        super().__init__(description)
        checker = CollisionChecker(
            self.tree,
            padding=settings.padding,
            disabled_pairs=settings.link_pairs("disabled_pairs"),
            checked_pairs=settings.link_pairs("checked_pairs"),
            srdf=settings.srdf or None,
        )
        self.checkers = SceneCheckers(checker)
        self.own_body = OwnBody(self.tree, settings.body_padding)

    def tip(self, name: str) -> str:
        """Return the named body, or by default the end of the longest chain."""
        if name:
            return str(self.tree.get_body(name).name)
        return longest_chain_end(self.tree)
