"""``ros2 param``."""

from __future__ import annotations

import argparse
import sys
from typing import Any

from rcl_interfaces.msg import Parameter, ParameterDescriptor, ParameterType
from rclpy.node import Node
from rclpy.parameter import get_parameter_value, parameter_value_to_python
from rclpy.parameter_client import AsyncParameterClient

from ros2cli.graph import (
    LISTING_TIME,
    absolute_name,
    add_node_arguments,
    discovered_node,
    full_node_names,
    meet_server,
    result_of,
    wait_until,
)
from ros2cli.verbs import add_verb, verb_group

SERVICE_TIMEOUT = 5.0

# The type's name, and the words before a value of it.
TYPES = {
    ParameterType.PARAMETER_NOT_SET: ("not set", "Parameter not set."),
    ParameterType.PARAMETER_BOOL: ("boolean", "Boolean value is:"),
    ParameterType.PARAMETER_INTEGER: ("integer", "Integer value is:"),
    ParameterType.PARAMETER_DOUBLE: ("double", "Double value is:"),
    ParameterType.PARAMETER_STRING: ("string", "String value is:"),
    ParameterType.PARAMETER_BYTE_ARRAY: ("byte array", "Byte values are:"),
    ParameterType.PARAMETER_BOOL_ARRAY: ("boolean array", "Boolean values are:"),
    ParameterType.PARAMETER_INTEGER_ARRAY: ("integer array", "Integer values are:"),
    ParameterType.PARAMETER_DOUBLE_ARRAY: ("double array", "Double values are:"),
    ParameterType.PARAMETER_STRING_ARRAY: ("string array", "String values are:"),
}


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the verbs."""
    group = verb_group(parser)
    describe = add_verb(
        group, "describe", "Print the type and the limits of parameters", describe_all
    )
    get = add_verb(group, "get", "Print the value of a parameter", get_one)
    listing = add_verb(group, "list", "Print the names of the parameters", list_all)
    set_verb = add_verb(group, "set", "Change the value of a parameter", set_one)
    for verb in (describe, get, listing, set_verb):
        verb.add_argument(
            "node_name", nargs="?" if verb is listing else None, help="The node with its namespace"
        )
        add_node_arguments(verb)
    describe.add_argument("parameter_names", nargs="+", help="The parameters")
    get.add_argument("parameter_name", help="The parameter")
    set_verb.add_argument("parameter_name", help="The parameter")
    set_verb.add_argument("value", help="Its new value as YAML")


def get_one(args: argparse.Namespace) -> str | None:
    """Print the value of a parameter."""
    with discovered_node(args) as node:
        client = _client(node, args)
        values = result_of(node, client.get_parameters([args.parameter_name]), "asking").values
    if not values:
        return "Parameter not set"
    label = TYPES[values[0].type][1]
    value = _python(values[0])
    if value is None:
        print(label)
    else:
        print(label, value)
    return None


def set_one(args: argparse.Namespace) -> None:
    """Set a parameter to a value given as YAML."""
    parameter = Parameter(
        name=args.parameter_name, value=get_parameter_value(string_value=args.value)
    )
    with discovered_node(args) as node:
        client = _client(node, args)
        (result,) = result_of(node, client.set_parameters([parameter]), "setting").results
    reason = f": {result.reason}" if result.reason else ""
    if result.successful:
        print(f"Set parameter successful{reason}")
    else:
        print(f"Setting parameter failed{reason}", file=sys.stderr)


def list_all(args: argparse.Namespace) -> None:
    """Print the parameters of one node, or of all."""
    with discovered_node(args, at_least=0.0 if args.node_name else LISTING_TIME) as node:
        if args.node_name:
            _wait_for_node(node, args)
            owners = [absolute_name(args.node_name)]
        else:
            owners = full_node_names(node)
        for owner in owners:
            client = AsyncParameterClient(node, owner)
            if not client.wait_for_services(timeout_sec=SERVICE_TIMEOUT):
                print(f"The parameter services of node {owner} do not answer")
                continue
            meet_server(node, f"{owner}/list_parameters")
            names = sorted(result_of(node, client.list_parameters(), "listing").result.names)
            if names and not args.node_name:
                print(f"{owner}:")
            for name in names:
                print(f"  {name}")


def describe_all(args: argparse.Namespace) -> None:
    """Print type, description and constraints of parameters."""
    with discovered_node(args) as node:
        described = _client(node, args).describe_parameters(args.parameter_names)
        for descriptor in result_of(node, described, "describing").descriptors:
            _print_descriptor(descriptor)


def _wait_for_node(node: Node, args: argparse.Namespace) -> None:
    name = absolute_name(args.node_name)
    if not wait_until(node, lambda: name in full_node_names(node)):
        raise RuntimeError("Node not found")


def _client(node: Node, args: argparse.Namespace) -> AsyncParameterClient:
    _wait_for_node(node, args)
    client = AsyncParameterClient(node, args.node_name)
    if not client.wait_for_services(timeout_sec=SERVICE_TIMEOUT):
        raise RuntimeError(f"The parameter services of node {args.node_name} do not answer")
    meet_server(node, f"{absolute_name(args.node_name)}/list_parameters")
    return client


def _python(value: Any) -> Any:
    plain: Any = parameter_value_to_python(value)
    return plain.tolist() if hasattr(plain, "tolist") else plain


def _print_descriptor(descriptor: ParameterDescriptor) -> None:
    print("Parameter name:", descriptor.name)
    print("  Type:", TYPES[descriptor.type][0])
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
