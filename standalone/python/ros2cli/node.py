"""``ros2 node``."""

from __future__ import annotations

import argparse
import sys

from rclpy.action import (
    get_action_client_names_and_types_by_node,
    get_action_server_names_and_types_by_node,
)
from rclpy.topic_or_service_is_hidden import topic_or_service_is_hidden

from ros2cli.graph import (
    LISTING_TIME,
    add_node_arguments,
    discovered_node,
    full_node_names,
    wait_until,
)
from ros2cli.verbs import add_verb, verb_group


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the verbs."""
    group = verb_group(parser)
    info = add_verb(group, "info", "Print the topics, services and actions of a node", show_info)
    info.add_argument("node_name", help="The node with its namespace, for instance /arm/camera")
    listing = add_verb(group, "list", "Print the names of the nodes", list_nodes)
    for verb in (info, listing):
        add_node_arguments(verb)


def list_nodes(args: argparse.Namespace) -> None:
    """Print the known nodes."""
    with discovered_node(args, at_least=LISTING_TIME) as node:
        names = full_node_names(node)
    if len(set(names)) < len(names):
        print(
            "WARNING: some nodes have the same name, so information about them can be mixed up.",
            file=sys.stderr,
        )
    for name in names:
        print(name)


def show_info(args: argparse.Namespace) -> str | None:
    """Print a node's topics, services and actions."""
    with discovered_node(args, at_least=LISTING_TIME) as node:
        count = wait_until(node, lambda: full_node_names(node).count(args.node_name))
        if count == 0:
            return f"There is no node '{args.node_name}'"
        namespace, _, name = args.node_name.rpartition("/")
        namespace = namespace or "/"
        sections = {
            "Subscribers": node.get_subscriber_names_and_types_by_node(name, namespace),
            "Publishers": node.get_publisher_names_and_types_by_node(name, namespace),
            "Service Servers": node.get_service_names_and_types_by_node(name, namespace),
            "Service Clients": node.get_client_names_and_types_by_node(name, namespace),
            "Action Servers": get_action_server_names_and_types_by_node(node, name, namespace),
            "Action Clients": get_action_client_names_and_types_by_node(node, name, namespace),
        }
    if count > 1:
        print(f"{count} nodes have the name '{args.node_name}'.", file=sys.stderr)
    print(args.node_name)
    for title, entries in sections.items():
        lines = [
            f"    {entry}: {', '.join(types)}"
            for entry, types in entries
            if not topic_or_service_is_hidden(entry)
        ]
        print(f"  {title}:")
        print("\n".join(lines))
    return None
