"""What the servers of robot_simulator know of their node."""

import threading
from abc import ABC, abstractmethod

from rigid_tree_kinematics.execution import DrivenRobot
from rigid_tree_kinematics.model import CompiledTree
from rigid_tree_kinematics.nodes.common.process import PlainNode
from rigid_tree_kinematics.nodes.simulator.parameters import SimulatorSettings


class SimulatorNode(PlainNode, ABC):
    """A node with a robot, and a lock that guards it."""

    settings: SimulatorSettings

    def __init__(self, name: str) -> None:
        super().__init__(name)
        self.lock = threading.RLock()  # ticks run in another thread

    @property
    @abstractmethod
    def robot(self) -> DrivenRobot | None:
        """The robot; None until its description comes."""

    @abstractmethod
    def present_robot(self) -> DrivenRobot:
        """Return the robot. Raises NoRobotError if there is none."""

    @abstractmethod
    def now(self) -> float:
        """Return the time for messages, s."""

    def moved_joints(self) -> tuple[str, ...]:
        """Return the positions that motors move; none without a robot."""
        return () if self.robot is None else moved_joints_of(self.robot.compiled)


def moved_joints_of(compiled: CompiledTree) -> tuple[str, ...]:
    """Return the positions of a robot that motors move."""
    rows = zip(compiled.position_names, compiled.is_scalar, strict=True)
    return tuple(name for name, is_scalar in rows if is_scalar)
