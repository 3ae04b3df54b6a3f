"""``ros2 topic hz``."""

from __future__ import annotations

import argparse
import math
import time
from collections import deque
from functools import partial
from typing import Any, NamedTuple

import rclpy
from rclpy.clock import Clock, ClockType
from rclpy.node import Node
from rclpy.qos import qos_profile_sensor_data

from ros2cli.graph import add_node_arguments, discovered_node, spin_for
from ros2cli.topics import topic_class, warn_unpublished
from ros2cli.verbs import positive_int

DEFAULT_WINDOW_SIZE = 10000
PRINT_PERIOD = 1.0
COLUMNS = ("topic", "rate", "min_delta", "max_delta", "std_dev", "window")


class Statistics(NamedTuple):
    """The spacing of a topic's messages: rate in Hz, times in seconds."""

    rate: float
    min_delta: float
    max_delta: float
    std_dev: float
    window: int


class Meter:
    """Collects the times between the messages of one topic, as many as the window holds."""

    def __init__(self, window: int) -> None:
        self._spacings: deque[float] = deque(maxlen=window)
        self._last = 0
        self._has_news = False

    def tick(self, now: int) -> None:
        """Note a message at a time in nanoseconds; 0 or a jump back starts anew."""
        if now == 0 or now < self._last:
            if self._spacings:
                print("the time jumped back, starting anew")
            self._spacings.clear()
        elif self._last:
            self._spacings.append((now - self._last) * 1e-9)
            self._has_news = True
        self._last = now

    def statistics(self) -> Statistics | None:
        """Return the numbers, or None if nothing arrived since the last call."""
        if not self._has_news:
            return None
        self._has_news = False
        values = list(self._spacings)
        mean = sum(values) / len(values)
        deviation = math.sqrt(sum((value - mean) ** 2 for value in values) / len(values))
        rate = 1.0 / mean if mean > 0.0 else 0.0
        return Statistics(rate, min(values), max(values), deviation, len(values))


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of the verb."""
    parser.add_argument("topic_name", nargs="+", help="The topics")
    parser.add_argument(
        "-w",
        "--window",
        dest="window_size",
        type=positive_int,
        default=DEFAULT_WINDOW_SIZE,
        metavar="WINDOW",
        help="How many messages the numbers are about (default: %(default)s)",
    )
    parser.add_argument(
        "--wall-time", action="store_true", help="Measure with the clock of this machine"
    )
    add_node_arguments(parser)


def run(args: argparse.Namespace) -> None:
    """Print the rate of the topics once a second until interrupted."""
    meters = {topic: Meter(args.window_size) for topic in args.topic_name}
    with discovered_node(args) as node:
        clock = Clock(clock_type=ClockType.SYSTEM_TIME) if args.wall_time else node.get_clock()
        for topic, meter in meters.items():
            node.create_subscription(
                _wait_for_class(node, topic),
                topic,
                partial(_note, meter, clock),
                qos_profile_sensor_data,
                raw=True,  # only the time of arrival counts
            )
            if len(meters) > 1:
                print(f"Subscribed to [{topic}]")
        next_print = time.monotonic() + PRINT_PERIOD
        while True:
            rclpy.spin_once(node, timeout_sec=max(0.0, next_print - time.monotonic()))
            if time.monotonic() >= next_print:
                next_print += PRINT_PERIOD
                _print(meters)


def _note(meter: Meter, clock: Clock, message: bytes) -> None:
    meter.tick(clock.now().nanoseconds)


def _wait_for_class(node: Node, topic: str) -> Any:
    found = topic_class(node, topic)
    if found is None:
        warn_unpublished(topic)
    while found is None:
        spin_for(node, 0.1)
        found = topic_class(node, topic)
    return found


def _print(meters: dict[str, Meter]) -> None:
    rows = {topic: meter.statistics() for topic, meter in meters.items()}
    known = {topic: row for topic, row in rows.items() if row is not None}
    if not known:
        return
    if len(meters) == 1:
        (row,) = known.values()
        print(
            f"average rate: {row.rate:.3f}\n"
            f"\tmin: {row.min_delta:.3f}s max: {row.max_delta:.3f}s "
            f"std dev: {row.std_dev:.5f}s window: {row.window}"
        )
        return
    print(_table(known))


def _table(rows: dict[str, Statistics]) -> str:
    cells = [
        (topic, f"{s.rate:.3f}", f"{s.min_delta:.3f}", f"{s.max_delta:.3f}", f"{s.std_dev:.5f}",
         str(s.window))
        for topic, s in rows.items()
    ]  # fmt: skip
    widths = [max(map(len, column)) for column in zip(COLUMNS, *cells, strict=True)]
    header = "   ".join(name.center(width) for name, width in zip(COLUMNS, widths, strict=True))
    body = "\n".join(
        "   ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True))
        for row in cells
    )
    return f"{header}\n{'=' * len(header)}\n{body}\n"
