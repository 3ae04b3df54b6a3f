"""The robot of the planner: model, state and collision checkers."""

from __future__ import annotations

from rigid_tree_kinematics.collision import CollisionChecker, SceneCheckers
from rigid_tree_kinematics.model.chains import longest_chain_end
from rigid_tree_kinematics.nodes.common.process import Logger
from rigid_tree_kinematics.nodes.common.robot import Robot, RobotDescription
from rigid_tree_kinematics.nodes.planning.parameters import PlannerSettings
from rigid_tree_kinematics.nodes.scene import SceneKeeper
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

    def enter(self, keeper: SceneKeeper, log: Logger) -> None:
        """Keep a scene except obstacles attached to unknown links; log the checked pairs."""
        for name in keeper.fit(self.tree):
            log.warning(
                f"dropped obstacle '{name}': robot '{self.tree.name}' lacks the link it was on"
            )
        log.info(self.checkers.pairs_summary)
        for warning in self.checkers.warnings:
            log.warning(warning)
        self.checkers.checker(keeper.scene)
