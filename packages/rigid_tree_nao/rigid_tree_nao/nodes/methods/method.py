"""A method of NAO: its ROS service, and how that calls the robot."""

import time
from collections.abc import Callable
from concurrent.futures import Future as Answer
from dataclasses import dataclass
from typing import Any

from rigid_tree_nao import NaoError
from rigid_tree_nao.guard import WalkEffect
from rigid_tree_nao.nodes.methods import arguments, checks, outcomes, replies
from rigid_tree_nao.nodes.robot import NaoRobot

# Fills an action's feedback: feedback(goal, message, robot).
Feedback = Callable[[Any, Any, NaoRobot], None]


@dataclass(frozen=True)
class BlockingAction:
    """The action of a blocking method, with its service's name and fields."""

    kind: Any  # action type
    stop: str  # name of the method called on a cancel, with arguments made from the goal
    feedback: Feedback


@dataclass(frozen=True)
class Method:
    """A method of the robot and the ROS service that calls it.

    ``arguments`` converts a request to the method's arguments, and raises NaoError if that cannot
    be done.
    """

    name: str  # of the service
    naoqi: str  # module and method: ALMotion.getAngles
    kind: Any  # service type
    arguments: Callable[[Any], list[Any]] = arguments.all_fields
    check: checks.Check = checks.nothing_moves
    walk: WalkEffect = WalkEffect.NONE
    outcome: outcomes.Outcome = outcomes.returned
    action: BlockingAction | None = None

    @property
    def fill(self) -> replies.Fill:
        """Writes the method's value to a reply."""
        return replies.FILLS.get(self.kind, replies.nothing)

    def remarks(self, robot: NaoRobot, arguments: list[Any]) -> list[str]:
        """Clamp arguments to the limits, in place; return remarks. Raises as ``check`` does."""
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
        failure = await self.outcome(robot, outcomes.Done(arguments, value, start, place))
        return failure, remarks, value

    async def carry_out(self, robot: NaoRobot, *arguments: Any) -> None:
        """Perform the method, and log remarks. Raises NaoError if its motion has not happened."""
        failure, remarks, _ = await self.perform(robot, list(arguments))
        for remark in remarks:
            robot.warn(f"{self.name}: {remark}")
        if failure:
            raise NaoError(failure)
