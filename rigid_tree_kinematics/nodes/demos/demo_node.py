"""What the demonstrations have in common: one coroutine, its patience, and an exit code."""

from __future__ import annotations

import time
import traceback
from abc import abstractmethod
from typing import Any

from rclpy.callback_groups import MutuallyExclusiveCallbackGroup
from rclpy.client import Client
from rclpy.clock import Clock, ClockType
from rclpy.task import Future

from rigid_tree_kinematics.errors import RigidTreeError
from rigid_tree_kinematics.nodes.common.process import Lines, PlainNode

REPLY_WITHIN = 3.0  # s, that a service has to answer before it is asked again


class DemoError(RigidTreeError):
    """The demo cannot go on; the message says why."""


class DemoNode(PlainNode):
    """A node that does one thing after another; ``finished`` gets the exit code."""

    def __init__(self, name: str) -> None:
        super().__init__(name)
        self.finished: Future = Future()
        self._deadline = time.monotonic()
        self._steady = Clock(clock_type=ClockType.STEADY_TIME)
        # A group of its own: in a shared one nothing that it awaits could happen.
        self._begin = self.create_timer(
            0.01,
            self._run,  # type: ignore[arg-type]  # rclpy awaits coroutines; its hints do not know
            callback_group=MutuallyExclusiveCallbackGroup(),
        )

    @abstractmethod
    async def play(self) -> None:
        """Do it; DemoError says why it cannot be done."""

    async def _run(self) -> None:
        """Rclpy awaits coroutines, whatever its annotations say."""
        self._begin.cancel()
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

    def be_patient(self, seconds: float) -> None:
        """Let waiting fail when so much time has passed from now on."""
        self._deadline = time.monotonic() + seconds

    async def call(self, client: Client, request: Any) -> Any:
        """Return the reply; ask again where none comes.

        A reply is lost if the server has not discovered this client's end of the line yet.
        """
        while True:
            reply: Future = client.call_async(request)
            timer = self.create_timer(REPLY_WITHIN, reply.cancel, clock=self._steady)
            try:
                await reply
            finally:
                self.destroy_timer(timer)
            if reply.done():
                return reply.result()
            self.check_time(f"no reply from {client.srv_name}")
            self.get_logger().info(f"asking {client.srv_name} again")

    async def call_with_robot(self, client: Client, request: Any, reply_of: Any = None) -> Any:
        """Return the reply as soon as the server has a robot; ``reply_of`` finds it in another."""
        while True:
            answer = await self.call(client, request)
            reply = answer if reply_of is None else reply_of(answer)
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
        """Raise DemoError if the patience is at its end."""
        if time.monotonic() > self._deadline:
            raise DemoError(f"time is up: {complaint}")

    async def until_ended(self) -> None:
        """Wait for Ctrl-C."""
        await Future()

    async def sleep(self, seconds: float) -> None:
        """Wait on a steady clock."""
        over: Future = Future()
        timer = self.create_timer(seconds, lambda: over.set_result(None), clock=self._steady)
        try:
            await over
        finally:
            self.destroy_timer(timer)
