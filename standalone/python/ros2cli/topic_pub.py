"""``ros2 topic pub``."""

from __future__ import annotations

import argparse
import sys
import time
from collections.abc import Callable
from typing import Any

from rclpy.node import Node

from ros2cli.graph import add_node_arguments, discovered_node, spin_for
from ros2cli.interface_types import interface_class
from ros2cli.messages import fill, values_from
from ros2cli.qos import add_qos_arguments, chosen_qos
from ros2cli.verbs import nonnegative_int, positive_float


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of the verb."""
    parser.add_argument("topic_name", help="The topic, for instance /chatter")
    parser.add_argument("message_type", help="Its type, for instance std_msgs/msg/String")
    source = parser.add_mutually_exclusive_group()
    source.add_argument(
        "values",
        nargs="?",
        default="{}",
        help="The fields of the message as YAML, for instance '{data: hello}'",
    )
    source.add_argument("--stdin", action="store_true", help="Take the fields from stdin")
    parser.add_argument(
        "-r",
        "--rate",
        metavar="N",
        type=positive_float,
        default=1.0,
        help="How often in a second (default: 1)",
    )
    parser.add_argument(
        "-p",
        "--print",
        metavar="N",
        type=int,
        default=1,
        help="Print one message in N (default: 1, 0 for none)",
    )
    count = parser.add_mutually_exclusive_group()
    count.add_argument("-1", "--once", action="store_true", help="The same as --times 1")
    count.add_argument(
        "-t",
        "--times",
        type=nonnegative_int,
        default=0,
        help="End after so many messages",
    )
    parser.add_argument(
        "-w",
        "--wait-matching-subscriptions",
        type=nonnegative_int,
        help="Start when so many subscribers are there (default: 1 with --once or --times, "
        "otherwise 0)",
    )
    parser.add_argument(
        "--max-wait-time-secs",
        type=positive_float,
        help="The longest wait for matching subscriptions (default: endless)",
    )
    parser.add_argument(
        "--keep-alive",
        metavar="N",
        type=positive_float,
        default=0.1,
        help="How long to stay after the last message, in seconds (default: 0.1)",
    )
    parser.add_argument("-n", "--node-name", help="How the publishing node is called")
    add_qos_arguments(parser, "publish", "default")
    add_node_arguments(parser)


def run(args: argparse.Namespace) -> str | None:
    """Publish a message once, several times, or until interrupted."""
    times = 1 if args.once else args.times
    message = interface_class(args.message_type, "msg")()
    values = values_from(sys.stdin.read() if args.stdin else args.values)
    try:
        stamps = fill(message, values, expand_now=True)
    except Exception as error:
        return f"These values do not fit the message: {error}"
    wanted = args.wait_matching_subscriptions
    if wanted is None:
        wanted = int(times != 0)
    if wanted == 0 and args.max_wait_time_secs is not None:
        return (
            "--max-wait-time-secs limits a wait that only --wait-matching-subscriptions, --once"
            " or --times ask for"
        )
    with discovered_node(args, args.node_name) as node:
        publisher = node.create_publisher(type(message), args.topic_name, chosen_qos(args))
        if problem := _wait_for_subscriptions(node, publisher, wanted, args.max_wait_time_secs):
            return problem
        print("publisher: beginning loop")
        _publish(node, publisher, message, stamps, times, args)
        # Give the last message some time to reach the wire.
        time.sleep(args.keep_alive)
    return None


def _wait_for_subscriptions(
    node: Node, publisher: Any, wanted: int, longest: float | None
) -> str | None:
    start = time.monotonic()
    next_print = start
    while (count := publisher.get_subscription_count()) < wanted:
        if longest is not None and time.monotonic() - start >= longest:
            return (
                f"After {longest} s there are {count} of the {wanted} subscribers that were to be"
                " waited for"
            )
        if time.monotonic() >= next_print:
            print(f"{count} of {wanted} subscribers are there, waiting...")
            next_print += 1.0
        spin_for(node, 0.1)
    return None


def _publish(
    node: Node,
    publisher: Any,
    message: Any,
    stamps: list[Callable[[Any], None]],
    times: int,
    args: argparse.Namespace,
) -> None:
    count = 0
    due = time.monotonic()
    while True:
        now = node.get_clock().now().to_msg()
        for set_stamp in stamps:
            set_stamp(now)
        count += 1
        if args.print and count % args.print == 0:
            print(f"publishing #{count}: {message!r}\n")
        publisher.publish(message)
        if count == times:
            return
        due += 1.0 / args.rate
        spin_for(node, due - time.monotonic())
