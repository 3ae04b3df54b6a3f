"""What the servers of robot_simulator need of their node."""

from __future__ import annotations

import threading
from abc import abstractmethod

from rigid_tree_kinematics.dynamics import DrivenRobot
from rigid_tree_kinematics.nodes.common.process import PlainNode
from rigid_tree_kinematics.nodes.simulator.parameters import SimulatorSettings


class SimulatorNode(PlainNode):
    """A node with a robot, None until its description comes, and a lock that guards it."""

    robot: DrivenRobot | None = None
    settings: SimulatorSettings

    def __init__(self, name: str) -> None:
        super().__init__(name)
        self.lock = threading.RLock()  # ticks run in another thread

    @abstractmethod
    def present_robot(self) -> DrivenRobot:
        """Return the robot. Raises NoRobotError if there is none."""

    @abstractmethod
    def now(self) -> float:
        """Return the time for messages, s."""
