"""A short-lived node that waits until it has discovered the others."""

from __future__ import annotations

import argparse
import os
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import rclpy
from rclpy.node import Node

HIDDEN_PREFIX = "_ros2cli"
DEFAULT_SPIN_TIME = 0.5
# There is no daemon that knows the graph already. Nodes often become known only with the second
# heartbeat of Fast DDS, which comes after 3 s: so long a listing waits, and so long what was named
# by the user is looked for.
PATIENCE = 3.5


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
def discovered_node(args: argparse.Namespace, patience: float = 0.0) -> Iterator[Node]:
    """Give a node that has looked for the others for the spin time, or longer with patience."""
    with plain_node() as node:
        spin_for(node, max(patience, args.spin_time))
        yield node


def spin_for(node: Node, seconds: float) -> None:
    """Handle what arrives for a time."""
    deadline = time.monotonic() + seconds
    while (left := deadline - time.monotonic()) > 0.0:
        rclpy.spin_once(node, timeout_sec=left)


def wait_until(node: Node, is_there: Callable[[], bool], patience: float = PATIENCE) -> bool:
    """Spin until something is there; return False if it is not there in time."""
    deadline = time.monotonic() + patience
    while not is_there():
        if time.monotonic() > deadline:
            return False
        spin_for(node, 0.05)
    return True


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
