"""``ros2 topic echo``."""

from __future__ import annotations

import argparse
from typing import Any

import rclpy
from rclpy.event_handler import SubscriptionEventCallbacks
from rclpy.task import Future

from ros2cli.graph import add_node_arguments, discovered_node
from ros2cli.interface_types import interface_class
from ros2cli.messages import Form, to_yaml
from ros2cli.qos import add_qos_arguments, matching_qos
from ros2cli.topics import topic_class, warn_unpublished
from ros2cli.verbs import nonnegative_int, positive_float

DEFAULT_TRUNCATE_LENGTH = 128


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of the verb."""
    parser.add_argument("topic_name", help="The topic, for instance /chatter")
    parser.add_argument("message_type", nargs="?", help="Its type (default: ask the publishers)")
    add_qos_arguments(parser, "subscribe", "sensor_data")
    parser.add_argument("--field", help="Print this field only, for instance header.stamp")
    parser.add_argument("-f", "--full-length", action="store_true", help="Shorten nothing")
    parser.add_argument(
        "-l",
        "--truncate-length",
        type=nonnegative_int,
        default=DEFAULT_TRUNCATE_LENGTH,
        help="How many elements or characters are printed (default: %(default)s)",
    )
    parser.add_argument("--no-arr", action="store_true", help="Print the length of arrays instead")
    parser.add_argument(
        "--no-str", action="store_true", help="Print the length of strings instead"
    )
    parser.add_argument(
        "--flow-style", action="store_true", help="Print arrays and messages in one line"
    )
    parser.add_argument(
        "--no-lost-messages", action="store_true", help="Be silent about lost messages"
    )
    parser.add_argument("--once", action="store_true", help="End after one message")
    parser.add_argument("--timeout", metavar="N", type=positive_float, help="End after N seconds")
    add_node_arguments(parser)


def run(args: argparse.Namespace) -> None:
    """Print the messages of a topic until interrupted."""
    path = [part for part in (args.field or "").split(".") if part]
    if args.field is not None and not path:
        raise RuntimeError(f"'{args.field}' names no field")
    form = Form(
        None if args.full_length else args.truncate_length,
        args.no_arr,
        args.no_str,
        args.flow_style,
    )
    done: Future = Future()

    def show(message: Any) -> None:
        if done.done():
            return
        if args.once:
            done.set_result(True)
        _print(_select(message, path), form)

    with discovered_node(args) as node:
        message_class = (
            interface_class(args.message_type, "msg")
            if args.message_type
            else topic_class(node, args.topic_name)
        )
        if message_class is None:
            warn_unpublished(args.topic_name)
            raise RuntimeError(
                f"Nobody says what type '{args.topic_name}' has: give the message type"
            )
        events = SubscriptionEventCallbacks(
            message_lost=None if args.no_lost_messages else _report_lost
        )
        qos = matching_qos(node, args.topic_name, args)
        node.create_subscription(message_class, args.topic_name, show, qos, event_callbacks=events)
        # Only to wait for the first message, or for the time to be over.
        rclpy.spin_until_future_complete(node, done, timeout_sec=args.timeout)


def _select(message: Any, path: list[str]) -> Any:
    for name in path:
        try:
            message = getattr(message, name)
        except AttributeError as error:
            raise RuntimeError(f"Invalid field '{'.'.join(path)}': {error}") from None
    return message


def _print(value: Any, form: Form) -> None:
    if hasattr(value, "SLOT_TYPES"):
        print(to_yaml(value, form), end="---\n")
    else:
        print(value, end="\n---\n")


def _report_lost(status: Any) -> None:
    print(
        f"Messages were lost.\n\ttotal count change:{status.total_count_change}"
        f"\n\ttotal count: {status.total_count}",
        end="---\n",
    )
