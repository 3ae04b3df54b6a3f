"""A row of the table of methods: the ROS service, and how it calls the robot."""

from __future__ import annotations

import re
import time
from collections.abc import Callable
from concurrent.futures import Future as Answer
from dataclasses import dataclass
from typing import Any

from rigid_tree_kinematics.nao import NaoError
from rigid_tree_kinematics.nao.guard import WalkEffect
from rigid_tree_kinematics.nodes.nao.methods.arguments import all_fields
from rigid_tree_kinematics.nodes.nao.methods.checks import Check, nothing_moves
from rigid_tree_kinematics.nodes.nao.methods.outcomes import Done, Outcome, returned
from rigid_tree_kinematics.nodes.nao.methods.replies import Fill, nothing
from rigid_tree_kinematics.nodes.nao.robot import NaoRobot

# Fills an action's feedback: feedback(goal, message, robot).
Feedback = Callable[[Any, Any, NaoRobot], None]


@dataclass(frozen=True)
class Lasting:
    """How a blocking method is also an action, with its service's name and fields."""

    kind: Any  # action type
    stop: str  # name of the method called on a cancel, with arguments made from the goal
    feedback: Feedback


@dataclass(frozen=True)
class Method:
    """A method of the robot and the ROS service that offers it.

    The service has the method's name in snake case, unless ``name`` is given. ``arguments``
    converts a request to the method's arguments, and raises NaoError if that cannot be done.
    """

    kind: Any  # service type
    naoqi: str  # module and method: ALMotion.getAngles
    name: str = ""
    arguments: Callable[[Any], list[Any]] = all_fields
    fill: Fill = nothing
    check: Check = nothing_moves
    walk: WalkEffect = WalkEffect.NONE
    outcome: Outcome = returned
    lasting: Lasting | None = None

    def __post_init__(self) -> None:
        words = re.sub("(?<=[a-z])(?=[A-Z])", "_", self.naoqi.partition(".")[2]).lower()
        object.__setattr__(self, "name", self.name or words)

    def remarks(self, robot: NaoRobot, arguments: list[Any]) -> list[str]:
        """Clamp arguments to the limits, in place; return remarks. Raises what ``check`` does."""
        return [remark for remark in self.check(robot, arguments) if remark]

    def call(self, robot: NaoRobot, *arguments: Any) -> Answer[Any]:
        """Call the method with checked arguments; see NaoRobot.call."""
        return robot.call(self.naoqi, *arguments, walk=self.walk)

    def send(self, robot: NaoRobot, source: str, *arguments: Any) -> Answer[Any]:
        """Call the method, and log a failure with the name ``source``."""
        return robot.log_failure(source, self.call(robot, *arguments))

    async def perform(self, robot: NaoRobot, arguments: list[Any]) -> tuple[str, list[str], Any]:
        """Check the arguments, call the method, and check its outcome.

        Returns why the motion has not happened, or an empty string; remarks; and the value.
        Raises NaoError if the check or the robot rejects the call.
        """
        remarks = self.remarks(robot, arguments)
        start, place = time.monotonic(), robot.state.robot_place if robot.state else None
        value = await robot.result_of(self.call(robot, *arguments))
        failure = await self.outcome(robot, Done(arguments, value, start, place))
        return failure, remarks, value

    async def carry_out(self, robot: NaoRobot, *arguments: Any) -> None:
        """Perform the method, and log remarks. Raises NaoError if its motion has not happened."""
        failure, remarks, _ = await self.perform(robot, list(arguments))
        for remark in remarks:
            robot.warn(f"{self.name}: {remark}")
        if failure:
            raise NaoError(failure)
