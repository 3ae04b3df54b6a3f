"""``ros2 service``."""

from __future__ import annotations

import argparse
from typing import Any

from rclpy.node import Node
from rclpy.topic_or_service_is_hidden import topic_or_service_is_hidden

from ros2cli.graph import (
    HIDDEN_PREFIX,
    LISTING_TIME,
    add_node_arguments,
    discovered_node,
    meet_server,
    plain_node,
    result_of,
    wait_until,
)
from ros2cli.interface_types import interface_class
from ros2cli.messages import fill
from ros2cli.verbs import add_show_types, add_verb, print_names, verb_group


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the verbs."""
    group = verb_group(parser)
    call = add_verb(group, "call", "Call a service and print its response", call_service)
    call.add_argument("service_name", help="The service, for instance /add_two_ints")
    call.add_argument("service_type", help="Its type, for instance std_srvs/srv/SetBool")
    call.add_argument(
        "values",
        nargs="?",
        default="{}",
        help="The fields of the request as YAML, for instance '{data: true}'",
    )
    listing = add_verb(group, "list", "Print the names of the services", list_services)
    add_show_types(listing, "service")
    type_verb = add_verb(group, "type", "Print the type of a service", show_type)
    type_verb.add_argument("service_name", help="The service")
    for verb in (listing, type_verb):
        add_node_arguments(verb)


def list_services(args: argparse.Namespace) -> None:
    """Print the known services."""
    with discovered_node(args, at_least=LISTING_TIME) as node:
        print_names(_services(node), args)


def show_type(args: argparse.Namespace) -> int:
    """Print the type of a service; exit code 1 if it is unknown."""
    with discovered_node(args) as node:
        types = wait_until(node, lambda: dict(_services(node)).get(args.service_name))
    if types is None:
        return 1
    print("\n".join(types))
    return 0


def call_service(args: argparse.Namespace) -> None:
    """Call a service and print request and response."""
    service = interface_class(args.service_type, "srv")
    request = service.Request()
    fill(request, args.values)
    name = f"{HIDDEN_PREFIX}_requester_{args.service_type.split('/')[0]}_{service.__name__}"
    with plain_node(name) as node:
        client: Any = node.create_client(service, args.service_name)
        if not client.service_is_ready():
            print("waiting for service to become available...")
            client.wait_for_service()
        meet_server(node, args.service_name)
        print(f"requester: making request: {request!r}\n")
        response = result_of(node, client.call_async(request), "calling service")
        print(f"response:\n{response!r}\n")


def _services(node: Node) -> list[tuple[str, list[str]]]:
    return [
        (name, types)
        for name, types in node.get_service_names_and_types()
        if not topic_or_service_is_hidden(name)
    ]
