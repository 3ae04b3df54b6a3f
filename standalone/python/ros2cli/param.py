"""``ros2 param``."""

import argparse
import sys
from typing import Any

from rcl_interfaces.msg import Parameter, ParameterDescriptor
from rclpy.node import Node
from rclpy.parameter import get_parameter_value, parameter_value_to_python
from rclpy.parameter_client import AsyncParameterClient

from ros2cli import graph
from ros2cli.verbs import SPIN_TIME, Verb, argument

SERVICE_TIMEOUT = 5.0

# Names of the types in the order of ParameterType.
TYPES = ["not set", "boolean", "integer", "double", "string"]
TYPES += ["byte array", "boolean array", "integer array", "double array", "string array"]


def get_one(args: argparse.Namespace) -> str | None:
    """Print the value of a parameter."""
    with graph.hidden_node(args.spin_time) as node:
        client = _client(node, args)
        values = graph.result_of(
            node, client.get_parameters([args.parameter_name]), "asking"
        ).values
    if not values or not values[0].type:
        return "Parameter not set"
    name, is_array, _ = TYPES[values[0].type].capitalize().partition(" array")
    value: Any = parameter_value_to_python(values[0])
    if hasattr(value, "tolist"):
        value = value.tolist()
    print(f"{name} values are:" if is_array else f"{name} value is:", value)
    return None


def set_one(args: argparse.Namespace) -> None:
    """Set a parameter to a value given as YAML."""
    value = get_parameter_value(string_value=args.value)
    parameter = Parameter(name=args.parameter_name, value=value)
    with graph.hidden_node(args.spin_time) as node:
        client = _client(node, args)
        (result,) = graph.result_of(node, client.set_parameters([parameter]), "setting").results
    reason = f": {result.reason}" if result.reason else ""
    if result.successful:
        print(f"Set parameter successful{reason}")
    else:
        print(f"Setting parameter failed{reason}", file=sys.stderr)


def list_all(args: argparse.Namespace) -> None:
    """Print the parameters of one node, or of all."""
    with graph.hidden_node(args.spin_time if args.node_name else graph.LISTING_TIME) as node:
        for owner in [_known(node, args)] if args.node_name else graph.node_names(node):
            client = AsyncParameterClient(node, owner)
            if not client.wait_for_services(timeout_sec=SERVICE_TIMEOUT):
                print(f"The parameter services of node {owner} do not answer")
                continue
            graph.meet_server(node, f"{owner}/list_parameters")
            names = sorted(graph.result_of(node, client.list_parameters(), "listing").result.names)
            if names and not args.node_name:
                print(f"{owner}:")
            for name in names:
                print(f"  {name}")


def describe_all(args: argparse.Namespace) -> None:
    """Print type, description and constraints of parameters."""
    with graph.hidden_node(args.spin_time) as node:
        described = _client(node, args).describe_parameters(args.parameter_names)
        for descriptor in graph.result_of(node, described, "describing").descriptors:
            _print_descriptor(descriptor)


def _known(node: Node, args: argparse.Namespace) -> str:
    """Return the full name of a node, once it is discovered."""
    name = f"/{args.node_name.removeprefix('/')}"
    if not graph.wait_until(node, lambda: name in graph.node_names(node)):
        raise RuntimeError("Node not found")
    return name


def _client(node: Node, args: argparse.Namespace) -> AsyncParameterClient:
    name = _known(node, args)
    client = AsyncParameterClient(node, name)
    if not client.wait_for_services(timeout_sec=SERVICE_TIMEOUT):
        raise RuntimeError(f"The parameter services of node {name} do not answer")
    graph.meet_server(node, f"{name}/list_parameters")
    return client


def _print_descriptor(descriptor: ParameterDescriptor) -> None:
    print("Parameter name:", descriptor.name)
    print("  Type:", TYPES[descriptor.type])
    if descriptor.description:
        print("  Description:", descriptor.description)
    print("  Constraints:")
    if descriptor.read_only:
        print("    Read only: true")
    for limits in [*descriptor.floating_point_range, *descriptor.integer_range][:1]:
        print("    Min value:", limits.from_value)
        print("    Max value:", limits.to_value)
        if limits.step:
            print("    Step:", limits.step)
    if descriptor.additional_constraints:
        print("    Additional constraints:", descriptor.additional_constraints)


NODE = argument("node_name", help="The node with its namespace")
ANY_NODE = argument("node_name", nargs="?", help="The node with its namespace")
NAME = argument("parameter_name", help="The parameter")
NAMES = argument("parameter_names", nargs="+", help="The parameters")
VALUE = argument("value", help="Its new value as YAML")
VERBS: dict[str, Verb] = {
    "describe": (
        describe_all,
        "Print the type and the limits of parameters",
        [NODE, NAMES, SPIN_TIME],
    ),
    "get": (get_one, "Print the value of a parameter", [NODE, NAME, SPIN_TIME]),
    "list": (list_all, "Print the names of the parameters", [ANY_NODE, SPIN_TIME]),
    "set": (set_one, "Change the value of a parameter", [NODE, NAME, VALUE, SPIN_TIME]),
}
