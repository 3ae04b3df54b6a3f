"""Node: plans and executes motions back and forth.

With ``once`` the process exits with code 0 when the robot has reached the goal. If planning or
execution fails, it exits with code 1 and a message.
"""

import itertools
from collections.abc import Sequence
from dataclasses import dataclass

from rigid_tree_interfaces.msg import PlanRequest
from sensor_msgs.msg import JointState

from rigid_tree_kinematics.errors import ConfigurationError
from rigid_tree_kinematics.nodes.base import MotionNode, Parameters, parameter, run_node

NAME = "planning_demo"
PAUSE = 1.0  # s between motions
# From one side of the pillars in scenes/panda_pillars.yaml to the other.
JOINTS = tuple(f"panda_joint{number}" for number in range(1, 8))
START = (1.0, 0.3, 0.0, -1.8, 0.0, 2.1, 0.785)
GOAL = (-1.0, *START[1:])


@dataclass(frozen=True)
class DemoSettings(Parameters):
    """The node's parameters."""

    joints: tuple[str, ...] = parameter(JOINTS, "Joints that move.")
    start: tuple[float, ...] = parameter(START, "Start positions.", unit="rad or m")
    goal: tuple[float, ...] = parameter(GOAL, "Goal positions.", unit="rad or m")
    once: bool = parameter(False, "Exit when the goal is reached.")
    timeout: float = parameter(30.0, "Timeout for the planner.", low=0.1, high=3600.0, unit="s")

    def check(self) -> None:
        """Raise ConfigurationError unless there is one position for each joint."""
        for name in ("start", "goal"):
            count = len(getattr(self, name))
            if count != len(self.joints):
                raise ConfigurationError(
                    f"parameter '{name}' has {count} positions for {len(self.joints)} joints"
                )


class PlanningDemo(MotionNode):
    """The node; ``finished`` gets the exit code."""

    def __init__(self) -> None:
        super().__init__(NAME)
        self._settings = DemoSettings.declare(self)

    async def play(self) -> None:
        """Plan and move back and forth, with a new seed each time."""
        start, goal = self._settings.start, self._settings.goal
        for seed in itertools.count():
            self.set_timeout(self._settings.timeout)
            reply = await self.plan(self._request(start, goal, seed))
            await self.execute(reply.trajectory)
            if self._settings.once:
                return
            start, goal = goal, start
            await self.sleep(PAUSE)

    def _request(self, start: Sequence[float], goal: Sequence[float], seed: int) -> PlanRequest:
        joints = self._settings.joints
        return PlanRequest(
            start=JointState(name=joints, position=start),
            goal_states=[JointState(name=joints, position=goal)],
            moving_joints=joints,
            seed=seed,
        )


PARAMETERS = (DemoSettings,)


def main() -> int:
    """Run the node; return the exit code of the process."""
    return run_node(NAME, PlanningDemo, PARAMETERS)
