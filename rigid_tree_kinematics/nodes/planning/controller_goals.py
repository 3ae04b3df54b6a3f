"""The goals by which several controllers execute a motion at the same time."""

from __future__ import annotations

import threading
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import Any

from control_msgs.action import FollowJointTrajectory
from rclpy.action import ActionClient
from rclpy.task import Future

from rigid_tree_kinematics.nodes.planning.controllers import ROWS, Controller, shares

Heard = Callable[[FollowJointTrajectory.Feedback], object]


class ControllerGoals:
    """Sends each controller its part of a motion, and merges their feedback.

    ``heard`` is called with feedback for all joints when each controller has sent a new one.
    Controllers that never send any, or have ended, are not waited for. Thus a dead controller is
    noticed even if others send feedback.
    """

    def __init__(
        self,
        clients: Mapping[Controller, ActionClient[Any, Any, Any]],
        goal: FollowJointTrajectory.Goal,
        joints: Sequence[str],
        heard: Heard,
    ) -> None:
        parts = shares(list(clients), joints)
        self._controllers = [controller for controller, _ in parts]
        self._heard = heard
        self._latest: dict[int, Any] = {}  # feedback by the number of its controller
        self._fresh: set[int] = set()  # since the last merged feedback
        self._lock = threading.Lock()
        self._handles: list[Any] = []
        self.results: list[Future[Any]] = []  # from ``monitor`` on
        self.replies: list[Future[Any]] = [
            clients[controller].send_goal_async(
                controller.part(goal, names), partial(self._on_feedback, number)
            )
            for number, (controller, names) in enumerate(parts)
        ]

    def have_replied(self) -> bool:
        """Return whether every controller has accepted or rejected its part."""
        return all(reply.done() for reply in self.replies)

    def rejection(self) -> str:
        """Return which controllers have not accepted their parts, and cancel the other parts.

        It is empty if all have accepted. Parts that are accepted later are canceled, too.
        """
        rejections = []
        for controller, reply in zip(self._controllers, self.replies, strict=True):
            handle = reply.result() if reply.done() else None
            if handle is None or not handle.accepted:
                reason = "did not reply" if handle is None else "rejected its part"
                reason = reason if controller.joints else "did not accept the trajectory"
                rejections.append(f"{controller.action} {reason}")
        if rejections:
            for reply in self.replies:
                reply.add_done_callback(_cancel_accepted)
        return ", ".join(rejections)

    def monitor(self) -> None:
        """Request the results of the accepted goals."""
        self._handles = [reply.result() for reply in self.replies]
        self.results = [handle.get_result_async() for handle in self._handles]

    def cancel(self) -> None:
        """Cancel the goals that have not ended."""
        for handle, result in zip(self._handles, self.results, strict=True):
            if not result.done():
                handle.cancel_goal_async()

    def have_ended(self) -> bool:
        """Return whether all goals have ended."""
        return all(result.done() for result in self.results)

    def failures(self) -> list[tuple[str, int]]:
        """Return the messages and error codes of the parts that have failed so far."""
        pairs = zip(self._controllers, self.results, strict=True)
        found = [each.failure(result.result()) for each, result in pairs if result.done()]
        return [failure for failure in found if failure is not None]

    @property
    def silent(self) -> str:
        """The controllers whose feedback is missing, as a message."""
        with self._lock:
            awaited = self._awaited()
        names = [controller.name or controller.action for controller in self._controllers]
        return ", ".join(names[k] for k in awaited or range(len(names)))

    def _awaited(self) -> list[int]:
        ended = {k for k, result in enumerate(self.results) if result.done()}
        return [k for k in self._latest if k not in self._fresh | ended]

    def _on_feedback(self, number: int, message: Any) -> None:
        with self._lock:
            self._latest[number] = message.feedback
            self._fresh.add(number)
            if self._awaited():
                return
            self._fresh.clear()
            latest = list(self._latest.values())
        # Feedback of a gripper has no joints.
        parts = [part for part in latest if isinstance(part, FollowJointTrajectory.Feedback)]
        self._heard(parts[0] if len(parts) == 1 else _side_by_side(parts))


def _cancel_accepted(reply: Future[Any]) -> None:
    """Cancel a goal, if its controller has accepted it."""
    handle = None if reply.exception() is not None else reply.result()
    if handle is not None and handle.accepted:
        handle.cancel_goal_async()


def _side_by_side(parts: Sequence[Any]) -> FollowJointTrajectory.Feedback:
    """Return the feedback of several controllers for all their joints."""
    names = [name for part in parts for name in part.joint_names]
    whole = FollowJointTrajectory.Feedback(joint_names=names)
    if parts:
        whole.header = parts[-1].header
    for field in ("desired", "actual", "error"):
        points, point = [getattr(part, field) for part in parts], getattr(whole, field)
        for row in ROWS:
            values = [getattr(each, row) for each in points]
            if all(map(len, values)):
                setattr(point, row, [number for part in values for number in part])
        if points:
            point.time_from_start = points[-1].time_from_start
    return whole
