"""Node: wakes NAO up and makes it wave, with the services and actions of nao_bridge.

The process exits with code 0 when the robot has waved, with code 1 and a message otherwise.
"""

from __future__ import annotations

import sys
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from nao_motion_interfaces.action import AngleInterpolation
from nao_motion_interfaces.msg import NumberList
from nao_motion_interfaces.srv import Call, CallFor
from rclpy.action import ActionClient
from rclpy.client import Client

from rigid_tree_kinematics.nodes.base import Parameters, TaskError, TaskNode, parameter, run_node

NAME = "nao_demo"
PAUSE = 3.0  # s between waves
# Angles (rad) and times (s) by joint: the arm goes up, the forearm swings, the arm goes down.
WAVE: dict[str, tuple[list[float], list[float]]] = {
    "RShoulderPitch": ([-1.0, -1.0, 1.4], [1.2, 4.0, 5.2]),
    "RShoulderRoll": ([-0.35, -0.35, -0.3], [1.2, 4.0, 5.2]),
    "RElbowYaw": ([1.5, 1.5, 1.39], [1.2, 4.0, 5.2]),
    "RElbowRoll": ([1.3, 0.4, 1.3, 0.4, 1.3, 1.01], [1.2, 1.9, 2.6, 3.3, 4.0, 5.2]),
    "RWristYaw": ([-0.3, -0.3, 0.0], [1.2, 4.0, 5.2]),
    "HeadYaw": ([-0.3, -0.3, 0.0], [1.0, 4.0, 5.0]),
    "HeadPitch": ([-0.15, -0.15, 0.0], [1.0, 4.0, 5.0]),
}


@dataclass(frozen=True)
class DemoSettings(Parameters):
    """The node's parameters."""

    once: bool = parameter(True, "Wave once, then exit.")
    timeout: float = parameter(60.0, "Timeout for the robot.", low=0.1, high=3600.0, unit="s")


class NaoDemo(TaskNode):
    """The node; ``finished`` gets the exit code."""

    def __init__(self) -> None:
        super().__init__(NAME)
        self._settings = DemoSettings.declare(self)
        self.set_timeout(self._settings.timeout)
        self._wake_up: Client[Any, Any] = self.create_client(Call, "wake_up")
        self._hands: dict[str, Client[Any, Any]] = {
            name: self.create_client(CallFor, name) for name in ("open_hand", "close_hand")
        }
        self._move: ActionClient[Any, Any, Any] = ActionClient(
            self, AngleInterpolation, "angle_interpolation"
        )

    async def play(self) -> None:
        """Wake up and wave."""
        await self.until(self._move.server_is_ready, "no nao_bridge")
        await self._wait_until_awake()
        self.get_logger().info("NAO is awake")
        while True:
            await self._hand("open_hand")
            await self._follow(WAVE)
            await self._hand("close_hand")
            self.get_logger().info("NAO waved")
            if self._settings.once:
                return
            await self.sleep(PAUSE)

    async def _wait_until_awake(self) -> None:
        """Wake the robot up, once the bridge is connected."""
        while True:
            reply = await self.call(self._wake_up, Call.Request())
            if reply.success:
                return
            self.check_time(f"wake_up: {reply.message}")
            await self.sleep(0.2)

    async def _hand(self, name: str) -> None:
        reply = await self.call(self._hands[name], CallFor.Request(name="RHand"))
        if not reply.success:
            raise TaskError(f"{name}: {reply.message}")

    async def _follow(self, motion: Mapping[str, tuple[list[float], list[float]]]) -> None:
        goal = AngleInterpolation.Goal(names=list(motion), is_absolute=True)
        goal.angle_lists = [NumberList(values=angles) for angles, _ in motion.values()]
        goal.time_lists = [NumberList(values=times) for _, times in motion.values()]
        handle: Any = await self._move.send_goal_async(goal)
        if not handle.accepted:
            raise TaskError("angle_interpolation: the goal was not accepted")
        answer = await handle.get_result_async()
        if not answer.result.success:
            raise TaskError(f"angle_interpolation: {answer.result.message}")


PARAMETERS = (DemoSettings,)


def main() -> int:
    """Run the node; return the exit code of the process."""
    return run_node(NAME, NaoDemo, PARAMETERS)


if __name__ == "__main__":
    sys.exit(main())
