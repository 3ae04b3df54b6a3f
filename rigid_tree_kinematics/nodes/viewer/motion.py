"""Letting a robot follow a user: single joints, a dragged target, a plan to it."""

from __future__ import annotations

from collections.abc import Callable, Mapping

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

SHARE_OF_SPEED = 0.5  # of the joints' limits
UNLIMITED_SPEED = 1.0  # rad/s or m/s, of joints without a limit
SHORTEST = 0.1  # s, of a motion
IK_TIME = 0.05  # s, for a target that is being dragged


class UserMotion:
    """Motion of one robot on behalf of a user; all methods belong to the node's thread.

    Args:
        node: whose publisher and clients they are.
        namespace: of the robot; may be empty.
        compiled: the robot.
        positions: returns where its joints are now, by name.
        tell: is told what became of a motion, in one sentence.
    """

    def __init__(
        self,
        node: Node,
        namespace: str,
        compiled: CompiledTree,
        positions: Callable[[], Mapping[str, float]],
        tell: Callable[[str], None],
    ) -> None:
        self._node = node
        self._positions = positions
        self._tell = tell
        topic = below(namespace, "joint_trajectory")
        self._publisher = node.create_publisher(JointTrajectory, topic, 10)
        self.client = MotionClient(node, namespace)
        self._speeds = _speeds(compiled)
        self._target: tuple[str, PoseStamped] | None = None  # not yet asked for
        self._busy = False

    def destroy(self) -> None:
        """Take the publisher and the clients away."""
        self._node.destroy_publisher(self._publisher)
        self.client.destroy()

    @property
    def followed(self) -> bool:
        """Whether somebody listens to trajectories."""
        return self._publisher.get_subscription_count() > 0

    def move(self, goal: Mapping[str, float]) -> None:
        """Lead joints (by name, rad or m) straight to a goal, at a moderate speed."""
        now = self._positions()
        names = [name for name in goal if name in self._speeds]
        times = [abs(goal[n] - now.get(n, goal[n])) / self._speeds[n] for n in names]
        point = JointTrajectoryPoint(
            positions=[float(goal[name]) for name in names],
            time_from_start=duration_of(max([SHORTEST, *times])),
        )
        self._publisher.publish(JointTrajectory(joint_names=names, points=[point]))

    def stop(self) -> None:
        """Let all joints hold still."""
        self._target = None
        self._publisher.publish(JointTrajectory())

    def follow(self, body: str, T_base_body: Array, base: str) -> None:
        """Lead a body to a pose, as soon as the pose before has been answered."""
        self._target = (body, pose_message(T_base_body, base))
        if not self._busy:
            self._busy = True
            self._begin(self._follow)

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
                    self._tell("following the target")
                else:
                    self._tell(f"out of reach: {reply.message}")
        finally:
            self._busy = False

    def plan(self, body: str, T_base_body: Array, base: str, replans: int) -> None:
        """Plan a motion that brings a body to a pose, and have it executed.

        Where its way gets blocked, it is planned anew, ``replans`` times at most.
        """
        pose = pose_message(T_base_body, base)

        async def work() -> None:
            self._tell("planning ...")
            request = PlanRequest(body=body, goal_poses=[pose])
            reply = await self.client.plan(request)
            milliseconds = 1e3 * (reply.search_seconds + reply.shorten_seconds)
            found = f"{reply.message}, found in {milliseconds:.1f} ms"
            self._tell(f"{found}; moving ...")
            length = await self.client.execute_plan(request, reply, replans, self._tell)
            self._tell(f"{found}; arrived after {length:.1f} s")

        self._begin(work)

    def _begin(self, work: Callable) -> None:
        """Let a coroutine run beside everything else; what goes wrong is told."""

        async def guarded() -> None:
            try:
                await work()
            except RigidTreeError as error:
                self._tell(str(error))

        assert self._node.executor is not None
        self._node.executor.create_task(guarded)


def _speeds(compiled: CompiledTree) -> dict[str, float]:
    """Return a moderate speed of every position that a motor moves."""
    limits = compiled.by_position(compiled.velocity_limit)
    speeds = {}
    for slot in np.flatnonzero(compiled.is_scalar):
        usable = np.isfinite(limits[slot]) and limits[slot] > 0.0
        speed = SHARE_OF_SPEED * limits[slot] if usable else UNLIMITED_SPEED
        speeds[compiled.position_names[slot]] = speed
    return speeds
