"""Several controllers that look like one driver: a trajectory is split among them."""

from __future__ import annotations

import threading
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from action_msgs.msg import GoalStatus
from control_msgs.action import FollowJointTrajectory, GripperCommand
from rclpy.action import ActionClient
from rclpy.callback_groups import CallbackGroup
from rclpy.node import Node
from rclpy.task import Future
from trajectory_msgs.msg import JointTrajectory, JointTrajectoryPoint

from rigid_tree_kinematics.errors import ConfigurationError
from rigid_tree_kinematics.nodes.moveit.controllers import Controller

ROWS = ("positions", "velocities", "accelerations", "effort")


@dataclass(frozen=True, eq=False)
class Answer:
    """What an action's result future has."""

    status: int
    result: Any


class SharedDriver:
    """Hands each controller its part of a goal; used like an action client of one driver.

    A motion is over when all parts are. Where one fails or is not accepted, the others are
    stopped, and the result's sentence names the controller.
    """

    def __init__(
        self, node: Node, controllers: Sequence[Controller], group: CallbackGroup
    ) -> None:
        self._controllers = controllers
        self._clients: dict[str, ActionClient] = {
            controller.name: ActionClient(
                node,
                GripperCommand if controller.gripper else FollowJointTrajectory,
                controller.action,
                callback_group=group,
            )
            for controller in controllers
        }

    def destroy(self) -> None:
        """Take the clients away."""
        for client in self._clients.values():
            client.destroy()

    def server_is_ready(self) -> bool:
        """Return whether any controller is there; those that a goal needs are looked for then."""
        return any(client.server_is_ready() for client in self._clients.values())

    def send_goal_async(
        self, goal: FollowJointTrajectory.Goal, feedback_callback: Callable[[Any], None]
    ) -> Future:
        """Return what will have a ``SharedGoal``; ConfigurationError for joints of nobody.

        Feedback is not passed on: that of parts says little of the whole.
        """
        parts = self._parts(goal)
        missing = [
            controller.action
            for controller, _ in parts
            if not self._clients[controller.name].server_is_ready()
        ]
        if missing:
            raise ConfigurationError(f"no server of the action {', '.join(missing)}")
        sent: Future = Future()
        whole = SharedGoal([controller for controller, _ in parts])
        futures = [
            self._clients[controller.name].send_goal_async(part) for controller, part in parts
        ]
        _when_all(
            futures, lambda: sent.set_result(whole.begun([future.result() for future in futures]))
        )
        return sent

    def _parts(self, goal: FollowJointTrajectory.Goal) -> list[tuple[Controller, Any]]:
        """Return who drives what."""
        left = list(goal.trajectory.joint_names)
        parts = []
        for controller in self._controllers:
            names = [name for name in controller.joints if name in left]
            if names:
                left = [name for name in left if name not in names]
                make = _gripper_part if controller.gripper else _trajectory_part
                parts.append((controller, make(goal, names, controller)))
        if left:
            raise ConfigurationError(f"no controller drives {', '.join(left)}")
        return parts


class SharedGoal:
    """A goal whose parts several controllers have; used like an action client's goal handle."""

    def __init__(self, controllers: Sequence[Controller]) -> None:
        self._controllers = controllers
        self._handles: list[Any] = []
        self._lock = threading.Lock()
        self._failed = ""  # why, by the first one
        self._code = int(FollowJointTrajectory.Result.INVALID_GOAL)
        self.accepted = False

    def begun(self, handles: Sequence[Any]) -> SharedGoal:
        """Return the goal with what the controllers answered; all or none have to go on."""
        self._handles = list(handles)
        self.accepted = all(handle.accepted for handle in handles)
        if not self.accepted:
            self.cancel_goal_async()
        return self

    def cancel_goal_async(self) -> None:
        """Stop all parts."""
        for handle in self._handles:
            if handle.accepted:
                handle.cancel_goal_async()

    def get_result_async(self) -> Future:
        """Return what will have an ``Answer`` when all parts have ended."""
        over: Future = Future()
        futures = [handle.get_result_async() for handle in self._handles]
        for controller, future in zip(self._controllers, futures, strict=True):
            future.add_done_callback(
                lambda done, controller=controller: self._look(controller, done.result())
            )
        _when_all(
            futures,
            lambda: over.set_result(self._answer([future.result() for future in futures])),
        )
        return over

    def _look(self, controller: Controller, answer: Any) -> None:
        """Stop the others if a part has failed."""
        if answer.status == GoalStatus.STATUS_SUCCEEDED or _forgiven(controller, answer):
            return
        with self._lock:
            first = not self._failed
            if first:
                if controller.gripper:
                    word = "stalled" if answer.result.stalled else "did not arrive"
                    words = f"{word} at {answer.result.position:.4g}"
                else:
                    self._code = answer.result.error_code
                    words = answer.result.error_string or f"error {answer.result.error_code}"
                self._failed = f"{controller.name}: {words}"
        if first:
            self.cancel_goal_async()

    def _answer(self, answers: Sequence[Any]) -> Answer:
        result = FollowJointTrajectory.Result()
        if not self._failed:
            return Answer(GoalStatus.STATUS_SUCCEEDED, result)
        cancelled = any(answer.status == GoalStatus.STATUS_CANCELED for answer in answers)
        aborted = any(answer.status == GoalStatus.STATUS_ABORTED for answer in answers)
        result.error_code = self._code or int(result.INVALID_GOAL)
        result.error_string = self._failed
        only = cancelled and not aborted
        return Answer(GoalStatus.STATUS_CANCELED if only else GoalStatus.STATUS_ABORTED, result)


def _forgiven(controller: Controller, answer: Any) -> bool:
    return controller.allow_failure and answer.status == GoalStatus.STATUS_ABORTED


def _trajectory_part(
    goal: FollowJointTrajectory.Goal, names: Sequence[str], controller: Controller
) -> FollowJointTrajectory.Goal:
    whole = goal.trajectory
    columns = [list(whole.joint_names).index(name) for name in names]
    points = []
    for point in whole.points:
        part = JointTrajectoryPoint(time_from_start=point.time_from_start)
        for row in ROWS:
            values = getattr(point, row)
            setattr(part, row, [values[k] for k in columns] if len(values) else [])
        points.append(part)
    return FollowJointTrajectory.Goal(
        trajectory=JointTrajectory(header=whole.header, joint_names=list(names), points=points),
        path_tolerance=[item for item in goal.path_tolerance if item.name in names],
        goal_tolerance=[item for item in goal.goal_tolerance if item.name in names],
        goal_time_tolerance=goal.goal_time_tolerance,
    )


def _gripper_part(
    goal: FollowJointTrajectory.Goal, names: Sequence[str], controller: Controller
) -> GripperCommand.Goal:
    last, columns = goal.trajectory.points[-1], list(goal.trajectory.joint_names)
    part = GripperCommand.Goal()
    part.command.position = float(sum(last.positions[columns.index(name)] for name in names))
    part.command.max_effort = controller.max_effort
    return part


def _when_all(futures: Sequence[Future], then: Callable[[], None]) -> None:
    """Call ``then`` once when the last of some futures is done."""
    left = [len(futures)]
    lock = threading.Lock()

    def count(_: Future) -> None:
        with lock:
            left[0] -= 1
            last = left[0] == 0
        if last:
            then()

    for future in futures:
        future.add_done_callback(count)
