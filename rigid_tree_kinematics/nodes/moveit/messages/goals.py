"""MoveIt's goal constraints as goals of the planner."""

from __future__ import annotations

import numpy as np
from moveit_msgs.msg import Constraints, JointConstraint, MoveItErrorCodes

from rigid_tree_kinematics.arrays import Array
from rigid_tree_kinematics.ik import OrientationBounds, RegionBounds
from rigid_tree_kinematics.nodes.moveit.messages.codes import MoveItError, error_code
from rigid_tree_kinematics.nodes.moveit.messages.constraints import ConstraintReader
from rigid_tree_kinematics.nodes.moveit.messages.job import Job
from rigid_tree_kinematics.nodes.moveit.messages.joint_constraints import merged_joints
from rigid_tree_kinematics.planning import ConstrainedGoal, PoseGoal

Goals = list[Array | PoseGoal | ConstrainedGoal]

INVALID = MoveItErrorCodes.INVALID_GOAL_CONSTRAINTS


async def goals_of(constraints: Constraints, job: Job) -> Goals:
    """Return the goals of one of a request's alternative goal constraints.

    Raises MoveItError for invalid and unsupported constraints, and UnknownFrameError.
    """
    positions, turns = constraints.position_constraints, constraints.orientation_constraints
    seen = constraints.visibility_constraints
    joints = merged_joints(constraints.joint_constraints, job.robot, INVALID)
    if constraints.joint_constraints and not positions and not turns and not seen:
        return [_joint_goal(joints, job)]
    reader = ConstraintReader(job, moving_frames=False, code=INVALID)
    wanted = await reader.read(constraints)
    if not wanted:
        raise MoveItError(INVALID, "a goal without constraints")
    # A position and an orientation of one link are tried as an exact pose first.
    exact: Goals = []
    places = [item for item in wanted if isinstance(item, RegionBounds)]
    rotations = [item for item in wanted if isinstance(item, OrientationBounds)]
    if len(wanted) == 2 and places and rotations and places[0].body == rotations[0].body:
        exact = [*_poses(places[0], rotations[0])]
    return [*exact, ConstrainedGoal(wanted)]


def _poses(place: RegionBounds, turn: OrientationBounds) -> list[PoseGoal]:
    """Return the poses in the middle of the tolerances, one for each region."""
    goals = []
    for shape, T_base_region in place.regions:
        pose = np.eye(4)
        pose[:3, :3] = np.asarray(turn.target) @ np.asarray(turn.tool).T
        middle = np.zeros(3) if not isinstance(shape, np.ndarray) else shape.mean(axis=0)
        at = np.asarray(T_base_region) @ np.append(middle, 1.0)
        pose[:3, 3] = at[:3] - pose[:3, :3] @ np.asarray(place.point)
        goals.append(PoseGoal(place.body, pose))
    return goals


def _joint_goal(constraints: list[JointConstraint], job: Job) -> Array:
    robot, group = job.robot, job.group
    names, values = [], []
    for item in constraints:
        value, above, below = item.position, item.tolerance_above, item.tolerance_below
        joint = robot.tree.get_joint(item.joint_name)
        if joint.mimic is not None:
            continue  # it follows another joint
        if joint.position_count == 1 and joint.type != "continuous":
            low, high = joint.position_limits
            # A goal outside a limit is clamped where its tolerance allows that.
            value = min(max(value, low), high) if low - above <= value <= high + below else value
        if item.joint_name not in group.joints:
            slot = list(robot.tree.position_names).index(item.joint_name)
            if not -below <= job.start[slot] - value <= above:
                raise MoveItError(
                    INVALID, f"joint '{item.joint_name}' does not move in group '{group.name}'"
                )
            continue
        names.append(item.joint_name)
        values.append(value)
    with error_code(INVALID):
        return robot.named.merge(job.start, names, np.array(values), strict=True)
