"""The feedback of several controllers, merged into that of the whole motion."""

from __future__ import annotations

import threading
from collections.abc import Sequence
from typing import Any

from control_msgs.action import FollowJointTrajectory
from trajectory_msgs.msg import JointTrajectoryPoint

from rigid_tree_kinematics.nodes.planning import ROWS, Heard


class JointFeedback:
    """Forwards merged feedback when every controller that sends feedback has sent new one.

    So a dead controller is missed among several, too. Thread-safe.
    """

    def __init__(self, heard: Heard) -> None:
        self._heard = heard
        self._lock = threading.Lock()
        self._latest: dict[str, Any] = {}  # by the controller's name
        self._fresh: set[str] = set()  # controllers with feedback since the last forwarded one
        self._ended: set[str] = set()

    @property
    def awaited(self) -> list[str]:
        """The controllers whose next feedback is missing."""
        return [name for name in self._latest if name not in self._fresh | self._ended]

    def take(self, name: str, feedback: Any) -> None:
        """Take the feedback of a controller."""
        with self._lock:
            self._latest[name] = feedback
            self._fresh.add(name)
            if self.awaited:
                return
            self._fresh.clear()
            latest = list(self._latest.values())
        # Feedback of a gripper has no joints.
        parts = [part for part in latest if isinstance(part, FollowJointTrajectory.Feedback)]
        self._heard(_whole(parts))

    def end(self, name: str) -> None:
        """Expect no further feedback of a controller."""
        with self._lock:
            self._ended.add(name)


def _whole(
    parts: Sequence[FollowJointTrajectory.Feedback],
) -> FollowJointTrajectory.Feedback:
    names = [name for part in parts for name in part.joint_names]
    whole = FollowJointTrajectory.Feedback(joint_names=names)
    if parts:
        whole.header = parts[-1].header
    for field in ("desired", "actual", "error"):
        points = [getattr(part, field) for part in parts]
        setattr(whole, field, _side_by_side(points))
    return whole


def _side_by_side(points: Sequence[JointTrajectoryPoint]) -> JointTrajectoryPoint:
    whole = JointTrajectoryPoint()
    for row in ROWS:
        values = [getattr(point, row) for point in points]
        if all(len(part) for part in values):
            setattr(whole, row, [number for part in values for number in part])
    if points:
        whole.time_from_start = points[-1].time_from_start
    return whole
