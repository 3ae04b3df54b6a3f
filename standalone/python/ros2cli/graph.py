"""Short-lived nodes that wait for discovery."""

import os
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any

import rclpy
from rcl_interfaces.srv import GetParameterTypes
from rclpy.node import Node, NodeNameNonExistentError
from rclpy.topic_or_service_is_hidden import topic_or_service_is_hidden

HIDDEN_PREFIX = "_ros2cli"
# There is no daemon with the graph. Discovery takes at most 1 s with this workspace's Fast DDS
# profile, and 3 s without it. Lists wait for the former, lookups of a given name for the latter.
LISTING_TIME = 1.5
TIMEOUT = 3.5
RETRY_PERIOD = 0.5  # s

NamesAndTypes = Sequence[tuple[str, Sequence[str]]]


@contextmanager
def hidden_node(seconds: float = 0.0, name: str | None = None) -> Iterator[Node]:
    """Yield a hidden node after a time (s) for discovery; shut down afterwards."""
    rclpy.init()
    try:
        node = rclpy.create_node(
            name or f"{HIDDEN_PREFIX}_{os.getpid()}", start_parameter_services=False
        )
        spin_for(node, seconds)
        yield node
        node.destroy_node()
    finally:
        rclpy.try_shutdown()


def spin_for(node: Node, seconds: float) -> None:
    """Process callbacks for a time."""
    deadline = time.monotonic() + seconds
    while (left := deadline - time.monotonic()) > 0.0:
        rclpy.spin_once(node, timeout_sec=left)


def wait_until(node: Node, condition: Callable[[], Any], timeout: float = TIMEOUT) -> Any:
    """Spin until a condition is true or the time is over; return its last value."""
    deadline = time.monotonic() + timeout
    while not (value := condition()) and time.monotonic() < deadline:
        spin_for(node, 0.05)
    return value


def meet_server(node: Node, service: str) -> None:
    """Wait until the servers of a service know this process's clients.

    A client can discover a server before the server discovers the client; until then replies are
    lost. A server that answers the client created here knows all clients created before it.
    """
    wanted = node.resolve_service_name(service)

    def servers() -> list[str]:
        return [
            f"{namespace.rstrip('/')}/{name}"
            for name, namespace in node.get_node_names_and_namespaces()
            if wanted in _services_of(node, name, namespace)
        ]

    wait_until(node, servers)
    for name in servers():
        client: Any = node.create_client(GetParameterTypes, f"{name}/get_parameter_types")

        def answers(client: Any = client) -> bool:
            reply = client.call_async(GetParameterTypes.Request())
            rclpy.spin_until_future_complete(node, reply, timeout_sec=RETRY_PERIOD)
            return bool(reply.done())

        wait_until(node, answers)


def _services_of(node: Node, name: str, namespace: str) -> list[str]:
    try:
        return [
            service for service, _ in node.get_service_names_and_types_by_node(name, namespace)
        ]
    except NodeNameNonExistentError:  # the node has just exited
        return []


def result_of(node: Node, future: Any, action: str) -> Any:
    """Return a future's result; RuntimeError if it fails."""
    rclpy.spin_until_future_complete(node, future)
    if future.result() is None:
        raise RuntimeError(f"Exception while {action}: {future.exception()!r}")
    return future.result()


def node_names(node: Node) -> list[str]:
    """Return the sorted names, with namespaces, of the known nodes that are not hidden."""
    return sorted(
        f"{namespace.rstrip('/')}/{name}"
        for name, namespace in node.get_node_names_and_namespaces()
        if not name.startswith("_")
    )


def without_hidden(names_and_types: NamesAndTypes) -> NamesAndTypes:
    """Return the topics or services that are not hidden."""
    return [entry for entry in names_and_types if not topic_or_service_is_hidden(entry[0])]


def print_types(types: Sequence[str] | None) -> int:
    """Print the types of a name; return the exit code, 1 for an unknown name."""
    if types is None:
        return 1
    print("\n".join(types))
    return 0
