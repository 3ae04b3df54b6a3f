"""The controllers that execute a motion: their parts of it, and their failures."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from action_msgs.msg import GoalStatus
from control_msgs import action
from control_msgs.action import FollowJointTrajectory, GripperCommand
from sensor_msgs.msg import JointState
from trajectory_msgs.msg import JointTrajectory, JointTrajectoryPoint

from rigid_tree_kinematics.errors import ConfigurationError
from rigid_tree_kinematics.nodes.common.requests import DRIVER

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
    def is_gripper(self) -> bool:
        """Whether it is a gripper's."""
        return self.kind is not FollowJointTrajectory

    def part(self, goal: FollowJointTrajectory.Goal, joints: Sequence[str]) -> Any:
        """Return the goal of this controller for these joints of a motion."""
        if not self.joints:
            return goal
        whole = goal.trajectory
        columns = [list(whole.joint_names).index(name) for name in joints]
        if self.is_gripper:
            last = whole.points[-1].positions
            return self._gripper_goal(joints, [float(last[k]) for k in columns])
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

    def _gripper_goal(self, joints: Sequence[str], positions: list[float]) -> Any:
        goal = self.kind.Goal()
        if self.kind is GripperCommand:
            goal.command.position = sum(positions)
            goal.command.max_effort = self.max_effort
            return goal
        goal.command = JointState(name=list(joints), position=positions)
        goal.command.velocity = [self.max_velocity] if self.max_velocity > 0.0 else []
        goal.command.effort = [self.max_effort] if self.max_effort > 0.0 else []
        return goal

    def failure(self, answer: Any) -> tuple[str, int] | None:
        """Return the message and the error code of a part that has failed, None for success."""
        status, result = answer.status, answer.result
        aborted = status == GoalStatus.STATUS_ABORTED
        if aborted and self.allow_failure:
            return None
        if status == GoalStatus.STATUS_SUCCEEDED and (
            self.is_gripper or result.error_code == result.SUCCESSFUL
        ):
            return None
        reason, code = ENDINGS.get(status, f"ended the motion with status {status}"), FAILED
        if not self.is_gripper:
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
