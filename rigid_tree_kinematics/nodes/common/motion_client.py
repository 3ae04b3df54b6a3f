"""Asking the other nodes for motion: joint positions for a pose, a plan, its execution."""

from __future__ import annotations

from typing import Any

from control_msgs.action import FollowJointTrajectory
from rclpy.action import ActionClient
from rclpy.client import Client
from rclpy.clock import Clock, ClockType
from rclpy.node import Node
from rclpy.task import Future
from rigid_tree_interfaces.msg import PlanReply, PlanRequest
from rigid_tree_interfaces.srv import PlanMotion, SolveIK
from trajectory_msgs.msg import JointTrajectory

from rigid_tree_kinematics.errors import RigidTreeError
from rigid_tree_kinematics.nodes.common.message_time import seconds_of
from rigid_tree_kinematics.nodes.common.names import below

ANSWERED_WITHIN = 5.0  # s, beyond what a request itself may take
GRACE = 10.0  # s after its end that an execution may need


class MotionError(RigidTreeError):
    """Another node did not do what it was asked; the message says why."""


class NotReadyError(MotionError):
    """It may do so later."""


class MotionClient:
    """Clients of ik_server, rrt_planner and a driver (or robot_simulator) in one namespace.

    Args:
        node: whose clients they are; its executor runs the coroutines.
        namespace: in front of the services' names; may be empty.
    """

    def __init__(self, node: Node, namespace: str = "") -> None:
        self._node = node
        self._steady = Clock(clock_type=ClockType.STEADY_TIME)
        solve, plan = below(namespace, "inverse_kinematics"), below(namespace, "plan_motion")
        action = below(namespace, "follow_joint_trajectory")
        self._ik: Client = node.create_client(SolveIK, solve)
        self._planner: Client = node.create_client(PlanMotion, plan)
        self._driver: ActionClient = ActionClient(node, FollowJointTrajectory, action)
        self._action = node.resolve_topic_name(action)

    def destroy(self) -> None:
        """Take the clients away."""
        self._driver.destroy()
        self._node.destroy_client(self._ik)
        self._node.destroy_client(self._planner)

    @property
    def offered(self) -> dict[str, bool]:
        """What is offered now: "ik", "planner" and "driver"."""
        return {
            "ik": self._ik.service_is_ready(),
            "planner": self._planner.service_is_ready(),
            "driver": self._driver.server_is_ready(),
        }

    async def solve(self, request: SolveIK.Request) -> SolveIK.Response:
        """Return the reply of ik_server; MotionError if none comes."""
        return await self._answer(self._ik, request, seconds_of(request.timeout))

    async def plan(self, request: PlanRequest) -> PlanReply:
        """Return a plan; MotionError says why there is none, NotReadyError if one may come."""
        patience = seconds_of(request.time_limit)
        answer = await self._answer(self._planner, PlanMotion.Request(request=request), patience)
        if answer.reply.code == PlanReply.NO_ROBOT:
            raise NotReadyError(answer.reply.message)
        if not answer.reply.success:
            raise MotionError(f"plan_motion: {answer.reply.message}")
        return answer.reply

    async def execute(self, trajectory: JointTrajectory) -> float:
        """Have a trajectory executed; return how long it is (s). MotionError if that failed."""
        if not self._driver.server_is_ready():
            raise NotReadyError(f"nobody offers {self._action}")
        length = seconds_of(trajectory.points[-1].time_from_start)
        goal = FollowJointTrajectory.Goal(trajectory=trajectory)
        handle = await self._within(
            ANSWERED_WITHIN, self._driver.send_goal_async(goal), f"no word from {self._action}"
        )
        if not handle.accepted:
            raise MotionError(f"{self._action} refused the trajectory")
        reply = await self._within(
            length + GRACE, handle.get_result_async(), f"{self._action} came to no end"
        )
        if reply.result.error_code != FollowJointTrajectory.Result.SUCCESSFUL:
            code, word = reply.result.error_code, reply.result.error_string
            raise MotionError(f"{self._action}: error {code}: {word}")
        return length

    async def _answer(self, client: Client, request: Any, patience: float) -> Any:
        if not client.service_is_ready():
            raise NotReadyError(f"nobody offers {client.srv_name}")
        complaint = f"no reply from {client.srv_name}"
        return await self._within(
            patience + ANSWERED_WITHIN, client.call_async(request), complaint
        )

    async def _within(self, seconds: float, future: Future, complaint: str) -> Any:
        """Return what a future holds; MotionError if it takes longer."""
        timer = self._node.create_timer(seconds, future.cancel, clock=self._steady)
        try:
            await future
        finally:
            self._node.destroy_timer(timer)
        if not future.done() or future.cancelled():
            raise NotReadyError(complaint)
        return future.result()
