"""Moving a robot for a user: single joints, a dragged target, a planned motion to it."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping

import numpy as np
from geometry_msgs.msg import PoseStamped
from rclpy.node import Node
from rigid_tree_interfaces.msg import PlanRequest
from rigid_tree_interfaces.srv import SolveIK
from sensor_msgs.msg import JointState
from trajectory_msgs.msg import JointTrajectory, JointTrajectoryPoint

from rigid_tree_kinematics.arrays import Array
from rigid_tree_kinematics.errors import RigidTreeError
from rigid_tree_kinematics.model import CompiledTree
from rigid_tree_kinematics.nodes.common.process import below
from rigid_tree_kinematics.nodes.common.requests import MotionClient, duration_of
from rigid_tree_kinematics.nodes.tf import pose_message

SPEED = 0.5  # relative to the velocity limits
UNLIMITED_SPEED = 1.0  # rad/s or m/s, of joints without a velocity limit
SHORTEST = 0.1  # s, of a motion
IK_TIME = 0.05  # s, for a dragged target


class UserMotion:
    """Moves one robot for a user; all methods are called in the node's thread.

    ``positions`` returns its joint positions by name; ``report`` is called with results.
    """

    def __init__(
        self,
        node: Node,
        namespace: str,
        compiled: CompiledTree,
        positions: Callable[[], Mapping[str, float]],
        report: Callable[[str], None],
    ) -> None:
        self._node = node
        self._positions = positions
        self._report = report
        topic = below(namespace, "joint_trajectory")
        self._publisher = node.create_publisher(JointTrajectory, topic, 10)
        self.client = MotionClient(node, namespace)
        self._speeds = _speeds(compiled)
        self._target: tuple[str, PoseStamped] | None = None  # not yet requested
        self._busy = False

    def destroy(self) -> None:
        """Destroy the publisher and the clients."""
        self._node.destroy_publisher(self._publisher)
        self.client.destroy()

    @property
    def followed(self) -> bool:
        """Whether a node subscribes to trajectories."""
        return self._publisher.get_subscription_count() > 0

    def move(self, goal: Mapping[str, float]) -> None:
        """Move joints (by name, rad or m) to a goal at a moderate speed."""
        now = self._positions()
        names = [name for name in goal if name in self._speeds]
        times = [abs(goal[n] - now.get(n, goal[n])) / self._speeds[n] for n in names]
        point = JointTrajectoryPoint(
            positions=[float(goal[name]) for name in names],
            time_from_start=duration_of(max([SHORTEST, *times])),
        )
        self._publisher.publish(JointTrajectory(joint_names=names, points=[point]))

    def stop(self) -> None:
        """Hold all joints where they are; drivers ignore an empty trajectory."""
        self._target = None
        self.move(self._positions())

    def follow(self, body: str, T_base_body: Array, base: str) -> None:
        """Move a body to a pose after the reply for the previous pose."""
        self._target = (body, pose_message(T_base_body, base))
        if not self._busy:
            self._busy = True
            self._start(self._follow)

    async def _follow(self) -> None:
        try:
            while self._target is not None:
                (body, pose), self._target = self._target, None
                request = SolveIK.Request(body=body, target=pose)
                request.timeout = duration_of(IK_TIME)
                reply = await self.client.solve(request)
                if reply.success:
                    solution: JointState = reply.solutions[0]
                    self.move(dict(zip(solution.name, solution.position, strict=True)))
                    self._report("following the target")
                else:
                    self._report(f"out of reach: {reply.message}")
        finally:
            self._busy = False

    def plan(self, body: str, T_base_body: Array, base: str, replans: int) -> None:
        """Plan and execute a motion of a body to a pose.

        If the path is blocked during the motion, it is planned again at most ``replans`` times.
        """
        pose = pose_message(T_base_body, base)

        async def work() -> None:
            self._report("planning ...")
            request = PlanRequest(body=body, goal_poses=[pose])
            reply = await self.client.plan(request)
            milliseconds = 1e3 * (reply.search_seconds + reply.shorten_seconds)
            found = f"{reply.message}, found in {milliseconds:.1f} ms"
            self._report(f"{found}; moving ...")
            length = await self.client.execute_plan(request, reply, replans, self._report)
            self._report(f"{found}; arrived after {length:.1f} s")

        self._start(work)

    def _start(self, work: Callable[[], Awaitable[None]]) -> None:
        """Run a coroutine in the background; errors are reported."""

        async def guarded() -> None:
            try:
                await work()
            except RigidTreeError as error:
                self._report(str(error))

        assert self._node.executor is not None
        self._node.executor.create_task(guarded)


def _speeds(compiled: CompiledTree) -> dict[str, float]:
    """Return a moderate speed of every scalar position."""
    limits = compiled.by_position(compiled.velocity_limit)
    speeds = {}
    for slot in np.flatnonzero(compiled.is_scalar):
        is_limited = np.isfinite(limits[slot]) and limits[slot] > 0.0
        speed = SPEED * limits[slot] if is_limited else UNLIMITED_SPEED
        speeds[compiled.position_names[slot]] = speed
    return speeds
