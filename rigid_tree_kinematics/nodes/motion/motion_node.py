"""Nodes that run one coroutine with a deadline and an exit code, and that move a robot."""

from __future__ import annotations

import time
import traceback
from abc import ABC, abstractmethod
from collections.abc import Awaitable, Callable
from typing import Any, TypeVar

from rclpy.callback_groups import MutuallyExclusiveCallbackGroup
from rclpy.client import Client
from rclpy.task import Future
from rigid_tree_interfaces.msg import PlanReply, PlanRequest
from trajectory_msgs.msg import JointTrajectory

from rigid_tree_kinematics.errors import RigidTreeError
from rigid_tree_kinematics.nodes.common.process import Lines, PlainNode, within
from rigid_tree_kinematics.nodes.common.requests import MotionClient, NotReadyError

REPLY_TIMEOUT = 3.0  # s, after which a request is repeated

T = TypeVar("T")


class TaskError(RigidTreeError):
    """A task cannot continue."""


class TaskNode(PlainNode, ABC):
    """A node that runs the coroutine ``play``; ``finished`` gets the exit code."""

    def __init__(self, name: str) -> None:
        super().__init__(name)
        self.finished: Future[Any] = Future()
        self._deadline = time.monotonic()
        # In its own group: in a shared one, awaited callbacks could not run.
        self._start = self.create_timer(
            0.01,
            self._run,  # type: ignore[arg-type]  # rclpy awaits coroutines
            callback_group=MutuallyExclusiveCallbackGroup(),
        )

    @abstractmethod
    async def play(self) -> None:
        """Do the task; raises a RigidTreeError if it fails."""

    async def _run(self) -> None:
        self._start.cancel()
        try:
            await self.play()
            self.finished.set_result(0)
        except RigidTreeError as error:
            self.get_logger().fatal(str(error))
            self.finished.set_result(1)
        except Exception:
            self.get_logger().fatal(Lines(traceback.format_exc()))
            self.finished.set_result(1)

    # -- waiting ---------------------------------------------------------------------------------

    def set_timeout(self, seconds: float) -> None:
        """Set the deadline for waiting to a time from now (s)."""
        self._deadline = time.monotonic() + seconds

    async def call(self, client: Client[Any, Any], request: Any) -> Any:
        """Return the reply; repeat the request after a timeout.

        A reply is lost if the server has not discovered this client yet.
        """
        while True:
            reply: Future[Any] = client.call_async(request)
            if await within(self, reply, REPLY_TIMEOUT):
                return reply.result()
            self.check_time(f"no reply from {client.srv_name}")
            self.get_logger().info(f"repeating the request to {client.srv_name}")

    async def call_with_robot(self, client: Client[Any, Any], request: Any) -> Any:
        """Return the reply once the server has a robot."""
        while True:
            reply = await self.call(client, request)
            if reply.code != reply.NO_ROBOT:
                return reply
            self.check_time(reply.message)
            await self.sleep(0.1)

    async def until(self, condition: Any, complaint: str) -> None:
        """Wait for a condition."""
        while not condition():
            self.check_time(complaint)
            await self.sleep(0.1)

    def check_time(self, complaint: str) -> None:
        """Raise TaskError after the deadline."""
        if time.monotonic() > self._deadline:
            raise TaskError(f"timeout: {complaint}")

    async def sleep(self, seconds: float) -> None:
        """Wait on a steady clock."""
        await within(self, Future(), seconds)


class MotionNode(TaskNode):
    """A node that plans with rrt_planner and executes with a driver or a simulator."""

    def __init__(self, name: str, namespace: str = "") -> None:
        super().__init__(name)
        self.motion = MotionClient(self, namespace)

    async def when_ready(self, ask: Callable[[], Awaitable[T]]) -> T:
        """Return the reply of another node once it does not raise NotReadyError."""
        while True:
            try:
                return await ask()
            except NotReadyError as error:
                self.check_time(str(error))
                await self.sleep(0.1)

    async def plan(self, request: PlanRequest) -> PlanReply:
        """Return a plan once a planner with a robot is available; MotionError if there is none."""
        reply = await self.when_ready(lambda: self.motion.plan(request))
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
        warn = self.get_logger().warning
        self._log_arrival(await self.motion.execute_plan(request, reply, replans, warn))

    async def _wait_for_driver(self) -> None:
        await self.until(
            lambda: self.motion.available["driver"], "no driver advertises follow_joint_trajectory"
        )

    def _log_arrival(self, seconds: float) -> None:
        self.get_logger().info(f"the robot reached its goal after {seconds:.2f} s")
