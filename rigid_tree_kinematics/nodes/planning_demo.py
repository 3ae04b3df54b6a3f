"""Node: asks rrt_planner for a path to and fro, and has it executed.

With ``once`` the process ends with code 0 when the robot has reached the goal; where a plan or its
execution fails, with code 1 and a word about it.
"""

from __future__ import annotations

import sys
from collections.abc import Sequence
from typing import Any

from rigid_tree_interfaces.msg import PlanRequest
from sensor_msgs.msg import JointState

from rigid_tree_kinematics.errors import ConfigurationError
from rigid_tree_kinematics.nodes.common.parameters import declare_flag, declare_number
from rigid_tree_kinematics.nodes.common.process import run_node
from rigid_tree_kinematics.nodes.demos.motion_node import MotionNode

NAME = "planning_demo"
PAUSE = 1.0  # s between two motions
# From one side of the pillars in scenes/panda_pillars.yaml to the other.
JOINTS = [f"panda_joint{number}" for number in range(1, 8)]
START = [1.0, 0.3, 0.0, -1.8, 0.0, 2.1, 0.785]
GOAL = [-1.0, *START[1:]]


class PlanningDemo(MotionNode):
    """The node; ``finished`` gets the exit code."""

    def __init__(self) -> None:
        super().__init__(NAME)
        joints: Any = self.declare_parameter("joints", JOINTS).value
        start: Any = self.declare_parameter("start", START).value
        goal: Any = self.declare_parameter("goal", GOAL).value
        for name, values in (("start", start), ("goal", goal)):
            if len(values) != len(joints):
                raise ConfigurationError(
                    f"parameter '{name}' has {len(values)} positions for {len(joints)} joints"
                )
        self._joints = list(joints)
        self._ends = [list(start), list(goal)]
        self._once = declare_flag(self, "once", False, "End when the goal is reached.")
        patience = declare_number(
            self, "timeout", 30.0, "How long to wait for the planner, s.", 0.1, 3600.0
        )
        self.be_patient(patience)

    async def play(self) -> None:
        """Plan and move, there and back, with another seed each time."""
        seed = 0
        while True:
            start, goal = self._ends[seed % 2], self._ends[(seed + 1) % 2]
            reply = await self.plan(self._request(start, goal, seed))
            await self.execute(reply.trajectory)
            if self._once:
                return
            seed += 1
            await self.sleep(PAUSE)

    def _request(self, start: Sequence[float], goal: Sequence[float], seed: int) -> PlanRequest:
        return PlanRequest(
            start=JointState(name=self._joints, position=start),
            goal_states=[JointState(name=self._joints, position=goal)],
            moving_joints=self._joints,
            seed=seed,
        )


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the node; return the exit code of the process."""
    return run_node(NAME, PlanningDemo, arguments)


if __name__ == "__main__":
    sys.exit(main())
