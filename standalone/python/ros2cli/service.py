"""``ros2 service``."""

import argparse
from typing import Any

from ros2cli import graph
from ros2cli.messages import fill, interface_class
from ros2cli.verbs import SHOW_TYPES, SPIN_TIME, Verb, argument, print_names


def list_services(args: argparse.Namespace) -> None:
    """Print the known services."""
    with graph.hidden_node(max(graph.LISTING_TIME, args.spin_time)) as node:
        print_names(graph.without_hidden(node.get_service_names_and_types()), args.show_types)


def show_type(args: argparse.Namespace) -> int:
    """Print the type of a service; the exit code is 1 if it is unknown."""
    with graph.hidden_node(args.spin_time) as node:
        return graph.print_types(
            graph.wait_until(
                node, lambda: dict(node.get_service_names_and_types()).get(args.service_name)
            )
        )


def call_service(args: argparse.Namespace) -> None:
    """Call a service and print request and response."""
    service = interface_class(args.service_type, "srv")
    request = fill(service.Request(), args.values)
    name = f"{graph.HIDDEN_PREFIX}_requester_{args.service_type.split('/')[0]}_{service.__name__}"
    with graph.hidden_node(name=name) as node:
        client: Any = node.create_client(service, args.service_name)
        if not client.service_is_ready():
            print("waiting for service to become available...")
            client.wait_for_service()
        graph.meet_server(node, args.service_name)
        print(f"requester: making request: {request!r}\n")
        response = graph.result_of(node, client.call_async(request), "calling service")
        print(f"response:\n{response!r}\n")


NAME = argument("service_name", help="The service, such as /add_two_ints")
VERBS: dict[str, Verb] = {
    "call": (
        call_service,
        "Call a service and print its response",
        [
            NAME,
            argument("service_type", help="Its type, such as std_srvs/srv/SetBool"),
            argument("values", nargs="?", default="{}", help="The request as YAML: {data: true}"),
        ],
    ),
    "list": (list_services, "Print the names of the services", [SHOW_TYPES, SPIN_TIME]),
    "type": (show_type, "Print the type of a service", [NAME, SPIN_TIME]),
}
