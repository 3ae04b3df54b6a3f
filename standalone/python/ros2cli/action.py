"""``ros2 action``."""

from __future__ import annotations

import argparse
from typing import Any

import rclpy
from action_msgs.msg import GoalStatus
from rclpy.action import ActionClient, get_action_names_and_types
from rclpy.node import Node

from ros2cli.graph import (
    HIDDEN_PREFIX,
    LISTING_TIME,
    meet_server,
    plain_node,
    result_of,
    spin_for,
)
from ros2cli.interface_types import interface_class
from ros2cli.messages import fill, to_yaml
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
    listing = add_verb(group, "list", "Print the names of the actions", list_actions)
    add_show_types(listing, "action")
    goal = add_verb(group, "send_goal", "Send a goal and print its result", send_goal)
    goal.add_argument("action_name", help="The action, for instance /fibonacci")
    goal.add_argument(
        "action_type", help="Its type, for instance example_interfaces/action/Fibonacci"
    )
    goal.add_argument("goal", nargs="?", default="{}", help="The fields of the goal as YAML")
    goal.add_argument("-f", "--feedback", action="store_true", help="Print the feedback")


def list_actions(args: argparse.Namespace) -> None:
    """Print the known actions."""
    with plain_node() as node:
        spin_for(node, LISTING_TIME)  # ros2 action has no --spin-time
        print_names(get_action_names_and_types(node), args)


def send_goal(args: argparse.Namespace) -> None:
    """Send a goal, wait for its result, and cancel it when interrupted."""
    action = interface_class(args.action_type, "action")
    goal = action.Goal()
    fill(goal, args.goal)
    name = f"{HIDDEN_PREFIX}_send_goal_{args.action_type.replace('/', '_')}"
    with plain_node(name) as node:
        client: Any = ActionClient(node, action, args.action_name)
        try:
            _run_goal(
                node, client, args.action_name, goal, _print_feedback if args.feedback else None
            )
        finally:
            client.destroy()


def _run_goal(
    node: Node, client: ActionClient, action_name: str, goal: Any, on_feedback: Any
) -> None:
    print("Waiting for an action server to become available...")
    client.wait_for_server()
    meet_server(node, f"{action_name}/_action/send_goal")
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
