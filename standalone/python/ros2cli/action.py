"""``ros2 action``."""

from __future__ import annotations

import argparse
import sys
from typing import Any

import rclpy
from action_msgs.msg import GoalStatus
from rclpy.action import (
    ActionClient,
    get_action_client_names_and_types_by_node,
    get_action_names_and_types,
    get_action_server_names_and_types_by_node,
)
from rclpy.exceptions import InvalidTopicNameException
from rclpy.expand_topic_name import expand_topic_name
from rclpy.node import Node
from rclpy.validate_full_topic_name import validate_full_topic_name

from ros2cli.graph import (
    HIDDEN_PREFIX,
    PATIENCE,
    add_node_arguments,
    discovered_node,
    plain_node,
    result_of,
)
from ros2cli.interface_types import interface_class
from ros2cli.messages import fill, to_yaml, values_from
from ros2cli.verbs import add_show_types, add_verb, print_names, verb_group

STATUS_NAMES = {
    GoalStatus.STATUS_ACCEPTED: "ACCEPTED",
    GoalStatus.STATUS_EXECUTING: "EXECUTING",
    GoalStatus.STATUS_CANCELING: "CANCELING",
    GoalStatus.STATUS_SUCCEEDED: "SUCCEEDED",
    GoalStatus.STATUS_CANCELED: "CANCELED",
    GoalStatus.STATUS_ABORTED: "ABORTED",
}


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the verbs."""
    group = verb_group(parser)
    info = add_verb(group, "info", "Print who offers and who uses an action", show_info)
    info.add_argument("action_name", help="The action, for instance /fibonacci")
    info.add_argument("-t", "--show-types", action="store_true", help="Print the types, too")
    info.add_argument(
        "-c",
        "--count",
        action="store_true",
        help="Print how many clients and servers there are instead",
    )
    listing = add_verb(group, "list", "Print the names of the actions", list_actions)
    add_show_types(listing, "action")
    for verb in (info, listing):
        add_node_arguments(verb)
    goal = add_verb(group, "send_goal", "Send a goal and print its result", send_goal)
    goal.add_argument("action_name", help="The action, for instance /fibonacci")
    goal.add_argument(
        "action_type", help="Its type, for instance example_interfaces/action/Fibonacci"
    )
    source = goal.add_mutually_exclusive_group()
    source.add_argument("goal", nargs="?", default="{}", help="The fields of the goal as YAML")
    source.add_argument("--stdin", action="store_true", help="Take the goal from stdin")
    goal.add_argument(
        "-f", "--feedback", action="store_true", help="Print the feedback as it comes"
    )


def list_actions(args: argparse.Namespace) -> None:
    """Print the known actions."""
    with discovered_node(args, patience=PATIENCE) as node:
        print_names(get_action_names_and_types(node), args)


def show_info(args: argparse.Namespace) -> None:
    """Print the clients and servers of an action."""
    with discovered_node(args, patience=PATIENCE) as node:
        try:
            name = expand_topic_name(args.action_name, node.get_name(), node.get_namespace())
            validate_full_topic_name(name)
        except (ValueError, InvalidTopicNameException) as error:
            raise RuntimeError(str(error)) from None
        clients = _nodes_with(node, name, get_action_client_names_and_types_by_node)
        servers = _nodes_with(node, name, get_action_server_names_and_types_by_node)
    print(f"Action: {args.action_name}")
    for title, nodes in (("clients", clients), ("servers", servers)):
        print(f"Action {title}: {len(nodes)}")
        for node_name, types in [] if args.count else nodes:
            print(
                f"    {node_name} [{', '.join(types)}]" if args.show_types else f"    {node_name}"
            )


def _nodes_with(node: Node, action: str, ask: Any) -> list[tuple[str, list[str]]]:
    found = []
    for name, namespace in node.get_node_names_and_namespaces():
        types = dict(ask(node, name, namespace)).get(action)
        if types is not None:
            found.append((f"{namespace.rstrip('/')}/{name}", types))
    return found


def send_goal(args: argparse.Namespace) -> str | None:
    """Send a goal, wait for its result, and cancel it when interrupted."""
    action = interface_class(args.action_type, "action")
    goal = action.Goal()
    try:
        fill(goal, values_from(sys.stdin.read() if args.stdin else args.goal))
    except RuntimeError:
        raise
    except Exception as error:
        return f"These values do not fit the goal: {error!r}"
    name = f"{HIDDEN_PREFIX}_send_goal_{args.action_type.replace('/', '_')}"
    with plain_node(name) as node:
        client: Any = ActionClient(node, action, args.action_name)
        try:
            _run_goal(node, client, goal, _print_feedback if args.feedback else None)
        finally:
            client.destroy()
    return None


def _run_goal(node: Node, client: ActionClient, goal: Any, on_feedback: Any) -> None:
    print("No action server yet, looking for one...")
    client.wait_for_server()
    print(f"Sending goal:\n     {to_yaml(goal)}")
    handle = result_of(node, client.send_goal_async(goal, on_feedback), "sending goal")
    if not handle.accepted:
        print("Goal was rejected.")
        return
    print(f"Goal accepted with ID: {bytes(handle.goal_id.uuid).hex()}\n")
    try:
        result = result_of(node, handle.get_result_async(), "getting result")
    except BaseException:
        _cancel(node, handle)
        raise
    print(f"Result:\n    {to_yaml(result.result)}")
    print(f"Goal finished with status: {STATUS_NAMES.get(result.status, 'UNKNOWN')}")


def _cancel(node: Node, handle: Any) -> None:
    if not rclpy.ok():
        return
    print("Canceling goal...")
    response = result_of(node, handle.cancel_goal_async(), "canceling goal")
    if [canceled.goal_id for canceled in response.goals_canceling] != [handle.goal_id]:
        raise RuntimeError("the server did not cancel the goal")
    print("Goal canceled.")


def _print_feedback(feedback: Any) -> None:
    print(f"Feedback:\n    {to_yaml(feedback.feedback)}")
