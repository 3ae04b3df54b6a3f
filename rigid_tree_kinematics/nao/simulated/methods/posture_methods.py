"""ALRobotPosture of the simulated robot."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from rigid_tree_kinematics.nao.errors import NaoError
from rigid_tree_kinematics.nao.model import POSTURES
from rigid_tree_kinematics.nao.simulated.robot import SimulatedRobot, Task

NAMES = ("goToPosture", "applyPosture")


class PostureMethods:
    """ALRobotPosture's methods, by their names in ``methods``."""

    def __init__(self, robot: SimulatedRobot, stop_walk: Callable[[], None]) -> None:
        self._robot = robot
        self._stop_walk = stop_walk
        self.methods: dict[str, Callable[..., Any]] = {
            "goToPosture": lambda posture, speed: self._go("goToPosture", posture, speed),
            "applyPosture": lambda posture, speed: self._go("applyPosture", posture, speed),
            "stopMove": lambda: robot.board.kill(lambda task: task.name in NAMES) and None,
            "getPostureList": lambda: list(POSTURES),
            "getPosture": lambda: robot.posture,
            "getPostureFamily": lambda: robot.family,
        }

    def _go(self, name: str, posture: str, speed: float) -> Task | bool:
        if not 0.0 < speed <= 1.0:
            raise NaoError(f"the speed must be in (0, 1], not {speed}")
        self._stop_walk()
        task = self._robot.go_to_posture(name, posture, speed)
        if not self._robot.is_awake:
            task.end()  # motors without stiffness do not move
        return task
