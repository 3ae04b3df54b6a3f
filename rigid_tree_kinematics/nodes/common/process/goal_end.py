"""How an action's goal ends."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from rigid_tree_kinematics.nodes.common.process.rclpy_private import mark_as_canceling
from rigid_tree_kinematics.nodes.common.process.waiting import wait_in_thread

if TYPE_CHECKING:  # nodes without actions do not load them
    from rclpy.action.server import ServerGoalHandle

MARKED_WITHIN = 1.0  # s


def end_goal(
    handle: ServerGoalHandle[Any, Any, Any],
    succeeded: bool,
    cancelled: bool,
    stopped: bool = False,
) -> None:
    """End a goal as succeeded, canceled or aborted.

    A goal that its client has cancelled ends as canceled in any case. ``cancelled`` is whether the
    cancel callback has stopped the work: rclpy marks a goal as canceling only once that callback
    has returned. ``stopped`` is whether the server has, so that the goal ends as canceled, too.
    """
    if cancelled:
        wait_in_thread(lambda: handle.is_cancel_requested or not handle.is_active, MARKED_WITHIN)
    elif stopped:
        mark_as_canceling(handle)
    if handle.is_cancel_requested:
        handle.canceled()
    elif succeeded:
        handle.succeed()
    else:
        handle.abort()
