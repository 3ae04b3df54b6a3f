"""A short-lived node that waits until it has discovered the others."""

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
# There is no daemon that knows the graph already. With this workspace's profile of Fast DDS a
# new process knows all others after 1 s at most, which a listing waits for; without it, 3 s,
# and so long what was named by the user is looked for.
LISTING_TIME = 1.5
PATIENCE = 3.5
ASK_AGAIN = 0.5  # s


def add_node_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of :func:`discovered_node`."""
    parser.add_argument(
        "--spin-time",
        type=float,
        default=DEFAULT_SPIN_TIME,
        help="How long to look for other nodes, in seconds",
    )


@contextmanager
def plain_node(name: str | None = None) -> Iterator[Node]:
    """Give a hidden node, without waiting for discovery, and end ROS afterwards."""
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
    """Give a node that has looked for the others for the spin time, or longer if asked to."""
    with plain_node() as node:
        spin_for(node, max(at_least, args.spin_time))
        yield node


def spin_for(node: Node, seconds: float) -> None:
    """Handle what arrives for a time."""
    deadline = time.monotonic() + seconds
    while (left := deadline - time.monotonic()) > 0.0:
        rclpy.spin_once(node, timeout_sec=left)


def wait_until(node: Node, is_there: Callable[[], Any], patience: float = PATIENCE) -> bool:
    """Spin until something is there; return False if it is not there in time."""
    deadline = time.monotonic() + patience
    while not is_there():
        if time.monotonic() > deadline:
            return False
        spin_for(node, 0.05)
    return True


def meet_server(node: Node, service: str) -> None:
    """Wait until who offers a service knows this process's clients.

    A client sees a server before the server sees the client, and a reply in between is lost. Who
    answers the client that is made here, last, knows those that were announced before it.
    """
    wanted = node.resolve_service_name(service)
    wait_until(node, lambda: _servers_of(node, wanted))
    for name in _servers_of(node, wanted):
        client: Any = node.create_client(GetParameterTypes, f"{name}/get_parameter_types")

        def answers(client: Any = client) -> bool:
            asked = client.call_async(GetParameterTypes.Request())
            rclpy.spin_until_future_complete(node, asked, timeout_sec=ASK_AGAIN)
            return bool(asked.done())

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
    except NodeNameNonExistentError:  # it has just gone
        return []


def result_of(node: Node, future: Any, action: str) -> Any:
    """Wait for an answer; an error while getting it is a RuntimeError."""
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
