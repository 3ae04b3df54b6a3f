"""NAO's postures for the viewer, if a nao_bridge advertises them."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from rclpy.client import Client

from rigid_tree_web.nodes.slot import RobotSlot

POSTURES = ("Stand", "StandInit", "StandZero", "Crouch", "Sit", "SitRelax", "LyingBack")
CALLS = {"Wake up": "wake_up", "Rest": "rest"}
SPEED = 0.6
BRIDGE_TOPIC = "joint_stiffnesses"  # published only by nao_bridge


class Postures:
    """Clients of a robot's nao_bridge; ``report`` is called with the robot's replies."""

    def __init__(self, slot: RobotSlot, report: Callable[[str], None]) -> None:
        self._node, self._topic = slot.node, slot.topic
        self._report = report
        self._found = False
        self._clients: dict[str, Client[Any, Any]] = {}

    @property
    def available(self) -> Mapping[str, Sequence[str]]:
        """The available calls and postures, by the label of their group; empty without a NAO."""
        if not self._found and self._node.count_publishers(self._topic(BRIDGE_TOPIC)):
            self._found = True
            self._find()
        if not self._clients or not self._go.service_is_ready():
            return {}
        return {"Robot": tuple(CALLS), "Posture": POSTURES}

    def _find(self) -> None:
        """Create the clients; this loads NAO's interfaces."""
        try:
            from nao_motion_interfaces.srv import Call, GoToPosture
        except ImportError:  # NAO's interfaces are optional
            return
        node, topic = self._node, self._topic
        self._go: Client[Any, Any] = node.create_client(GoToPosture, topic("go_to_posture"))
        self._clients = {
            label: node.create_client(Call, topic(service)) for label, service in CALLS.items()
        }

    def request(self, name: str) -> None:
        """Request a posture or a call by name."""
        if name in self._clients:
            client = self._clients[name]
            future = client.call_async(client.srv_type.Request())
        else:
            request = self._go.srv_type.Request(posture_name=name, speed=SPEED)
            future = self._go.call_async(request)
        self._report(f"{name} ...")
        future.add_done_callback(lambda done: self._report(f"{name}: {message_of(done.result())}"))


def message_of(reply: Any) -> str:
    """Return the message of a reply."""
    return str(reply.message) or "done"
