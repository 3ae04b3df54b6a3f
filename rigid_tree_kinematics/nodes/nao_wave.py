"""Waking NAO through the bridge, and letting it wave."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from nao_motion_interfaces.action import AngleInterpolation
from nao_motion_interfaces.msg import NumberList
from nao_motion_interfaces.srv import Call, CallFor
from rclpy.action import ActionClient
from rclpy.client import Client

from rigid_tree_kinematics.nodes.demo_node import DemoError, DemoNode

# Joint -> angles (rad) at these times (s): the arm goes up, the forearm swings, the arm goes down.
WAVE: dict[str, tuple[list[float], list[float]]] = {
    "RShoulderPitch": ([-1.0, -1.0, 1.4], [1.2, 4.0, 5.2]),
    "RShoulderRoll": ([-0.35, -0.35, -0.3], [1.2, 4.0, 5.2]),
    "RElbowYaw": ([1.5, 1.5, 1.39], [1.2, 4.0, 5.2]),
    "RElbowRoll": ([1.3, 0.4, 1.3, 0.4, 1.3, 1.01], [1.2, 1.9, 2.6, 3.3, 4.0, 5.2]),
    "RWristYaw": ([-0.3, -0.3, 0.0], [1.2, 4.0, 5.2]),
    "HeadYaw": ([-0.3, -0.3, 0.0], [1.0, 4.0, 5.0]),
    "HeadPitch": ([-0.15, -0.15, 0.0], [1.0, 4.0, 5.0]),
}


class NaoWave:
    """Clients of a nao_bridge; it uses nothing but services and actions.

    Args:
        node: whose clients they are, and whose patience counts.
        namespace: of the bridge; may be empty.
    """

    def __init__(self, node: DemoNode, namespace: str = "") -> None:
        self._node = node
        prefix = f"{namespace}/" if namespace else ""
        self._wake_up: Client = node.create_client(Call, f"{prefix}wake_up")
        self._hands: dict[str, Client] = {
            name: node.create_client(CallFor, prefix + name)
            for name in ("open_hand", "close_hand")
        }
        self._move: ActionClient = ActionClient(
            node, AngleInterpolation, f"{prefix}angle_interpolation"
        )

    async def wake_up(self) -> None:
        """Wake the robot up; the bridge may not have found it yet."""
        await self._node.until(self._move.server_is_ready, "no nao_bridge")
        while True:
            reply = await self._node.call(self._wake_up, Call.Request())
            if reply.success:
                return
            self._node.check_time(f"wake_up: {reply.message}")
            await self._node.sleep(0.2)

    async def wave(self) -> None:
        """Wave once; DemoError says why it cannot be done."""
        await self._hand("open_hand")
        await self._follow(WAVE)
        await self._hand("close_hand")
        self._node.get_logger().info("NAO waved")

    async def _hand(self, name: str) -> None:
        reply = await self._node.call(self._hands[name], CallFor.Request(name="RHand"))
        if not reply.success:
            raise DemoError(f"{name}: {reply.message}")

    async def _follow(self, motion: Mapping[str, tuple[list[float], list[float]]]) -> None:
        goal = AngleInterpolation.Goal(names=list(motion), is_absolute=True)
        goal.angle_lists = [NumberList(values=angles) for angles, _ in motion.values()]
        goal.time_lists = [NumberList(values=times) for _, times in motion.values()]
        handle: Any = await self._move.send_goal_async(goal)
        if not handle.accepted:
            raise DemoError("angle_interpolation: the goal was not accepted")
        answer = await handle.get_result_async()
        if not answer.result.success:
            raise DemoError(f"angle_interpolation: {answer.result.message}")
