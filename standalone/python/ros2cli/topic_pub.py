"""``ros2 topic pub``."""

from __future__ import annotations

import argparse
import time

from ros2cli.graph import add_node_arguments, discovered_node, spin_for, wait_until
from ros2cli.interface_types import interface_class
from ros2cli.messages import fill
from ros2cli.verbs import positive_float

LINGER = 0.1  # s for the last message to reach the wire


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of the verb."""
    parser.add_argument("topic_name", help="The topic, for instance /chatter")
    parser.add_argument("message_type", help="Its type, for instance std_msgs/msg/String")
    parser.add_argument(
        "values",
        nargs="?",
        default="{}",
        help="The fields of the message as YAML, for instance '{data: hello}'",
    )
    parser.add_argument(
        "-r",
        "--rate",
        metavar="N",
        type=positive_float,
        default=1.0,
        help="How often in a second (default: 1)",
    )
    parser.add_argument(
        "-1", "--once", action="store_true", help="Wait for a subscriber, publish, and end"
    )
    add_node_arguments(parser)


def run(args: argparse.Namespace) -> None:
    """Publish a message once, or until interrupted."""
    message = interface_class(args.message_type, "msg")()
    fill(message, args.values)
    with discovered_node(args) as node:
        publisher = node.create_publisher(type(message), args.topic_name, 10)
        while args.once and publisher.get_subscription_count() == 0:
            print("Waiting for at least 1 matching subscription(s)...")
            wait_until(node, lambda: publisher.get_subscription_count() > 0, timeout=1.0)
        print("publisher: beginning loop")
        count = 0
        due = time.monotonic()
        while True:
            count += 1
            print(f"publishing #{count}: {message!r}\n")
            publisher.publish(message)
            if args.once:
                break
            due += 1.0 / args.rate
            spin_for(node, due - time.monotonic())
        time.sleep(LINGER)
