"""A simulated NAO in the test's process, whose time the test controls."""

from typing import Any

import numpy as np

from rigid_tree_nao.simulated.memory import Memory
from rigid_tree_nao.simulated.robot.robot import CYCLE, SimulatedRobot
from rigid_tree_nao.simulated.robot.tasks import Task
from rigid_tree_nao.simulated.server import services_of

LONGEST = 30.0  # s of simulated time


class ClocklessNao:
    """A robot and its services; ALMotion's methods are its own."""

    def __init__(self, version: str = "V6") -> None:
        self.robot = SimulatedRobot(version)
        self.memory = Memory(self.robot)
        self.services = services_of(self.robot, self.memory)
        self.posture = self.services["ALRobotPosture"]
        self.model = self.robot.model

    def __getattr__(self, name: str) -> Any:
        return self.services["ALMotion"][name]

    def feet(self) -> np.ndarray:
        """Return where both feet are in the world, (2, 6)."""
        return np.array([self.getPosition(foot, 1, True) for foot in ("LLeg", "RLeg")])

    def advance(self, seconds: float) -> None:
        for _ in range(round(seconds / CYCLE)):
            self.robot.step()

    def finish(self, task: Any) -> float:
        """Let time pass until the task is done; return how long that took (s)."""
        assert isinstance(task, Task)
        cycles = 0
        while not task.done():
            assert cycles * CYCLE < LONGEST, f"{task.name} does not end"
            self.robot.step()
            cycles += 1
        return cycles * CYCLE
