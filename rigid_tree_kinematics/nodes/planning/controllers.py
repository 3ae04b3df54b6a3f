"""The controllers that execute a motion: their parts of it, feedback and failures."""

import threading
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from action_msgs.msg import GoalStatus
from control_msgs import action
from control_msgs.action import FollowJointTrajectory, GripperCommand
from rclpy.task import Future
from sensor_msgs.msg import JointState
from trajectory_msgs.msg import JointTrajectory, JointTrajectoryPoint

from rigid_tree_kinematics.errors import ConfigurationError
from rigid_tree_kinematics.nodes.common.requests import DRIVER

Heard = Callable[[FollowJointTrajectory.Feedback], object]
ParallelGripperCommand = getattr(action, "ParallelGripperCommand", None)  # not in Humble
# The types of MoveIt's moveit_controllers.yaml.
ACTIONS: dict[str, Any] = {
    "FollowJointTrajectory": FollowJointTrajectory,
    "GripperCommand": GripperCommand,
    **({"ParallelGripperCommand": ParallelGripperCommand} if ParallelGripperCommand else {}),
}
ROWS = ("positions", "velocities", "accelerations", "effort")  # of a JointTrajectoryPoint
FAILED = int(FollowJointTrajectory.Result.INVALID_GOAL)
ENDINGS = {
    GoalStatus.STATUS_CANCELED: "canceled the motion",
    GoalStatus.STATUS_ABORTED: "aborted the motion",
    GoalStatus.STATUS_UNKNOWN: "lost the motion",
}


@dataclass(frozen=True)
class Controller:
    """A controller, its joints and its action, a type of ACTIONS.

    A gripper gets the last position of its joints: GripperCommand the sum of all joints.
    """

    action: str
    name: str = ""  # in messages
    joints: tuple[str, ...] = ()  # empty: any
    kind: Any = FollowJointTrajectory
    max_effort: float = 0.0  # N or Nm, for a gripper; 0: none for ParallelGripperCommand
    max_velocity: float = 0.0  # m/s or rad/s, for ParallelGripperCommand; 0: none
    allow_failure: bool = False  # whether a gripper that does not arrive succeeds

    @property
    def gripper(self) -> bool:
        """Whether it is a gripper's."""
        return self.kind is not FollowJointTrajectory

    def part(self, goal: FollowJointTrajectory.Goal, joints: Sequence[str]) -> Any:
        """Return the goal of this controller for these joints of a motion."""
        if not self.joints:
            return goal
        whole = goal.trajectory
        columns = [list(whole.joint_names).index(name) for name in joints]
        if self.gripper:
            last = [float(whole.points[-1].positions[k]) for k in columns]
            command = self.kind.Goal()
            if self.kind is GripperCommand:
                command.command.position = sum(last)
                command.command.max_effort = self.max_effort
                return command
            state = JointState(name=list(joints), position=last)
            state.velocity = [self.max_velocity] if self.max_velocity > 0.0 else []
            state.effort = [self.max_effort] if self.max_effort > 0.0 else []
            command.command = state
            return command
        points = []
        for point in whole.points:
            part = JointTrajectoryPoint(time_from_start=point.time_from_start)
            for row in ROWS:
                values = getattr(point, row)
                setattr(part, row, [values[k] for k in columns] if len(values) else [])
            points.append(part)
        return FollowJointTrajectory.Goal(
            trajectory=JointTrajectory(
                header=whole.header, joint_names=list(joints), points=points
            ),
            path_tolerance=[item for item in goal.path_tolerance if item.name in joints],
            goal_tolerance=[item for item in goal.goal_tolerance if item.name in joints],
            goal_time_tolerance=goal.goal_time_tolerance,
        )

    def failure(self, answer: Any) -> tuple[str, int] | None:
        """Return the message and the error code of a part that has failed, None for success."""
        status, result = answer.status, answer.result
        aborted = status == GoalStatus.STATUS_ABORTED
        if aborted and self.allow_failure:
            return None
        if status == GoalStatus.STATUS_SUCCEEDED and (
            self.gripper or result.error_code == result.SUCCESSFUL
        ):
            return None
        reason, code = ENDINGS.get(status, f"ended the motion with status {status}"), FAILED
        if not self.gripper:
            reason = result.error_string or f"{self.action} {reason}, error {result.error_code}"
            # Some drivers leave the code at SUCCESSFUL; drivers have no positive codes.
            code = min(result.error_code, 0) or FAILED
        elif aborted:
            stopped = "stalled" if result.stalled else "was not reached"
            position = getattr(result, "position", None)  # of GripperCommand
            if position is None and len(result.state.position):
                position = result.state.position[0]
            reason = stopped if position is None else f"{stopped} at {position:.4g}"
        return f"{self.name}: {reason}" if self.name else reason, code


ONE_DRIVER = (Controller(DRIVER),)


def shares(
    controllers: Sequence[Controller], joints: Sequence[str]
) -> list[tuple[Controller, list[str]]]:
    """Return the controllers of joints, each with its own; ConfigurationError without one."""
    left = list(joints)
    found = []
    for controller in controllers:
        names = [name for name in controller.joints or joints if name in left]
        if names:
            left = [name for name in left if name not in names]
            found.append((controller, names))
    if left:
        raise ConfigurationError(f"no controller drives {', '.join(left)}")
    return found


class MergedFeedback:
    """Forwards the feedback of several controllers when each of them has sent new one.

    Controllers that never send any, or have ended, are not waited for; ``results`` are the futures
    of their results. Thus a dead controller is noticed even if others send feedback.
    """

    def __init__(self, controllers: Sequence[Controller], heard: Heard) -> None:
        self._names = [controller.name or controller.action for controller in controllers]
        self._heard = heard
        self._latest: dict[int, Any] = {}
        self._fresh: set[int] = set()  # since the last forwarded feedback
        self._lock = threading.Lock()
        self.results: list[Future[Any]] = []

    def _awaited(self) -> list[int]:
        ended = {k for k, result in enumerate(self.results) if result.done()}
        return [k for k in self._latest if k not in self._fresh | ended]

    @property
    def silent(self) -> str:
        """The controllers whose feedback is missing, as a message."""
        with self._lock:
            awaited = self._awaited()
        return ", ".join(self._names[k] for k in awaited or range(len(self._names)))

    def receive(self, number: int, message: Any) -> None:
        """Receive a controller's feedback."""
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
