"""``ros2 topic``."""

import argparse
import itertools
import statistics
import time
from collections import deque
from collections.abc import Sequence
from typing import Any

import rclpy
from rclpy.exceptions import InvalidTopicNameException
from rclpy.expand_topic_name import expand_topic_name
from rclpy.node import Node
from rclpy.qos import DurabilityPolicy, QoSProfile, ReliabilityPolicy, qos_profile_sensor_data
from rclpy.task import Future
from rclpy.validate_full_topic_name import validate_full_topic_name

from ros2cli import graph
from ros2cli.messages import fill, interface_class, to_yaml
from ros2cli.verbs import SHOW_TYPES, SPIN_TIME, Verb, argument, print_names

TRUNCATE_LENGTH = 128
WINDOW_SIZE = 10000  # messages of hz
PRINT_PERIOD = 1.0  # s, of hz
LINGER = 0.1  # s, for the transmission of the last message of pub


def list_topics(args: argparse.Namespace) -> None:
    """Print the known topics."""
    with graph.hidden_node(max(graph.LISTING_TIME, args.spin_time)) as node:
        print_names(graph.without_hidden(node.get_topic_names_and_types()), args.show_types)


def show_type(args: argparse.Namespace) -> int:
    """Print the type of a topic; the exit code is 1 if it is unknown."""
    with graph.hidden_node(args.spin_time) as node:
        return graph.print_types(_types_of(node, args.topic_name))


def show_info(args: argparse.Namespace) -> str | None:
    """Print a topic's type and endpoints."""
    with graph.hidden_node(max(graph.LISTING_TIME, args.spin_time)) as node:
        types = _types_of(node, args.topic_name)
        if types is None:
            return f"Unknown topic '{args.topic_name}'"
        publishers = node.get_publishers_info_by_topic(args.topic_name)
        subscriptions = node.get_subscriptions_info_by_topic(args.topic_name)
    end = "\n\n" if args.verbose else "\n"
    print(f"Type: {types[0] if len(types) == 1 else types}", end=end)
    for title, endpoints in (("Publisher", publishers), ("Subscription", subscriptions)):
        print(f"{title} count: {len(endpoints)}", end=end)
        for endpoint in endpoints if args.verbose else []:
            print(endpoint, end=end)
    return None


def echo(args: argparse.Namespace) -> None:
    """Print the messages of a topic until interrupted."""
    limit = None if args.full_length else TRUNCATE_LENGTH
    done: Future = Future()

    def show(message: Any) -> None:
        if done.done():
            return
        if args.once:
            done.set_result(True)
        value = _select(message, args.field)
        is_message = hasattr(value, "SLOT_TYPES")
        print(to_yaml(value, limit) if is_message else f"{value}\n", end="---\n")

    with graph.hidden_node(args.spin_time) as node:
        topic = args.topic_name
        message_class = (
            interface_class(args.message_type, "msg")
            if args.message_type
            else _class_of(node, topic)
        )
        if message_class is None:
            raise RuntimeError(f"The type of '{topic}' is unknown: give the message type")
        node.create_subscription(message_class, topic, show, _matching_qos(node, topic))
        rclpy.spin_until_future_complete(node, done)


def _matching_qos(node: Node, topic: str) -> QoSProfile:
    """Return the strictest QoS that all publishers of the topic support.

    Subscriptions can be discovered before publishers: without waiting for the publishers, latched
    messages are lost.
    """
    graph.wait_until(node, lambda: node.count_publishers(topic) > 0)
    offers = [info.qos_profile for info in node.get_publishers_info_by_topic(topic)]
    qos = QoSProfile(depth=5, reliability=ReliabilityPolicy.BEST_EFFORT)
    if offers and all(offer.reliability == ReliabilityPolicy.RELIABLE for offer in offers):
        qos.reliability = ReliabilityPolicy.RELIABLE
    if offers and all(offer.durability == DurabilityPolicy.TRANSIENT_LOCAL for offer in offers):
        qos.durability = DurabilityPolicy.TRANSIENT_LOCAL
    return qos


def _select(message: Any, field: str | None) -> Any:
    for name in field.split(".") if field else []:
        try:
            message = getattr(message, name)
        except AttributeError as error:
            raise RuntimeError(f"Invalid field '{field}': {error}") from None
    return message


def measure_rate(args: argparse.Namespace) -> None:
    """Print the rate of a topic once a second until interrupted."""
    arrivals: deque[float] = deque(maxlen=WINDOW_SIZE)
    with graph.hidden_node(args.spin_time) as node:
        message_class = _class_of(node, args.topic_name)
        while message_class is None:
            message_class = _class_of(node, args.topic_name)
        node.create_subscription(
            message_class,
            args.topic_name,
            lambda message: arrivals.append(time.monotonic()),
            qos_profile_sensor_data,
            raw=True,  # only arrival times matter
        )
        last_printed = 0.0
        while True:
            graph.spin_for(node, PRINT_PERIOD)
            if len(arrivals) > 1 and arrivals[-1] != last_printed:
                last_printed = arrivals[-1]
                print(_statistics(arrivals))


def _statistics(arrivals: Sequence[float]) -> str:
    spacings = [after - before for before, after in itertools.pairwise(arrivals)]
    mean = statistics.fmean(spacings)
    return (
        f"average rate: {1.0 / mean if mean > 0.0 else 0.0:.3f}\n"
        f"\tmin: {min(spacings):.3f}s max: {max(spacings):.3f}s "
        f"std dev: {statistics.pstdev(spacings):.5f}s window: {len(spacings)}"
    )


def publish(args: argparse.Namespace) -> None:
    """Publish a message once, or until interrupted."""
    message = fill(interface_class(args.message_type, "msg")(), args.values)
    with graph.hidden_node(args.spin_time) as node:
        publisher = node.create_publisher(type(message), args.topic_name, 10)
        while args.once and publisher.get_subscription_count() == 0:
            print("Waiting for at least 1 matching subscription(s)...")
            graph.wait_until(node, lambda: publisher.get_subscription_count() > 0, timeout=1.0)
        print("publisher: beginning loop")
        due = time.monotonic()
        for count in itertools.count(1):
            print(f"publishing #{count}: {message!r}\n")
            publisher.publish(message)
            if args.once:
                break
            due += 1.0 / args.rate
            graph.spin_for(node, due - time.monotonic())
        time.sleep(LINGER)


def _types_of(node: Node, topic: str) -> list[str] | None:
    """Return the types of a topic, or None if the topic is unknown."""
    types = graph.wait_until(node, lambda: dict(node.get_topic_names_and_types()).get(topic))
    return None if types is None else list(types)


def _class_of(node: Node, topic: str) -> Any:
    """Return the message class of a topic, or None if the topic is unknown."""
    try:
        name = expand_topic_name(topic, node.get_name(), node.get_namespace())
        validate_full_topic_name(name)
    except (ValueError, InvalidTopicNameException) as error:
        raise RuntimeError(str(error)) from None
    types = _types_of(node, name)
    if not types:
        print(f"WARNING: topic [{topic}] does not appear to be published yet")
        return None
    if len(types) > 1:
        raise RuntimeError(
            f"The publishers of '{topic}' disagree on its type: [{', '.join(types)}]"
        )
    return interface_class(types[0], "msg")


def positive_float(text: str) -> float:
    """Parse a number above zero."""
    value = float(text)
    if not value > 0.0:
        raise argparse.ArgumentTypeError(f"{text} is not above zero")
    return value


TOPIC = argument("topic_name", help="The topic, such as /chatter")
VERBS: dict[str, Verb] = {
    "echo": (
        echo,
        "Print the messages of a topic",
        [
            TOPIC,
            argument("message_type", nargs="?", help="Its type (default: the publishers' type)"),
            argument("--field", help="Print this field only, such as header.stamp"),
            argument("-f", "--full-length", action="store_true", help="Shorten nothing"),
            argument("--once", action="store_true", help="Exit after one message"),
            SPIN_TIME,
        ],
    ),
    "hz": (measure_rate, "Print the rate of messages", [TOPIC, SPIN_TIME]),
    "info": (
        show_info,
        "Print the publishers and subscriptions",
        [
            TOPIC,
            argument("-v", "--verbose", action="store_true", help="Print each with its QoS"),
            SPIN_TIME,
        ],
    ),
    "list": (list_topics, "Print the names of the topics", [SHOW_TYPES, SPIN_TIME]),
    "pub": (
        publish,
        "Send messages to a topic",
        [
            TOPIC,
            argument("message_type", help="Its type, such as std_msgs/msg/String"),
            argument("values", nargs="?", default="{}", help="The message as YAML: {data: hello}"),
            argument(
                *("-r", "--rate"), metavar="N", type=positive_float, default=1.0, help="Rate in Hz"
            ),
            argument("-1", "--once", action="store_true", help="Publish one message and exit"),
            SPIN_TIME,
        ],
    ),
    "type": (show_type, "Print the type of a topic", [TOPIC, SPIN_TIME]),
}
