"""``ros2 topic hz``."""

from __future__ import annotations

import argparse
import itertools
import math
import time
from collections import deque
from typing import Any

import rclpy
from rclpy.node import Node
from rclpy.qos import qos_profile_sensor_data

from ros2cli.graph import add_node_arguments, discovered_node, spin_for
from ros2cli.topics import topic_class, warn_unpublished

WINDOW_SIZE = 10000  # messages
PRINT_PERIOD = 1.0  # s


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of the verb."""
    parser.add_argument("topic_name", help="The topic, for instance /chatter")
    add_node_arguments(parser)


def run(args: argparse.Namespace) -> None:
    """Print the rate of a topic once a second until interrupted."""
    arrivals: deque[float] = deque(maxlen=WINDOW_SIZE)
    with discovered_node(args) as node:
        node.create_subscription(
            _wait_for_class(node, args.topic_name),
            args.topic_name,
            lambda message: arrivals.append(time.monotonic()),
            qos_profile_sensor_data,
            raw=True,  # only the time of arrival counts
        )
        last_printed = 0.0
        while True:
            spin_for(node, PRINT_PERIOD)
            if len(arrivals) > 1 and arrivals[-1] != last_printed:
                last_printed = arrivals[-1]
                print(_statistics(list(arrivals)))


def _wait_for_class(node: Node, topic: str) -> Any:
    found = topic_class(node, topic)
    if found is None:
        warn_unpublished(topic)
    while found is None:
        rclpy.spin_once(node, timeout_sec=0.1)
        found = topic_class(node, topic)
    return found


def _statistics(arrivals: list[float]) -> str:
    spacings = [after - before for before, after in itertools.pairwise(arrivals)]
    mean = sum(spacings) / len(spacings)
    deviation = math.sqrt(sum((value - mean) ** 2 for value in spacings) / len(spacings))
    rate = 1.0 / mean if mean > 0.0 else 0.0
    return (
        f"average rate: {rate:.3f}\n"
        f"\tmin: {min(spacings):.3f}s max: {max(spacings):.3f}s "
        f"std dev: {deviation:.5f}s window: {len(spacings)}"
    )
