"""A client of ik_server, rrt_planner and a driver: joint positions for a pose, plans, execution.

The methods are coroutines of the node's executor. Waiting is bounded on a steady clock.
"""

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
    """Another node refused or failed; the message names it and gives its reason."""


class NotReadyError(MotionError):
    """Another node is not there, has no robot yet, or did not reply in time: try again later."""


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
        """Whether the servers "ik", "planner" and "driver" are on the network now."""
        return {
            "ik": self._ik.service_is_ready(),
            "planner": self._planner.service_is_ready(),
            "driver": self._driver.server_is_ready(),
        }

    async def solve(self, request: SolveIK.Request) -> SolveIK.Response:
        """Return the reply of ik_server, successful or not.

        Waits for the request's timeout and ANSWERED_WITHIN seconds more. Raises NotReadyError if
        the service is not offered or does not reply.
        """
        return await self._answer(self._ik, request, seconds_of(request.timeout))

    async def plan(self, request: PlanRequest) -> PlanReply:
        """Return a successful reply of rrt_planner: a path, and a trajectory with times.

        Waits for the request's time limit and ANSWERED_WITHIN seconds more. Raises MotionError
        with the planner's reason if it found none, NotReadyError if the planner is not there, has
        no robot or does not reply.
        """
        patience = seconds_of(request.time_limit)
        answer = await self._answer(self._planner, PlanMotion.Request(request=request), patience)
        if answer.reply.code == PlanReply.NO_ROBOT:
            raise NotReadyError(answer.reply.message)
        if not answer.reply.success:
            raise MotionError(f"plan_motion: {answer.reply.message}")
        return answer.reply

    async def execute(self, trajectory: JointTrajectory) -> float:
        """Have a driver follow a trajectory to its end; return its duration (s).

        Waits for the duration and GRACE seconds more. Raises MotionError with the driver's error
        if it refused or failed, NotReadyError if no driver offers the action or none answers.
        """
        if not self._driver.server_is_ready():
            raise NotReadyError(f"no server of the action {self._action}")
        length = seconds_of(trajectory.points[-1].time_from_start)
        goal = FollowJointTrajectory.Goal(trajectory=trajectory)
        handle = await self._within(
            ANSWERED_WITHIN, self._driver.send_goal_async(goal), f"no reply from {self._action}"
        )
        if not handle.accepted:
            raise MotionError(f"{self._action} refused the trajectory")
        reply = await self._within(
            length + GRACE, handle.get_result_async(), f"no result from {self._action}"
        )
        if reply.result.error_code != FollowJointTrajectory.Result.SUCCESSFUL:
            code, word = reply.result.error_code, reply.result.error_string
            raise MotionError(f"{self._action}: error {code}: {word}")
        return length

    async def _answer(self, client: Client, request: Any, patience: float) -> Any:
        if not client.service_is_ready():
            raise NotReadyError(f"no server of {client.srv_name}")
        complaint = f"no reply from {client.srv_name}"
        return await self._within(
            patience + ANSWERED_WITHIN, client.call_async(request), complaint
        )

    async def _within(self, seconds: float, future: Future, complaint: str) -> Any:
        """Return a future's result; NotReadyError if it takes longer."""
        timer = self._node.create_timer(seconds, future.cancel, clock=self._steady)
        try:
            await future
        finally:
            self._node.destroy_timer(timer)
        if not future.done() or future.cancelled():
            raise NotReadyError(complaint)
        return future.result()
