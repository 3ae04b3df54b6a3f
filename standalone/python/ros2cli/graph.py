"""Short-lived nodes that wait for discovery."""

from __future__ import annotations

import argparse
import os
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import rclpy
from rcl_interfaces.srv import GetParameterTypes
from rclpy.node import Node, NodeNameNonExistentError

HIDDEN_PREFIX = "_ros2cli"
DEFAULT_SPIN_TIME = 0.5
# There is no daemon with the graph. Discovery takes at most 1 s with this workspace's Fast DDS
# profile, and 3 s without it. Lists wait for the first, names given by the user for the second.
LISTING_TIME = 1.5
TIMEOUT = 3.5
RETRY_PERIOD = 0.5  # s


def add_node_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of :func:`discovered_node`."""
    parser.add_argument(
        "--spin-time",
        type=float,
        default=DEFAULT_SPIN_TIME,
        help="Time for the discovery of other nodes, in seconds",
    )


@contextmanager
def plain_node(name: str | None = None) -> Iterator[Node]:
    """Create a hidden node without waiting for discovery; shut down afterwards."""
    rclpy.init()
    try:
        node = rclpy.create_node(
            name or f"{HIDDEN_PREFIX}_{os.getpid()}",
            start_parameter_services=False,
        )
        yield node
        node.destroy_node()
    finally:
        rclpy.try_shutdown()


@contextmanager
def discovered_node(args: argparse.Namespace, at_least: float = 0.0) -> Iterator[Node]:
    """Create a node and wait for discovery, for the spin time or ``at_least``."""
    with plain_node() as node:
        spin_for(node, max(at_least, args.spin_time))
        yield node


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
    wait_until(node, lambda: _servers_of(node, wanted))
    for name in _servers_of(node, wanted):
        client: Any = node.create_client(GetParameterTypes, f"{name}/get_parameter_types")

        def answers(client: Any = client) -> bool:
            reply = client.call_async(GetParameterTypes.Request())
            rclpy.spin_until_future_complete(node, reply, timeout_sec=RETRY_PERIOD)
            return bool(reply.done())

        wait_until(node, answers)


def _servers_of(node: Node, service: str) -> list[str]:
    """Return the nodes that offer a service."""
    return [
        f"{namespace.rstrip('/')}/{name}"
        for name, namespace in node.get_node_names_and_namespaces()
        if service in dict(_services_of(node, name, namespace))
    ]


def _services_of(node: Node, name: str, namespace: str) -> list[tuple[str, list[str]]]:
    try:
        return node.get_service_names_and_types_by_node(name, namespace)
    except NodeNameNonExistentError:  # it has just exited
        return []


def result_of(node: Node, future: Any, action: str) -> Any:
    """Return a future's result; RuntimeError if it fails."""
    rclpy.spin_until_future_complete(node, future)
    if future.result() is None:
        raise RuntimeError(f"Exception while {action}: {future.exception()!r}")
    return future.result()


def absolute_name(name: str) -> str:
    """Return a node's name with its leading slash."""
    return name if name.startswith("/") else f"/{name}"


def full_node_names(node: Node) -> list[str]:
    """Return the names of the known nodes that are not hidden, with namespaces, sorted."""
    return sorted(
        f"{namespace.rstrip('/')}/{name}"
        for name, namespace in node.get_node_names_and_namespaces()
        if not name.startswith("_")
    )
