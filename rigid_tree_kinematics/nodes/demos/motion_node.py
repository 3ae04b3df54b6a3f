"""What programs that let a robot move have in common: they plan, and have the plan executed."""

from __future__ import annotations

from rigid_tree_interfaces.msg import PlanReply, PlanRequest
from trajectory_msgs.msg import JointTrajectory

from rigid_tree_kinematics.nodes.common.requests import MotionClient, NotReadyError
from rigid_tree_kinematics.nodes.demos.demo_node import DemoNode


class MotionNode(DemoNode):
    """A node that plans with rrt_planner, and moves the robot of a driver or a simulator.

    Args:
        name: of the node.
        namespace: of the robot; may be empty.
    """

    def __init__(self, name: str, namespace: str = "") -> None:
        super().__init__(name)
        self.motion = MotionClient(self, namespace)

    async def plan(self, request: PlanRequest) -> PlanReply:
        """Return a plan as soon as there is a planner with a robot; MotionError if it has none."""
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
        """Have a trajectory executed as soon as there is a driver; MotionError if that failed."""
        await self._driver_is_there()
        self._arrived(await self.motion.execute(trajectory))

    async def move(self, request: PlanRequest, replans: int) -> None:
        """Plan, and have the plan executed; plan anew, so many times, where it gets blocked."""
        reply = await self.plan(request)
        await self._driver_is_there()

        def tell(word: str) -> None:
            self.get_logger().warning(word)

        self._arrived(await self.motion.execute_plan(request, reply, replans, tell))

    async def _driver_is_there(self) -> None:
        await self.until(
            lambda: self.motion.offered["driver"], "no driver offers follow_joint_trajectory"
        )

    def _arrived(self, seconds: float) -> None:
        self.get_logger().info(f"the robot reached its goal after {seconds:.2f} s")
