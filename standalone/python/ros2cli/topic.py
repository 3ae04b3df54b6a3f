"""``ros2 topic``."""

from __future__ import annotations

import argparse

from ros2cli import topic_echo, topic_hz, topic_pub
from ros2cli.graph import LISTING_TIME, add_node_arguments, discovered_node
from ros2cli.topics import topic_names_and_types, types_of
from ros2cli.verbs import add_show_types, add_verb, print_names, verb_group


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the verbs."""
    group = verb_group(parser)
    topic_echo.add_arguments(
        add_verb(group, "echo", "Print the messages of a topic", topic_echo.run)
    )
    topic_hz.add_arguments(add_verb(group, "hz", "Print the rate of messages", topic_hz.run))
    info = add_verb(group, "info", "Print the publishers and subscriptions", show_info)
    info.add_argument("topic_name", help="The topic, for instance /chatter")
    info.add_argument(
        "-v", "--verbose", action="store_true", help="Print the endpoints with their QoS"
    )
    add_node_arguments(info)
    listing = add_verb(group, "list", "Print the names of the topics", list_topics)
    add_show_types(listing, "topic")
    add_node_arguments(listing)
    topic_pub.add_arguments(add_verb(group, "pub", "Send messages to a topic", topic_pub.run))
    type_verb = add_verb(group, "type", "Print the type of a topic", show_type)
    type_verb.add_argument("topic_name", help="The topic, for instance /chatter")
    add_node_arguments(type_verb)


def list_topics(args: argparse.Namespace) -> None:
    """Print the known topics."""
    with discovered_node(args, at_least=LISTING_TIME) as node:
        print_names(topic_names_and_types(node), args)


def show_type(args: argparse.Namespace) -> int:
    """Print the type of a topic; exit code 1 if it is unknown."""
    with discovered_node(args) as node:
        types = types_of(node, args.topic_name)
    if types is None:
        return 1
    print("\n".join(types))
    return 0


def show_info(args: argparse.Namespace) -> str | None:
    """Print a topic's type and endpoints."""
    with discovered_node(args, at_least=LISTING_TIME) as node:
        types = types_of(node, args.topic_name)
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
