"""``ros2 action``."""

import argparse
from typing import Any

import rclpy
from action_msgs.msg import GoalStatus
from rclpy.action import ActionClient, get_action_names_and_types
from rclpy.node import Node

from ros2cli.graph import HIDDEN_PREFIX, LISTING_TIME, hidden_node, meet_server, result_of
from ros2cli.messages import fill, interface_class, to_yaml
from ros2cli.verbs import SHOW_TYPES, Verb, argument, print_names

STATUSES = ("ACCEPTED", "EXECUTING", "CANCELING", "SUCCEEDED", "CANCELED", "ABORTED")
STATUS_NAMES = {getattr(GoalStatus, f"STATUS_{name}"): name for name in STATUSES}


def list_actions(args: argparse.Namespace) -> None:
    """Print the known actions."""
    with hidden_node(LISTING_TIME) as node:  # ros2 action has no --spin-time
        print_names(get_action_names_and_types(node), args.show_types)


def send_goal(args: argparse.Namespace) -> None:
    """Send a goal, wait for its result, and cancel it when interrupted."""
    action = interface_class(args.action_type, "action")
    goal = fill(action.Goal(), args.goal)
    name = f"{HIDDEN_PREFIX}_send_goal_{args.action_type.replace('/', '_')}"
    with hidden_node(name=name) as node:
        client: Any = ActionClient(node, action, args.action_name)
        try:
            print("Waiting for an action server to become available...")
            client.wait_for_server()
            meet_server(node, f"{args.action_name}/_action/send_goal")
            _run_goal(node, client, goal, _print_feedback if args.feedback else None)
        finally:
            client.destroy()


def _run_goal(node: Node, client: Any, goal: Any, on_feedback: Any) -> None:
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


VERBS: dict[str, Verb] = {
    "list": (list_actions, "Print the names of the actions", [SHOW_TYPES]),
    "send_goal": (
        send_goal,
        "Send a goal and print its result",
        [
            argument("action_name", help="The action, such as /fibonacci"),
            argument("action_type", help="Its type: example_interfaces/action/Fibonacci"),
            argument("goal", nargs="?", default="{}", help="The fields of the goal as YAML"),
            argument("-f", "--feedback", action="store_true", help="Print the feedback"),
        ],
    ),
}
