"""How an action's goal ends."""

from __future__ import annotations

import time

from rclpy.action.server import ServerGoalHandle

MARKED_WITHIN = 1.0  # s
LOOK_PERIOD = 0.001  # s


def end_goal(handle: ServerGoalHandle, succeeded: bool, cancelled: bool) -> None:
    """End a goal as succeeded, canceled or aborted.

    Args:
        handle: the goal's.
        succeeded: whether the work was done; a goal that a client has cancelled is canceled
            all the same.
        cancelled: whether the cancel callback has stopped the work. rclpy marks a goal as
            canceling only once that callback has returned, which another thread may be slow to do.
    """
    deadline = time.monotonic() + MARKED_WITHIN
    while cancelled and handle.is_active and not handle.is_cancel_requested:
        if time.monotonic() > deadline:
            break
        time.sleep(LOOK_PERIOD)
    if handle.is_cancel_requested:
        handle.canceled()
    elif succeeded:
        handle.succeed()
    else:
        handle.abort()
