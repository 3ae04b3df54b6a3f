"""The undocumented parts of rclpy that this package uses, each with the reason.

``test/nodes/common/rclpy_private_names.json`` lists the distributions that have these names. Other
files use only documented names.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack
from typing import TYPE_CHECKING, Any

from rclpy.context import Context
from rclpy.executors import Executor, MultiThreadedExecutor
from rclpy.guard_condition import GuardCondition
from rclpy.impl.implementation_singleton import rclpy_implementation
from rclpy.node import Node

if TYPE_CHECKING:  # nodes without actions do not load them
    from rclpy.action.server import ServerGoalHandle


def replace_threads(executor: MultiThreadedExecutor, threads: ThreadPoolExecutor) -> None:
    """Let an executor use these threads.

    With its own ones, a subscription at 100 Hz takes 24 % of a core, with ours 7 %.
    """
    executor._executor.shutdown(wait=False)
    executor._executor = threads


def shut_down_threads(executor: MultiThreadedExecutor, wait: bool) -> None:
    """End the threads of an executor; before Kilted, ``shutdown`` leaves them running."""
    executor._executor.shutdown(wait=wait)


class HandlerHook(Executor):
    """An executor with a hook around the functions that take and handle messages.

    An error while a message is taken, which undecodable bytes cause, never reaches a callback. It
    leaves the callback group busy: the node would run none of its callbacks any more.
    """

    def wrapped(
        self, entity: Any, node: Node, take: Callable[[Any], Any], rest: Sequence[Any]
    ) -> tuple[Callable[[Any], Any], Sequence[Any]]:
        """Return the functions to use for an entity; ``rest`` is empty since Iron."""
        return take, rest

    def _make_handler(
        self, entity: Any, node: Node, take: Callable[[Any], Any], *rest: Any
    ) -> Any:
        taking, handling = self.wrapped(entity, node, take, rest)
        return super()._make_handler(entity, node, taking, *handling)


def mark_as_canceling(handle: ServerGoalHandle[Any, Any, Any]) -> None:
    """Let a goal that the server has stopped end as canceled, as MoveIt's clients expect.

    ``canceled`` raises an error unless a client has canceled the goal.
    """
    handle._update_state(rclpy_implementation.GoalEvent.CANCEL_GOAL)


def next_message(subscription: Any) -> Any:
    """Return the next message of a subscription, None if there is none.

    An executor takes 5 times as long at 100 Hz; see polled_subscription.py.
    """
    with subscription.handle:
        taken = subscription.handle.take_message(subscription.msg_type, subscription.raw)
    return None if taken is None else taken[0]


def wait_for_message(
    context: Context, subscription: Any, wake: GuardCondition, seconds: float
) -> None:
    """Wait until a subscription has a message or a guard condition is triggered, or for a time.

    For joint states at 1 kHz: on a busy machine (load 20), tree_state_publisher lost 20 % of them
    with an executor, and was 0.6 s late; so it loses none, and is 1 ms late.
    """
    assert context.handle is not None
    with ExitStack() as used:  # none of these is destroyed meanwhile
        for handle in (context.handle, subscription.handle, wake.handle):
            used.enter_context(handle)
        waiting = rclpy_implementation.WaitSet(1, 1, 0, 0, 0, 0, context.handle)
        waiting.clear_entities()
        waiting.add_guard_condition(wake.handle)
        waiting.add_subscription(subscription.handle)
        waiting.wait(int(seconds * 1e9))
