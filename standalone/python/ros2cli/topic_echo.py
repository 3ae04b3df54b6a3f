"""``ros2 topic echo``."""

from __future__ import annotations

import argparse
from typing import Any

import rclpy
from rclpy.node import Node
from rclpy.qos import DurabilityPolicy, QoSProfile, ReliabilityPolicy
from rclpy.task import Future

from ros2cli.graph import add_node_arguments, discovered_node, wait_until
from ros2cli.interface_types import interface_class
from ros2cli.messages import to_yaml
from ros2cli.topics import topic_class, warn_unpublished

TRUNCATE_LENGTH = 128


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of the verb."""
    parser.add_argument("topic_name", help="The topic, for instance /chatter")
    parser.add_argument("message_type", nargs="?", help="Its type (default: ask the publishers)")
    parser.add_argument("--field", help="Print this field only, for instance header.stamp")
    parser.add_argument("-f", "--full-length", action="store_true", help="Shorten nothing")
    parser.add_argument("--once", action="store_true", help="End after one message")
    add_node_arguments(parser)


def run(args: argparse.Namespace) -> None:
    """Print the messages of a topic until interrupted."""
    path = args.field.split(".") if args.field else []
    limit = None if args.full_length else TRUNCATE_LENGTH
    done: Future = Future()

    def show(message: Any) -> None:
        if done.done():
            return
        if args.once:
            done.set_result(True)
        value = _select(message, path)
        is_message = hasattr(value, "SLOT_TYPES")
        print(to_yaml(value, limit) if is_message else f"{value}\n", end="---\n")

    with discovered_node(args) as node:
        message_class = (
            interface_class(args.message_type, "msg")
            if args.message_type
            else topic_class(node, args.topic_name)
        )
        if message_class is None:
            warn_unpublished(args.topic_name)
            raise RuntimeError(
                f"The type of '{args.topic_name}' is unknown: give the message type"
            )
        node.create_subscription(
            message_class, args.topic_name, show, _matching_qos(node, args.topic_name)
        )
        rclpy.spin_until_future_complete(node, done)


def _matching_qos(node: Node, topic: str) -> QoSProfile:
    """Return the strictest QoS that all publishers of the topic support.

    A topic can be known by its subscriptions before its publishers are discovered: without waiting
    for them, latched messages are lost.
    """
    wait_until(node, lambda: node.count_publishers(topic) > 0)
    offers = [info.qos_profile for info in node.get_publishers_info_by_topic(topic)]
    qos = QoSProfile(depth=5, reliability=ReliabilityPolicy.BEST_EFFORT)
    if offers and all(offer.reliability == ReliabilityPolicy.RELIABLE for offer in offers):
        qos.reliability = ReliabilityPolicy.RELIABLE
    if offers and all(offer.durability == DurabilityPolicy.TRANSIENT_LOCAL for offer in offers):
        qos.durability = DurabilityPolicy.TRANSIENT_LOCAL
    return qos


def _select(message: Any, path: list[str]) -> Any:
    for name in path:
        try:
            message = getattr(message, name)
        except AttributeError as error:
            raise RuntimeError(f"Invalid field '{'.'.join(path)}': {error}") from None
    return message
