"""What nodes that let a robot move have in common: ask for a plan, have it executed."""

from __future__ import annotations

from typing import Any

from control_msgs.action import FollowJointTrajectory
from rclpy.action import ActionClient
from rclpy.client import Client
from rclpy.task import Future
from rigid_tree_interfaces.msg import PlanReply, PlanRequest
from rigid_tree_interfaces.srv import PlanMotion
from trajectory_msgs.msg import JointTrajectory

from rigid_tree_kinematics.nodes.demo_node import DemoError, DemoNode
from rigid_tree_kinematics.nodes.message_time import seconds_of

ACTION = "follow_joint_trajectory"
ACCEPTED_WITHIN = 5.0  # s
GRACE = 10.0  # s after its end that an execution may need


class MotionNode(DemoNode):
    """A node that plans with rrt_planner, and moves the robot of a driver or a simulator."""

    def __init__(self, name: str) -> None:
        super().__init__(name)
        self._planner: Client = self.create_client(PlanMotion, "plan_motion")
        self._driver: ActionClient = ActionClient(self, FollowJointTrajectory, ACTION)

    async def plan(self, request: PlanRequest) -> PlanReply:
        """Return a plan; DemoError says why there is none."""
        await self.until(self._planner.service_is_ready, f"no service {self._planner.srv_name}")
        reply: PlanReply = await self.call_with_robot(
            self._planner, PlanMotion.Request(request=request), lambda answer: answer.reply
        )
        if not reply.success:
            raise DemoError(f"plan_motion: {reply.message}")
        milliseconds = 1e3 * (reply.search_seconds + reply.shorten_seconds)
        self.get_logger().info(
            f"{reply.message}; found and shortened in {milliseconds:.2f} ms with {reply.nodes} "
            f"nodes and {reply.checks} checks"
        )
        return reply

    async def execute(self, trajectory: JointTrajectory) -> float:
        """Have a trajectory executed; return how long it is (s). DemoError if that failed."""
        action = self.resolve_topic_name(ACTION)
        await self.until(self._driver.server_is_ready, f"no action {action}")
        length = seconds_of(trajectory.points[-1].time_from_start)
        goal = FollowJointTrajectory.Goal(trajectory=trajectory)
        handle = await self._within(
            ACCEPTED_WITHIN, self._driver.send_goal_async(goal), f"no word from {action}"
        )
        if not handle.accepted:
            raise DemoError(f"{action} refused the trajectory")
        reply = await self._within(
            length + GRACE, handle.get_result_async(), f"{action} did not come to an end"
        )
        if reply.result.error_code != FollowJointTrajectory.Result.SUCCESSFUL:
            code, word = reply.result.error_code, reply.result.error_string
            raise DemoError(f"{action}: error {code}: {word}")
        return length

    async def _within(self, seconds: float, future: Future, complaint: str) -> Any:
        """Return what a future holds; DemoError if it takes longer."""
        timer = self.create_timer(seconds, future.cancel, clock=self._steady)
        try:
            await future
        finally:
            self.destroy_timer(timer)
        if not future.done():
            raise DemoError(complaint)
        return future.result()
