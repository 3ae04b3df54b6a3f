"""Moving a robot for a user: single joints, a dragged target, a planned motion."""

from collections.abc import Awaitable, Callable, Mapping
from typing import Any, Generic, Literal, TypeVar

import numpy as np
from rclpy.node import Node
from rigid_tree_interfaces.msg import PlanReply, PlanRequest
from rigid_tree_interfaces.srv import SolveIK
from sensor_msgs.msg import JointState
from trajectory_msgs.msg import JointTrajectory, JointTrajectoryPoint

from rigid_tree_kinematics.arrays import Array
from rigid_tree_kinematics.errors import RigidTreeError
from rigid_tree_kinematics.model import CompiledTree
from rigid_tree_kinematics.nodes.common.process import below, wait_until
from rigid_tree_kinematics.nodes.common.requests import (
    MotionClient,
    MotionError,
    StoppedError,
    duration_of,
)
from rigid_tree_kinematics.nodes.tf import pose_message

SPEED = 0.5  # relative to the velocity limits
UNLIMITED_SPEED = 1.0  # rad/s or m/s, of joints without a velocity limit
SHORTEST = 0.1  # s, of a motion
IK_TIME = 0.05  # s, for a dragged target
FREE_IK_TIME = 0.2  # s, for one that avoids collisions

T = TypeVar("T")
Work = Callable[[], Awaitable[None]]
Kind = Literal["note", "result", "failure"]  # of a message to the user; notes soon pass


class Latest(Generic[T]):
    """Processes one item at a time, always the latest one."""

    def __init__(
        self, start: Callable[[Work], None], work: Callable[[T], Awaitable[None]]
    ) -> None:
        self._start = start
        self._work = work
        self._next: tuple[T] | None = None
        self._busy = False

    def request(self, item: T) -> None:
        """Work on an item next."""
        self._next = (item,)
        if not self._busy:
            self._busy = True
            self._start(self._run)

    @property
    def is_idle(self) -> bool:
        """Whether all requested items have been processed."""
        return not self._busy

    def drop(self) -> None:
        """Remove the next item."""
        self._next = None

    async def _run(self) -> None:
        try:
            while self._next is not None:
                (item,), self._next = self._next, None
                await self._work(item)
        finally:
            self._busy = False
            if self._next is not None:  # the work on an item has failed
                self.request(*self._next)


class UserMotion:
    """Moves one robot for a user; all methods are called in the node's thread.

    ``positions`` returns its joint positions by name; ``report`` is called with messages;
    ``client`` speaks to the other nodes, by default to ik_server and rrt_planner.
    """

    def __init__(
        self,
        node: Node,
        namespace: str,
        compiled: CompiledTree,
        positions: Callable[[], Mapping[str, float]],
        report: Callable[[str, Kind], None],
        client: MotionClient | None = None,
    ) -> None:
        self._node = node
        self._positions = positions
        self._report = report
        topic = below(namespace, "joint_trajectory")
        self._publisher = node.create_publisher(JointTrajectory, topic, 10)
        self.client = client or MotionClient(node, namespace)
        self._speeds = _speeds(compiled)
        # Bodies with their poses in a frame.
        self._followed: Latest[tuple[str, Array, str]] = self.latest(self._follow)

    def destroy(self) -> None:
        """Destroy the publisher and the clients."""
        self._node.destroy_publisher(self._publisher)
        self.client.destroy()

    def report(self, message: str, kind: Kind = "result") -> None:
        """Show a message to the user."""
        self._report(message, kind)

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
        self.client.stop()
        self._followed.drop()
        self.move(self._positions())
        self.report("stopped")

    def follow(self, body: str, T_base_body: Array, base: str) -> None:
        """Move a body to a pose after the reply for the previous pose."""
        self._followed.request((body, T_base_body, base))

    async def _follow(self, target: tuple[str, Array, str]) -> None:
        try:
            self.move(await self.solve(*target))
        except MotionError as error:
            self.report(str(error), "note")
        else:
            self.report("following the target", "note")

    async def solve(
        self,
        body: str,
        T_base_body: Array,
        base: str,
        seed: JointState | None = None,
        avoids_collisions: bool = False,
    ) -> Mapping[str, float]:
        """Return positions by name for a body's pose; raises MotionError if there are none."""
        request = SolveIK.Request(body=body, target=pose_message(T_base_body, base))
        request.avoid_collisions = avoids_collisions
        request.timeout = duration_of(FREE_IK_TIME if avoids_collisions else IK_TIME)
        if seed is not None:
            request.seed = seed
        reply = await self.client.solve(request)
        if not reply.success:
            raise MotionError(f"out of reach: {reply.message}")
        solution: Any = reply.solutions[0]
        return dict(zip(solution.name, solution.position, strict=True))

    def plan(self, body: str, T_base_body: Array, base: str, replans: int) -> None:
        """Plan and execute a motion of a body to a pose.

        If the path is blocked during the motion, it is planned again at most ``replans`` times.
        """
        request = PlanRequest(body=body, goal_poses=[pose_message(T_base_body, base)])

        async def work() -> None:
            reply, found = await self.planned(request)
            await self.execute(request, reply, found, replans)

        self.start(work)

    async def planned(self, request: PlanRequest) -> tuple[PlanReply, str]:
        """Return a plan and its description; raises MotionError."""
        self.report("planning ...")
        reply = await self.client.plan(request)
        milliseconds = 1e3 * (reply.search_seconds + reply.shorten_seconds)
        return reply, f"{reply.message}, found in {milliseconds:.1f} ms"

    async def execute(
        self, request: PlanRequest, reply: PlanReply, found: str, replans: int
    ) -> None:
        """Execute a plan, and report the arrival; raises MotionError if the motion fails."""
        self.report(f"{found}; moving ...")
        length = await self.client.execute_plan(request, reply, replans, self.report)
        arrival = f"arrived after {length:.1f} s" if length else "the robot is already there"
        self.report(f"{found}; {arrival}")

    def latest(self, work: Callable[[T], Awaitable[None]]) -> Latest[T]:
        """Return a queue of one item for a coroutine, which always works on the latest one."""
        return Latest(self.start, work)

    async def until(self, condition: Callable[[], bool], timeout: float) -> bool:
        """Wait for a condition; return whether it was met within a time (s)."""
        return await wait_until(self._node, condition, timeout)

    def start(self, work: Work) -> None:
        """Run a coroutine in the background; errors are reported."""

        async def guarded() -> None:
            try:
                await work()
            except StoppedError:  # reported by stop
                pass
            except RigidTreeError as error:
                self.report(str(error), "failure")

        assert self._node.executor is not None
        self._node.executor.create_task(guarded)


def _speeds(compiled: CompiledTree) -> dict[str, float]:
    """Return a moderate speed of every scalar position."""
    limits = compiled.by_position(compiled.velocity_limit)
    speeds = {}
    for slot in np.flatnonzero(compiled.is_scalar):
        speed = SPEED * limits[slot] if np.isfinite(limits[slot]) else UNLIMITED_SPEED
        speeds[compiled.position_names[slot]] = speed
    return speeds
