"""A robot with collision checkers, and the base of nodes that plan its motions in a scene."""

from collections.abc import Callable, Mapping
from typing import Any, TypeVar

from rigid_tree_kinematics.collision import CollisionChecker, SceneCheckers
from rigid_tree_kinematics.model.chains import longest_chain_end
from rigid_tree_kinematics.nodes.common.process import Slots
from rigid_tree_kinematics.nodes.common.robot import Robot, RobotDescription, RobotServer
from rigid_tree_kinematics.nodes.planning.parameters import PlannerSettings
from rigid_tree_kinematics.nodes.planning.sensed_points import SensedPoints
from rigid_tree_kinematics.nodes.scene import SceneKeeper
from rigid_tree_kinematics.nodes.tf import TargetFrames
from rigid_tree_kinematics.perception import OwnBody

# Threads for cancellations, checks and scene changes, which do not wait for plans.
SPARE_THREADS = 2


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
        self.points = SensedPoints(self)
        self._slot_count = max(least_slots, self.settings.threads)
        self.slots = Slots(self, self._slot_count)

    def start(self) -> None:
        """Load a robot or wait for one, and start listening to it, to TF and to sensors."""
        self.begin()
        self.frames.start()
        self.points.start()

    def destroy_node(self) -> None:
        """Stop the threads of sensors and TF too."""
        self.points.stop()
        self.frames.stop()
        super().destroy_node()

    @property
    def thread_count(self) -> int:
        """The number of callbacks that run in parallel."""
        return self._slot_count + SPARE_THREADS

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

    def check(self, changed: Mapping[str, Any]) -> None:
        """Raise a RigidTreeError for an invalid change."""
        self.settings.changed(changed)

    def apply(self, changed: Mapping[str, Any]) -> None:
        """Use new settings."""
        self.settings = self.settings.changed(changed)
