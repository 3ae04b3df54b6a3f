"""The base of nodes that plan motions in a scene."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeVar

from rigid_tree_kinematics.nodes.common.process import Slots
from rigid_tree_kinematics.nodes.common.robot import RobotServer
from rigid_tree_kinematics.nodes.planning.parameters import PlannerSettings
from rigid_tree_kinematics.nodes.planning.planning_robot import PlanningRobot
from rigid_tree_kinematics.nodes.planning.sensed_points import SensedPoints
from rigid_tree_kinematics.nodes.scene import SceneKeeper
from rigid_tree_kinematics.nodes.tf import TargetFrames

# Threads for cancellations, checks and scene changes, which do not wait for plans.
SPARE_THREADS = 2


RobotT = TypeVar("RobotT", bound=PlanningRobot)


class PlanningServer(RobotServer[RobotT]):
    """A node with a robot, a scene, the obstacles that sensors see, and the frames of TF.

    ``settings`` are its parameters, which ``declare`` declares; ``keeper`` has the scene. Long
    callbacks run in ``slots``, of which there are at least ``least_slots``. A subclass calls
    ``start`` when it is ready for a robot.
    """

    def __init__(
        self, name: str, declare: Callable[[], PlannerSettings], least_slots: int = 1
    ) -> None:
        super().__init__(name)
        self.settings = declare()
        self.frames = TargetFrames(self)
        self.keeper = SceneKeeper(self.settings.initial_scene())
        self.points = SensedPoints(self, self.keeper, self.frames, lambda: self.settings)
        slot_count = max(least_slots, self.settings.threads)
        self.slots = Slots(self, slot_count)
        self.thread_count = slot_count + SPARE_THREADS

    def start(self) -> None:
        """Load a robot or wait for one, and start listening to it and to sensors."""
        self.begin()
        self.points.start()

    def destroy_node(self) -> None:
        """Stop the thread of sensors too."""
        self.points.stop()
        super().destroy_node()

    def robot_taken(self, robot: RobotT) -> None:
        """Keep the scene except obstacles attached to unknown links; log the checked pairs."""
        log = self.get_logger()
        for name in self.keeper.fit(robot.tree):
            log.warning(
                f"dropped obstacle '{name}': robot '{robot.tree.name}' lacks the link it was on"
            )
        log.info(robot.checkers.pairs_summary)
        for warning in robot.checkers.warnings:
            log.warning(warning)
        robot.checkers.checker(self.keeper.scene)
