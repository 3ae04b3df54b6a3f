"""``ros2 node``."""

import argparse
import sys

from rclpy.action import (
    get_action_client_names_and_types_by_node,
    get_action_server_names_and_types_by_node,
)

from ros2cli.graph import LISTING_TIME, hidden_node, node_names, wait_until, without_hidden
from ros2cli.verbs import SPIN_TIME, Verb, argument


def list_nodes(args: argparse.Namespace) -> None:
    """Print the known nodes."""
    with hidden_node(max(LISTING_TIME, args.spin_time)) as node:
        names = node_names(node)
    if len(set(names)) < len(names):
        print(
            "WARNING: some nodes have the same name, so information about them can be mixed up.",
            file=sys.stderr,
        )
    for name in names:
        print(name)


def show_info(args: argparse.Namespace) -> str | None:
    """Print a node's topics, services and actions."""
    with hidden_node(max(LISTING_TIME, args.spin_time)) as node:
        count = wait_until(node, lambda: node_names(node).count(args.node_name))
        if count == 0:
            return f"There is no node '{args.node_name}'"
        namespace, _, name = args.node_name.rpartition("/")
        at = name, namespace or "/"
        sections = {
            "Subscribers": node.get_subscriber_names_and_types_by_node(*at),
            "Publishers": node.get_publisher_names_and_types_by_node(*at),
            "Service Servers": node.get_service_names_and_types_by_node(*at),
            "Service Clients": node.get_client_names_and_types_by_node(*at),
            "Action Servers": get_action_server_names_and_types_by_node(node, *at),
            "Action Clients": get_action_client_names_and_types_by_node(node, *at),
        }
    if count > 1:
        print(f"{count} nodes have the name '{args.node_name}'.", file=sys.stderr)
    print(args.node_name)
    for title, entries in sections.items():
        print(f"  {title}:")
        for entry, types in without_hidden(entries):
            print(f"    {entry}: {', '.join(types)}")
    return None


VERBS: dict[str, Verb] = {
    "info": (
        show_info,
        "Print the topics, services and actions of a node",
        [argument("node_name", help="The node with its namespace: /arm/camera"), SPIN_TIME],
    ),
    "list": (list_nodes, "Print the names of the nodes", [SPIN_TIME]),
}
