"""The robot that the parts of nao_bridge share."""

from __future__ import annotations

import math
import time
from collections.abc import Sequence
from concurrent.futures import Future as Answer
from typing import Any

import numpy as np
from rclpy.node import Node
from rclpy.task import Future

from rigid_tree_kinematics.arrays import Array
from rigid_tree_kinematics.errors import RigidTreeError
from rigid_tree_nao import NaoError
from rigid_tree_nao.guard import WalkEffect, WalkState
from rigid_tree_nao.model import NaoBody, joints_without_stiffness, within_limits
from rigid_tree_nao.robot import NaoConnection, NaoHealth, NaoState

RECENT = 1.0  # s after a call or its end in which the robot's whole state may change
WARNING_PERIOD = 2.0  # s between two warnings about one kind of command


def reason_of(error: Exception) -> str:
    """Return the message of an error; unexpected values of a robot must not stop the node."""
    if isinstance(error, RigidTreeError):
        return str(error)
    return f"unexpected value from the robot: {error!r}"


class NaoRobot:
    """One robot, shared by the services, actions and topics of a node.

    ``walk`` is kept up to date by ``call``; callbacks of ``node`` run while a call is awaited.
    """

    def __init__(
        self, node: Node, body: NaoBody, connection: NaoConnection, walk: WalkState
    ) -> None:
        self._node = node
        self.body = body
        self.connection = connection
        self.walk = walk
        self.state: NaoState | None = None  # the last readings; None without a connection
        self.health: NaoHealth | None = None
        self.walk_range = math.inf  # m, of a walk to a place
        self._last_call = -RECENT

    @property
    def was_called_recently(self) -> bool:
        """Whether a call was sent, or has returned, within the last second."""
        return time.monotonic() - self._last_call < RECENT

    @property
    def commands(self) -> Array:
        """All commanded angles (rad, order of "Body"); before the first reading near 0."""
        if self.state is not None:
            return self.state.commands
        return within_limits(self.body, np.zeros(len(self.body.joint_names)))

    def call(self, naoqi: str, *arguments: Any, walk: WalkEffect = WalkEffect.NONE) -> Answer[Any]:
        """Call a method, such as "ALMotion.setAngles", that commands the robot; return a Future.

        Every command of the bridge is sent from here, so that the walk is tracked. The Future
        raises the errors of NaoConnection.call. Raises NaoError for a walk that cannot be
        guarded.
        """
        self._last_call = time.monotonic()  # before the walk is numbered: see detect_walk_end
        call = self.walk.sent(walk)
        answer = self.connection.call(*naoqi.split("."), *arguments)

        def note(done: Answer[Any]) -> None:
            self._last_call = time.monotonic()
            if self.walk.returned(call, done.exception() is None):
                stop = self.call("ALMotion.stopMove", walk=WalkEffect.ENDS)
                self.log_failure("a stop that is sent again", stop)

        answer.add_done_callback(note)
        return answer

    async def query(self, naoqi: str, *arguments: Any) -> Any:
        """Return the value of a method that changes nothing; raises as ``result_of`` does."""
        return await self.result_of(self.connection.call(*naoqi.split("."), *arguments))

    async def result_of(self, answer: Answer[Any]) -> Any:
        """Return the value of a call while other callbacks run.

        Raises NaoError with the robot's message if the robot rejects the call, and
        NoRobotConnectionError if there is no connection or if it is lost during the call.
        """
        executor = self._node.executor
        assert executor is not None  # it runs this coroutine
        arrived: Future[None] = Future(executor=executor)

        def resume(_: Answer[Any]) -> None:
            arrived.set_result(None)
            executor.wake()  # before ROS 2 Lyrical, it does not notice another thread's results

        answer.add_done_callback(resume)
        await arrived
        return answer.result()

    def log_failure(self, source: str, answer: Answer[Any]) -> Answer[Any]:
        """Log a warning with the name ``source`` if a call fails; return the call's Future."""

        def report(done: Answer[Any]) -> None:
            error = done.exception()
            if error is not None:
                self.warn(f"{source}: {error}", throttle_duration_sec=WARNING_PERIOD)

        answer.add_done_callback(report)
        return answer

    def warn(self, text: str, **options: Any) -> None:
        """Log a warning of the node."""
        self._node.get_logger().warning(text, **options)

    def detect_walk_end(self, patience: float) -> None:
        """Ask a robot that has not moved for a while whether its walk has ended."""
        latest = self.walk.latest
        if not self.walk.is_walking or self.walk.has_pending or self.was_called_recently:
            return
        if not self.connection.ask("ALMotion", "moveIsActive", timeout=patience):
            self.walk.ended(latest)

    def stiffness_warning(self, names: str | Sequence[str]) -> str:
        """Return a warning about joints with stiffness 0; empty if all are stiff or unknown."""
        if self.state is None:
            return ""
        try:
            loose = joints_without_stiffness(self.body, names, self.state.stiffnesses)
        except NaoError:
            return ""
        if not loose:
            return ""
        listed = ", ".join(loose[:4]) + (" ..." if len(loose) > 4 else "")
        return f"stiffness 0, will not move: {listed}; call wake_up or set_stiffnesses"
