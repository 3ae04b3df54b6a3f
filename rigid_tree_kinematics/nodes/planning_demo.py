"""Node: asks rrt_planner for a path to and fro, and plays the robot that moves along it.

It publishes the joint states itself, so nothing else must. With ``once`` the process ends with
code 0 when the robot has reached the goal; where a plan fails, with code 1 and the planner's word.
"""

from __future__ import annotations

import sys
from collections.abc import Sequence
from typing import Any

import numpy as np
from rclpy.client import Client
from rigid_tree_interfaces.msg import PlanReply, PlanRequest
from rigid_tree_interfaces.srv import PlanMotion
from sensor_msgs.msg import JointState
from trajectory_msgs.msg import JointTrajectory

from rigid_tree_kinematics.errors import ConfigurationError
from rigid_tree_kinematics.nodes.demo_node import DemoError, DemoNode
from rigid_tree_kinematics.nodes.parameters import declare_flag, declare_number
from rigid_tree_kinematics.nodes.start import run_node

NAME = "planning_demo"
RATE = 50.0  # joint states a second
PAUSE = 1.0  # s between two motions
# From one side of the pillars in scenes/panda_pillars.yaml to the other.
JOINTS = [f"panda_joint{number}" for number in range(1, 8)]
START = [1.0, 0.3, 0.0, -1.8, 0.0, 2.1, 0.785]
GOAL = [-1.0, *START[1:]]


class PlanningDemo(DemoNode):
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
        self._at: list[float] = list(start)
        self._states = self.create_publisher(JointState, "joint_states", 10)
        self._planner: Client = self.create_client(PlanMotion, "plan_motion")
        self.create_timer(1.0 / RATE, self._publish)

    def _publish(self) -> None:
        message = JointState(name=self._joints, position=self._at)
        message.header.stamp = self.get_clock().now().to_msg()
        self._states.publish(message)

    async def play(self) -> None:
        """Plan and move, there and back, with another seed each time."""
        await self.until(self._planner.service_is_ready, f"no service {self._planner.srv_name}")
        seed = 0
        while True:
            start, goal = self._ends[seed % 2], self._ends[(seed + 1) % 2]
            await self._move(await self._plan(start, goal, seed))
            if self._once:
                return
            seed += 1
            await self.sleep(PAUSE)

    async def _plan(
        self, start: Sequence[float], goal: Sequence[float], seed: int
    ) -> JointTrajectory:
        request = PlanRequest(
            start=JointState(name=self._joints, position=start),
            goal_states=[JointState(name=self._joints, position=goal)],
            moving_joints=self._joints,
            seed=seed,
        )
        reply: PlanReply = await self.call_with_robot(
            self._planner, PlanMotion.Request(request=request), lambda answer: answer.reply
        )
        if not reply.success:
            raise DemoError(f"plan_motion: {reply.status}: {reply.message}")
        milliseconds = 1e3 * (reply.search_seconds + reply.shorten_seconds)
        self.get_logger().info(
            f"{reply.message}; found and shortened in {milliseconds:.2f} ms with {reply.nodes} "
            f"nodes and {reply.checks} checks"
        )
        return reply.trajectory

    async def _move(self, trajectory: JointTrajectory) -> None:
        """Be where the trajectory says, until its end."""
        stops = trajectory.points
        times = [p.time_from_start.sec + 1e-9 * p.time_from_start.nanosec for p in stops]
        columns = [trajectory.joint_names.index(name) for name in self._joints]
        positions = np.array([point.positions for point in stops])[:, columns]
        begin = self._steady.now()
        while (passed := (self._steady.now() - begin).nanoseconds * 1e-9) < times[-1]:
            self._at = [float(np.interp(passed, times, column)) for column in positions.T]
            await self.sleep(1.0 / RATE)
        self._at = positions[-1].tolist()
        self._publish()
        self.get_logger().info(f"the robot reached its goal after {times[-1]:.2f} s")


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the node; return the exit code of the process."""
    return run_node(NAME, PlanningDemo, arguments)


if __name__ == "__main__":
    sys.exit(main())
