"""NAO's postures for the viewer, where a nao_bridge offers them."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from rclpy.client import Client
from rclpy.node import Node

from rigid_tree_kinematics.nodes.common.process import below

POSTURES = ("StandInit", "Stand", "StandZero", "Crouch", "Sit", "SitRelax", "LyingBack")
CALLS = {"Wake up": "wake_up", "Rest": "rest"}
SPEED = 0.6
SIGN = "joint_stiffnesses"  # a topic that only a nao_bridge publishes


class Postures:
    """Clients of a nao_bridge in one namespace.

    Args:
        node: whose clients they are.
        namespace: of the robot; may be empty.
        tell: is told what the robot answered.
    """

    def __init__(self, node: Node, namespace: str, tell: Callable[[str], None]) -> None:
        self._node = node
        self._namespace = namespace
        self._tell = tell
        self._sign = below(namespace, SIGN)
        self._found = False
        self._clients: dict[str, Client] = {}

    def destroy(self) -> None:
        """Take the clients away."""
        if self._clients:
            for client in (self._go, *self._clients.values()):
                self._node.destroy_client(client)

    @property
    def names(self) -> Sequence[str]:
        """What may be asked for now; empty where there is no NAO."""
        if not self._found and self._node.count_publishers(self._sign):
            self._found = True
            self._find()
        if not self._clients or not self._go.service_is_ready():
            return ()
        return (*CALLS, *POSTURES)

    def _find(self) -> None:
        """Make the clients, whose types, NAO's whole interface, are loaded only now."""
        try:
            from nao_motion_interfaces.srv import Call, GoToPosture
        except ImportError:  # a machine without NAO's interfaces shows everything else
            return
        node, namespace = self._node, self._namespace
        self._go: Client = node.create_client(GoToPosture, below(namespace, "go_to_posture"))
        self._clients = {
            label: node.create_client(Call, below(namespace, service))
            for label, service in CALLS.items()
        }

    def take(self, name: str) -> None:
        """Let the robot take a posture."""
        if name in self._clients:
            client = self._clients[name]
            future = client.call_async(client.srv_type.Request())
        else:
            request = self._go.srv_type.Request(posture_name=name, speed=SPEED)
            future = self._go.call_async(request)
        self._tell(f"{name} ...")
        future.add_done_callback(lambda done: self._tell(f"{name}: {word_of(done.result())}"))


def word_of(reply: Any) -> str:
    """Return what the robot said, if anything."""
    return str(reply.message) or "done"
