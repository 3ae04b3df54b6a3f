"""Waiting until other nodes have discovered this process's endpoints.

A client can discover a server before the server discovers the client. Until then replies are lost
("client will not receive response"), and so are messages of best-effort publishers. A process
announces its endpoints reliably and in order (DDSI-RTPS 2.5, 8.5.4): a node that answers a new
client knows all endpoints created before it.
"""

import time
from collections.abc import Callable, Iterable
from typing import Any

from rcl_interfaces.srv import GetParameterTypes
from rclpy.node import Node, NodeNameNonExistentError

from harness.processes import TIMEOUT

ASK_AGAIN = 0.5  # s, after which a request is repeated
UNKNOWN = "_UNKNOWN_"  # in the name of a node whose endpoint was discovered before its name
SERVICE = "get_parameter_types"  # of every node of rclpy and rclcpp, without side effects


class Discovery:
    """Waits until nodes have discovered a node's clients and publishers.

    Args:
        node: the node of the endpoints.
        wait: spins until a condition is true, with a timeout (s).
    """

    def __init__(self, node: Node, wait: Callable[[Callable[[], Any], float], None]) -> None:
        self._node = node
        self._wait = wait

    def servers_of(self, service: str) -> None:
        """Wait until all servers of a service know this process's endpoints."""
        wanted = self._node.resolve_service_name(service)

        def offering() -> list[str]:
            return [name for name in self._nodes() if wanted in self._offers(name)]

        # A service is discovered before the graph tells which node has it.
        deadline = time.monotonic() + TIMEOUT
        while not offering():
            assert time.monotonic() < deadline, f"no node offers {wanted}"
            self._wait(lambda: False, 0.05)
        self._wait_for_each(offering)

    def subscribers_of(self, topic: str) -> None:
        """Wait until all subscribers of a topic know this process's endpoints."""
        wanted = self._node.resolve_topic_name(topic)
        self._wait_for_each(
            lambda: [
                f"{info.node_namespace.rstrip('/')}/{info.node_name}"
                for info in self._node.get_subscriptions_info_by_topic(wanted)
            ]
        )

    def wait_for_all(self) -> None:
        """Wait until all nodes know this process's endpoints."""
        self._wait_for_each(self._nodes)

    def wait_for(self, name: str) -> None:
        """Wait until a node, given with its namespace, knows this process's endpoints."""
        client = self._node.create_client(GetParameterTypes, f"{name}/{SERVICE}")
        deadline = time.monotonic() + TIMEOUT
        try:
            # A killed node remains in the graph for a while.
            while f"{name}/{SERVICE}" in self._offers(name):
                reply = client.call_async(GetParameterTypes.Request())
                self._wait(reply.done, ASK_AGAIN)
                if reply.done():
                    return
                assert time.monotonic() < deadline, f"{name} does not answer"
        finally:
            self._node.destroy_client(client)

    def _wait_for_each(self, find: Callable[[], Iterable[str]]) -> None:
        known = {self._node.get_fully_qualified_name()}
        deadline = time.monotonic() + TIMEOUT
        while left := {*find()} - known:
            if any(UNKNOWN in name for name in left):
                assert time.monotonic() < deadline, f"the name of one of {left} never came"
                self._wait(lambda: False, 0.05)
                continue
            self.wait_for(min(left))
            known.add(min(left))

    def _nodes(self) -> list[str]:
        found = self._node.get_node_names_and_namespaces()
        return [f"{namespace.rstrip('/')}/{name}" for name, namespace in found]

    def _offers(self, name: str) -> set[str]:
        """Return the services of a node, none if it has exited."""
        namespace, _, base = name.rpartition("/")
        try:
            found = self._node.get_service_names_and_types_by_node(base, namespace or "/")
        except NodeNameNonExistentError:
            return set()
        return {service for service, _ in found}
