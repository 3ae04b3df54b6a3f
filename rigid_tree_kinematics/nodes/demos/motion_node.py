"""A node that plans and executes motions."""

from __future__ import annotations

from rigid_tree_interfaces.msg import PlanReply, PlanRequest
from trajectory_msgs.msg import JointTrajectory

from rigid_tree_kinematics.nodes.common.requests import MotionClient, NotReadyError
from rigid_tree_kinematics.nodes.demos.demo_node import DemoNode


class MotionNode(DemoNode):
    """A node that plans with rrt_planner and executes with a driver or a simulator."""

    def __init__(self, name: str, namespace: str = "") -> None:
        super().__init__(name)
        self.motion = MotionClient(self, namespace)

    async def plan(self, request: PlanRequest) -> PlanReply:
        """Return a plan once a planner with a robot is available; MotionError if there is none."""
        while True:
            try:
                reply = await self.motion.plan(request)
                break
            except NotReadyError as error:
                self.check_time(str(error))
                await self.sleep(0.1)
        milliseconds = 1e3 * (reply.search_seconds + reply.shorten_seconds)
        self.get_logger().info(
            f"{reply.message}; found and shortened in {milliseconds:.2f} ms with {reply.nodes} "
            f"nodes and {reply.checks} checks"
        )
        return reply

    async def execute(self, trajectory: JointTrajectory) -> None:
        """Execute a trajectory once a driver is available; MotionError if it fails."""
        await self._wait_for_driver()
        self._log_arrival(await self.motion.execute(trajectory))

    async def move(self, request: PlanRequest, replans: int) -> None:
        """Plan and execute; plan again at most ``replans`` times if the path is blocked."""
        reply = await self.plan(request)
        await self._wait_for_driver()

        def warn(message: str) -> None:
            self.get_logger().warning(message)

        self._log_arrival(await self.motion.execute_plan(request, reply, replans, warn))

    async def _wait_for_driver(self) -> None:
        await self.until(
            lambda: self.motion.offered["driver"], "no driver offers follow_joint_trajectory"
        )

    def _log_arrival(self, seconds: float) -> None:
        self.get_logger().info(f"the robot reached its goal after {seconds:.2f} s")
