"""The robot as nao_bridge's parts see it: its line, its last state, calls that can be awaited."""

from __future__ import annotations

from collections.abc import Sequence
from concurrent.futures import Future as Answer
from typing import Any

import numpy as np
from rclpy.node import Node
from rclpy.task import Future

from rigid_tree_kinematics.nao.body import NaoBody
from rigid_tree_kinematics.nao.command_check import limp_joints
from rigid_tree_kinematics.nao.connection import RobotConnection
from rigid_tree_kinematics.nao.errors import NaoError
from rigid_tree_kinematics.nao.joint_limits import within_limits
from rigid_tree_kinematics.nao.robot_state import RobotHealth, RobotState
from rigid_tree_kinematics.nao.walk_guard import WalkGuard


class NaoRobot:
    """One robot, shared by the services, the actions and the topics of one node."""

    def __init__(
        self, node: Node, body: NaoBody, connection: RobotConnection, guard: WalkGuard
    ) -> None:
        self._node = node
        self.body = body
        self.connection = connection
        self.guard = guard
        self.state: RobotState | None = None  # as long as the robot is there
        self.health: RobotHealth | None = None

    @property
    def commands(self) -> Any:
        """All commanded angles (order of "Body"); a guess before anything was heard."""
        if self.state is not None:
            return self.state.commands
        return within_limits(self.body, np.zeros(len(self.body.joint_names)))

    def call(self, method: str, *arguments: Any) -> Answer:
        """Call a method such as ALMotion.getAngles; return a Future of its value."""
        service, name = method.split(".")
        return self.connection.call(service, name, *arguments)

    async def value(self, method: str, *arguments: Any) -> Any:
        """Call a method and wait for its value, while other callbacks run.

        Raises NaoError in the robot's words.
        """
        answer = self.call(method, *arguments)
        arrived: Future = Future(executor=self._node.executor)
        answer.add_done_callback(lambda _: arrived.set_result(None))
        await arrived
        return answer.result()

    def send(self, what: str, method: str, *arguments: Any) -> None:
        """Call a method and go on; a failure is logged, with ``what`` as its reason."""
        answer = self.call(method, *arguments)

        def report(done: Answer) -> None:
            error = done.exception()
            if error is not None:
                self._node.get_logger().warning(f"{what}: {error}", throttle_duration_sec=2.0)

        answer.add_done_callback(report)

    def limp(self, names: Sequence[str]) -> str:
        """Return a remark on those of these joints that will not move; empty if all will."""
        if self.state is None:
            return ""
        try:
            limp = limp_joints(self.body, names, self.state.stiffnesses)
        except NaoError:
            return ""  # the robot will say that it does not know them
        if not limp:
            return ""
        listed = ", ".join(limp[:4]) + (" ..." if len(limp) > 4 else "")
        return f"stiffness 0, will not move: {listed}; call wake_up or set_stiffnesses"
