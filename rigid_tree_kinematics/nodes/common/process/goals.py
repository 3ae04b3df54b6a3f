"""Goals of actions: their cancellation, their end, and a watchdog for motions."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import TYPE_CHECKING, Any

from rclpy.callback_groups import CallbackGroup
from rclpy.node import Node

from rigid_tree_kinematics.nodes.common.process.rclpy_private import mark_as_canceling
from rigid_tree_kinematics.nodes.common.process.waiting import Cancellation, wait_in_thread

if TYPE_CHECKING:  # nodes without actions do not load them
    from rclpy.action.server import ServerGoalHandle

MARKED_WITHIN = 1.0  # s
GRACE = 10.0  # s that an execution may exceed its duration


def end_goal(
    handle: ServerGoalHandle[Any, Any, Any],
    succeeded: bool,
    cancelled: bool,
    stopped: bool = False,
) -> None:
    """End a goal as succeeded, canceled or aborted.

    A goal that its client has cancelled always ends as canceled. ``cancelled``: the cancel
    callback has stopped the work; rclpy marks a goal as canceling when that callback returns.
    ``stopped``: the server has stopped the work; this goal ends as canceled, too.
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


class Goal(Cancellation):
    """A goal of a ``GoalServer``, which its client or its server cancels."""

    def __init__(self, handle: ServerGoalHandle[Any, Any, Any], kind: Any) -> None:
        super().__init__()
        self.handle = handle
        self.request: Any = handle.request
        self._kind = kind
        self.by_client = False  # whether its client has cancelled it
        self.succeeded = False
        self.stopped = False  # by its server, so that it ends as canceled

    def feedback(self, **fields: Any) -> None:
        """Send feedback with these fields."""
        self.handle.publish_feedback(self._kind.Feedback(**fields))


class GoalServer:
    """An action server whose goals can be cancelled at any time, even before they start.

    ``work`` returns the result of a goal, and sets how the goal ends. Goals are rejected while
    ``accepts`` returns false.
    """

    def __init__(
        self,
        node: Node,
        kind: Any,
        name: str,
        work: Callable[[Goal], Awaitable[Any]],
        group: CallbackGroup | None = None,
        accepts: Callable[[], bool] = lambda: True,
    ) -> None:
        from rclpy.action import ActionServer, CancelResponse, GoalResponse

        self._goals: dict[bytes, Goal] = {}

        def goal_of(handle: ServerGoalHandle[Any, Any, Any]) -> Goal:
            return self._goals.setdefault(bytes(handle.goal_id.uuid), Goal(handle, kind))

        def cancel(handle: ServerGoalHandle[Any, Any, Any]) -> CancelResponse:
            goal = goal_of(handle)
            goal.by_client = True
            goal.set()
            return CancelResponse.ACCEPT

        async def serve(handle: ServerGoalHandle[Any, Any, Any]) -> Any:
            goal = goal_of(handle)
            try:
                result = await work(goal)
                end_goal(handle, goal.succeeded, goal.by_client, goal.stopped)
            finally:
                self._goals.pop(bytes(handle.goal_id.uuid), None)
            return result

        self._server = ActionServer(
            node,
            kind,
            name,
            serve,
            callback_group=group,
            goal_callback=lambda _: GoalResponse.ACCEPT if accepts() else GoalResponse.REJECT,
            cancel_callback=cancel,
        )

    @property
    def goals(self) -> list[Goal]:
        """The goals in progress."""
        return list(self._goals.values())

    def destroy(self) -> None:
        """Destroy the action."""
        self._server.destroy()


class LifeSign:
    """A watchdog on the feedback of a motion of ``length`` (s), by a node's clock.

    ``patience`` is the longest time (s) between two of its messages. A server that sends none has
    GRACE after the motion's end.
    """

    def __init__(self, node: Node, length: float, patience: float) -> None:
        self._clock = node.get_clock()
        self._patience = patience
        self._last = self._due = 0.0  # s
        self._due = self._now() + length + GRACE

    def _now(self) -> float:
        """Return the time (s). If the clock was set back, as much time as before is left."""
        now = 1e-9 * float(self._clock.now().nanoseconds)
        if now < self._last:
            self._due -= self._last - now
        self._last = now
        return now

    def heard(self) -> None:
        """Record feedback."""
        self._due = self._now() + self._patience

    @property
    def is_lost(self) -> bool:
        """Whether feedback has been missing for too long."""
        return self._now() > self._due
