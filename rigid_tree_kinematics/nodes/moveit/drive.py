"""The controllers that parameters name, as one driver, which merges their feedback."""

from __future__ import annotations

import threading
from collections.abc import Sequence
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
from rigid_tree_kinematics.nodes.planning import ROWS, Heard, ending

PREFIX = "moveit_simple_controller_manager"  # of the parameters, as in moveit_controllers.yaml
TRAJECTORY, GRIPPER = "FollowJointTrajectory", "GripperCommand"
ACCEPTED_WITHIN = 4.0  # s, for a controller to accept its part: less than for a driver
FAILED = int(FollowJointTrajectory.Result.INVALID_GOAL)


@dataclass(frozen=True)
class Controller:
    """A controller and its joints."""

    name: str
    action: str
    gripper: bool  # the action is a GripperCommand, which gets the last point only
    joints: tuple[str, ...]  # the positions of a gripper's joints are added
    max_effort: float  # N, for a gripper
    allow_failure: bool  # a gripper that does not arrive succeeds nevertheless
    preferred: bool  # is used before others of the same joints


def declared_controllers(node: Node) -> tuple[Controller, ...]:
    """Return the controllers of a node's parameters, the preferred ones first.

    Raises ConfigurationError for an incomplete one.
    """
    names: Any = node.declare_parameter(f"{PREFIX}.controller_names", [""]).value
    controllers = [_controller(node, name) for name in names if name]
    return tuple(sorted(controllers, key=lambda controller: not controller.preferred))


def _controller(node: Node, name: str) -> Controller:
    def value(key: str, default: Any) -> Any:
        return node.declare_parameter(f"{PREFIX}.{name}.{key}", default).value

    kind, place = value("type", ""), value("action_ns", "")
    joints = tuple(joint for joint in value("joints", [""]) if joint)
    if kind not in (TRAJECTORY, GRIPPER):
        words = f"{PREFIX}.{name}.type is {TRAJECTORY} or {GRIPPER}, not '{kind}'"
        raise ConfigurationError(words)
    if not joints:
        raise ConfigurationError(f"{PREFIX}.{name}.joints names no joints")
    if kind == GRIPPER and not value("parallel", False):
        joints = (value("command_joint", "") or joints[0],)
    return Controller(
        name,
        f"{name}/{place}" if place else name,
        kind == GRIPPER,
        joints,
        float(value("max_effort", 0.0)),
        bool(value("allow_failure", False)),
        bool(value("default", False)),
    )


class SharedDriver:
    """A driver that sends each controller its part of a goal.

    A motion ends when all parts have ended. If one fails or is rejected, the others are stopped,
    and the result's message names the controller.
    """

    def __init__(
        self, node: Node, controllers: Sequence[Controller], group: CallbackGroup
    ) -> None:
        self._controllers = controllers
        self._clients: dict[str, ActionClient[Any, Any, Any]] = {}
        for each in controllers:
            kind = GripperCommand if each.gripper else FollowJointTrajectory
            self._clients[each.name] = ActionClient(node, kind, each.action, callback_group=group)

    def destroy(self) -> None:
        """Destroy the clients."""
        for client in self._clients.values():
            client.destroy()

    def missing(self, joints: Sequence[str]) -> list[str]:
        """Return the actions for some joints that have no server now.

        ConfigurationError for joints without a controller.
        """
        shares = self._shares(joints)
        return [c.action for c, _ in shares if not self._clients[c.name].server_is_ready()]

    def send(self, goal: FollowJointTrajectory.Goal, heard: Heard) -> Future[Any]:
        """Return the future of a ``SharedGoal``, done when all controllers have replied."""
        shares = self._shares(goal.trajectory.joint_names)
        whole = SharedGoal([controller for controller, _ in shares], heard)
        for number, (controller, names) in enumerate(shares):
            make = _gripper_part if controller.gripper else _trajectory_part
            part = make(goal, names, controller)
            whole.send(number, self._clients[controller.name], part)
        return whole.sent

    def _shares(self, joints: Sequence[str]) -> list[tuple[Controller, list[str]]]:
        """Return controllers with their joints; raises ConfigurationError for other joints."""
        left = list(joints)
        shares = []
        for controller in self._controllers:
            names = [name for name in controller.joints if name in left]
            if names:
                left = [name for name in left if name not in names]
                shares.append((controller, names))
        if left:
            raise ConfigurationError(f"no controller drives {', '.join(left)}")
        return shares


class SharedGoal:
    """A goal split among several controllers, used like an action client's goal handle.

    ``heard`` is called with merged feedback when every controller that sends feedback has sent
    new one: a dead controller is missed among several, too.
    """

    def __init__(self, controllers: Sequence[Controller], heard: Heard) -> None:
        self._controllers, self._heard = controllers, heard
        self._handles: list[Any] = [None] * len(controllers)
        self._unanswered = set(range(len(controllers)))
        self._feedback: dict[str, Any] = {}  # the latest, by the controller's name
        self._fresh: set[str] = set()  # controllers with feedback since the last forwarded one
        self._ended: set[str] = set()
        self._lock = threading.Lock()
        self._failed, self._code = "", FAILED  # the reason of the first failure
        self._cancelled = self._is_complete = False
        self.accepted = False  # by all controllers, in time
        self.sent: Future[Any] = Future()
        self._patience = threading.Timer(ACCEPTED_WITHIN, self._complete)
        self._patience.daemon = True
        self._patience.start()

    @property
    def refusal(self) -> str:
        """The controllers that did not accept a part, as a message."""
        return ", ".join(
            f"{controller.action} {'did not reply' if handle is None else 'rejected its part'}"
            for controller, handle in zip(self._controllers, self._handles, strict=True)
            if handle is None or not handle.accepted
        )

    @property
    def silent(self) -> str:
        """The controllers whose feedback is missing, as a message."""
        return ", ".join(self._awaited) or "a controller"

    @property
    def _awaited(self) -> list[str]:
        return [name for name in self._feedback if name not in self._fresh | self._ended]

    def send(self, number: int, client: ActionClient[Any, Any, Any], part: Any) -> None:
        """Send a controller its part."""
        name = self._controllers[number].name
        future = client.send_goal_async(part, lambda message: self._take(name, message.feedback))
        future.add_done_callback(lambda done: self._answered(number, done.result()))

    def _answered(self, number: int, handle: Any) -> None:
        with self._lock:
            self._handles[number] = handle
            self._unanswered.discard(number)
            last = not self._unanswered
            unwanted = self._cancelled and handle.accepted
        if unwanted:
            handle.cancel_goal_async()
        if last:
            self._complete()

    def _complete(self) -> None:
        """Finish the acceptance; controllers without a reply have not accepted."""
        self._patience.cancel()
        with self._lock:
            if self._is_complete:
                return
            self._is_complete = True
            self.accepted = all(handle and handle.accepted for handle in self._handles)
        if not self.accepted:
            self.cancel_goal_async()
        self.sent.set_result(self)

    def _take(self, name: str, feedback: Any) -> None:
        with self._lock:
            self._feedback[name] = feedback
            self._fresh.add(name)
            if self._awaited:
                return
            self._fresh.clear()
            latest = list(self._feedback.values())
        # Feedback of a gripper has no joints.
        parts = [part for part in latest if isinstance(part, FollowJointTrajectory.Feedback)]
        self._heard(_side_by_side(parts))

    def cancel_goal_async(self) -> None:
        """Stop all parts, including those that are accepted later."""
        with self._lock:
            self._cancelled = True
            handles = list(self._handles)
        for handle in handles:
            if handle is not None and handle.accepted:
                handle.cancel_goal_async()

    def get_result_async(self) -> Future[Any]:
        """Return the future of an action's result, done when all parts have ended."""
        over: Future[Any] = Future()
        answers: list[Any] = []

        def take(controller: Controller, answer: Any) -> None:
            """Stop the others if this part is the first that has failed."""
            with self._lock:
                self._ended.add(controller.name)
                first = not self._failed and not _is_done(controller, answer)
                if first:
                    self._code, words = _failure(controller, answer)
                    self._failed = f"{controller.name}: {words}"
            if first:
                self.cancel_goal_async()
            with self._lock:
                answers.append(answer)
                last = len(answers) == len(self._controllers)
            if last:
                over.set_result(self._answer({answer.status for answer in answers}))

        for controller, handle in zip(self._controllers, self._handles, strict=True):
            handle.get_result_async().add_done_callback(
                lambda done, controller=controller: take(controller, done.result())
            )
        return over

    def _answer(self, statuses: set[int]) -> Any:
        done = GoalStatus.STATUS_SUCCEEDED
        answer = FollowJointTrajectory.Impl.GetResultService.Response(status=done)
        if self._failed:
            cancelled = statuses - {done} == {GoalStatus.STATUS_CANCELED}
            answer.status = GoalStatus.STATUS_CANCELED if cancelled else GoalStatus.STATUS_ABORTED
            answer.result.error_code, answer.result.error_string = self._code, self._failed
        return answer


def _is_done(controller: Controller, answer: Any) -> bool:
    """Return whether a part has succeeded."""
    if answer.status == GoalStatus.STATUS_SUCCEEDED:
        return controller.gripper or answer.result.error_code == answer.result.SUCCESSFUL
    return controller.allow_failure and answer.status == GoalStatus.STATUS_ABORTED


def _failure(controller: Controller, answer: Any) -> tuple[int, str]:
    """Return the code and the message for a failed part."""
    result = answer.result
    if not controller.gripper:
        words = result.error_string or f"{ending(answer.status)}, error {result.error_code}"
        return min(result.error_code, 0) or FAILED, words
    if answer.status != GoalStatus.STATUS_ABORTED:
        return FAILED, ending(answer.status)
    stopped = "stalled" if result.stalled else "was not reached"
    return FAILED, f"{stopped} at {result.position:.4g}"


def _trajectory_part(
    goal: FollowJointTrajectory.Goal, names: Sequence[str], _: Controller
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
