"""The robot as the parts of nao_bridge share it: connection, walk, last state, and calls."""

from __future__ import annotations

import math
import time
from collections.abc import Sequence
from concurrent.futures import Future as Answer
from typing import Any

import numpy as np
from numpy.typing import NDArray
from rclpy.node import Node

from rigid_tree_kinematics.nao import NaoError
from rigid_tree_kinematics.nao.guard import WalkEffect, WalkState
from rigid_tree_kinematics.nao.model import NaoBody, limp_joints, within_limits
from rigid_tree_kinematics.nao.robot import RobotConnection, RobotHealth, RobotState
from rigid_tree_kinematics.nodes.common.process import ThreadFuture
from rigid_tree_kinematics.nodes.nao.robot.method import Method

CALLED = 1.0  # s after a call or its end in which all of the robot's state may change
WARNING_PERIOD = 2.0  # s between two warnings about one kind of command


class NaoRobot:
    """One robot, shared by the services, the actions and the topics of one node.

    Args:
        node: whose executor runs while a call is awaited, and which logs.
        body: joints and limits of the version that is set.
        connection: to the robot.
        walk: kept up to date by ``call``.
    """

    def __init__(
        self, node: Node, body: NaoBody, connection: RobotConnection, walk: WalkState
    ) -> None:
        self._node = node
        self.body = body
        self.connection = connection
        self.walk = walk
        self.state: RobotState | None = None  # the last readings; none without a connection
        self.health: RobotHealth | None = None
        self.walk_range = math.inf  # m, of a walk to a place
        self._last_call = -CALLED
        self._walks: set[Answer] = set()  # calls under way that walk

    @property
    def was_called_recently(self) -> bool:
        """Whether a call was sent, or has returned, within the last second."""
        return time.monotonic() - self._last_call < CALLED

    @property
    def commands(self) -> NDArray[np.float64]:
        """All commanded angles (rad, order of "Body").

        Before the first reading: 0, or the limit that is nearest to it.
        """
        if self.state is not None:
            return self.state.commands
        return within_limits(self.body, np.zeros(len(self.body.joint_names)))

    def call(self, method: Method, request: Any) -> Answer:
        """Call a method with a request's arguments; return a Future of its value.

        Every command of the bridge, by whatever service, action or topic, is sent from here, so
        that the walk is followed. Raises NaoError for a request that makes no arguments; what the
        Future raises is described at RobotConnection.call.
        """
        service, name = method.naoqi.split(".")
        arguments = method.arguments(request)
        self._last_call = time.monotonic()  # before the walk is numbered: see note_standing
        latest = self.walk.sent(method.walk)
        answer = self.connection.call(service, name, *arguments)
        if method.walk & WalkEffect.STARTS:
            self._walks.add(answer)

        def note(done: Answer) -> None:
            self._last_call = time.monotonic()
            self._walks.discard(done)
            if done.exception() is None:
                self.walk.succeeded(method.walk, latest)

        answer.add_done_callback(note)
        return answer

    async def value(self, method: Method, request: Any) -> Any:
        """Call a method and wait for its value while other callbacks run.

        Raises NaoError with the message of the robot if it refuses, and NoRobotConnectionError
        if it cannot be reached or the connection is lost during the call.
        """
        return await self._arrival(self.call(method, request))

    async def asked(self, service: str, name: str, *arguments: Any) -> Any:
        """Ask the robot something that changes nothing; raises what ``value`` does."""
        return await self._arrival(self.connection.call(service, name, *arguments))

    async def _arrival(self, answer: Answer) -> Any:
        arrived = ThreadFuture(self._node)
        answer.add_done_callback(lambda _: arrived.set_result(None))
        await arrived
        return answer.result()

    def send(self, source: str, method: Method, request: Any) -> Answer:
        """Call a method without waiting; a failure is logged as one of ``source``."""
        answer = self.call(method, request)

        def report(done: Answer) -> None:
            error = done.exception()
            if error is not None:
                self._node.get_logger().warning(
                    f"{source}: {error}", throttle_duration_sec=WARNING_PERIOD
                )

        answer.add_done_callback(report)
        return answer

    def note_standing(self, patience: float) -> None:
        """Ask a robot that has been still for a while whether a walk has ended by itself.

        Foot steps end long after their call. Raises what RobotConnection.ask does.
        """
        latest = self.walk.latest
        if not self.walk.is_walking or self._walks or self.was_called_recently:
            return
        if not self.connection.ask("ALMotion", "moveIsActive", timeout=patience):
            self.walk.stands(latest)

    def limp(self, names: Sequence[str]) -> str:
        """Return a remark on those of these joints that have no stiffness; empty if all have.

        Also empty before the first reading, and for names that do not exist.
        """
        if self.state is None:
            return ""
        try:
            limp = limp_joints(self.body, names, self.state.stiffnesses)
        except NaoError:
            return ""  # the robot refuses them
        if not limp:
            return ""
        listed = ", ".join(limp[:4]) + (" ..." if len(limp) > 4 else "")
        return f"stiffness 0, will not move: {listed}; call wake_up or set_stiffnesses"
