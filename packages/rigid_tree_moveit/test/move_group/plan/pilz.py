"""Requests for Pilz' planners, and the tip's poses along their trajectories."""

from typing import Any

import numpy as np
from geometry_msgs.msg import Pose
from moveit_harness.move_group import READY, TIP, MoveGroup
from moveit_msgs.msg import Constraints, PositionConstraint

from harness.poses import pose_stamped
from harness.truth import Truth
from move_group.cell import at_pose, motion, rows

PILZ = "pilz_industrial_motion_planner"


def places(truth: Truth, trajectory: Any) -> np.ndarray:
    """Return the tip's poses at the points of a trajectory (k, 4, 4), by Pinocchio."""
    return np.array([truth.pose(np.append(row, 0.035), TIP) for row in rows(trajectory)])


def shifted(moveit: MoveGroup, shift: tuple[float, ...]) -> Pose:
    """Return the tip's pose at READY, moved (m)."""
    T = moveit.tip(READY)
    T[:3, 3] += shift
    return pose_stamped(T).pose


def asked(moveit: MoveGroup, planner: str, shift: tuple[float, ...], **fields: Any) -> Any:
    """Return a request for a translation of the tip (m)."""
    goal = at_pose(shifted(moveit, shift))
    fields = {"goal_constraints": [goal], "pipeline_id": PILZ, "planner_id": planner, **fields}
    return motion(**fields)


def via(moveit: MoveGroup, name: str, shift: tuple[float, ...]) -> Constraints:
    """Return a path constraint with a point relative to the tip (m)."""
    place = PositionConstraint(link_name=TIP)
    place.constraint_region.primitive_poses = [shifted(moveit, shift)]
    return Constraints(name=name, position_constraints=[place])
