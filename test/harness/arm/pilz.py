"""Requests for Pilz' planners, and the tip's poses along their trajectories."""

from typing import Any

import numpy as np
from moveit_msgs.msg import (
    Constraints,
    MotionPlanRequest,
    OrientationConstraint,
    PositionConstraint,
)
from shape_msgs.msg import SolidPrimitive

from harness.moveit import JOINTS, READY, TIP, MoveGroup
from harness.truth import Truth
from rigid_tree_kinematics.nodes.tf.target_frames import pose_message

PILZ = "pilz_industrial_motion_planner"


def places(truth: Truth, trajectory: Any) -> np.ndarray:
    """Return the tip's poses at the points of a trajectory (k, 4, 4), by Pinocchio."""
    columns = [list(trajectory.joint_names).index(name) for name in JOINTS]
    rows = np.array([point.positions for point in trajectory.points])[:, columns]
    return np.array([truth.pose(np.array([*row, 0.035]), TIP) for row in rows])


def asked(moveit: MoveGroup, planner: str, shift: tuple[float, ...], **fields: Any) -> Any:
    """Return a request for a translation of the tip (m)."""
    start = moveit.tip(READY)
    start[:3, 3] += shift
    pose = pose_message(start, "panda_link0").pose
    place = PositionConstraint(link_name=TIP)
    place.constraint_region.primitives = [SolidPrimitive(type=2, dimensions=[1e-4])]
    place.constraint_region.primitive_poses = [pose]
    goal = Constraints(position_constraints=[place])
    goal.orientation_constraints = [_turn(pose)]
    request = MotionPlanRequest(
        group_name="panda_arm", pipeline_id=PILZ, planner_id=planner, goal_constraints=[goal]
    )
    request.start_state.joint_state.name = JOINTS
    request.start_state.joint_state.position = READY
    for name, value in fields.items():
        setattr(request, name, value)
    return request


def _turn(pose: Any) -> Any:
    turn = OrientationConstraint(link_name=TIP, orientation=pose.orientation)
    turn.absolute_x_axis_tolerance = turn.absolute_y_axis_tolerance = 1e-3
    turn.absolute_z_axis_tolerance = 1e-3
    return turn


def via(moveit: MoveGroup, name: str, shift: tuple[float, ...]) -> Constraints:
    """Return a path constraint with a point relative to the tip (m)."""
    start = moveit.tip(READY)
    start[:3, 3] += shift
    place = PositionConstraint(link_name=TIP)
    place.constraint_region.primitive_poses = [pose_message(start, "panda_link0").pose]
    return Constraints(name=name, position_constraints=[place])
