"""From MoveIt's goal constraints to goals of the planner."""

from __future__ import annotations

import numpy as np
from moveit_msgs.msg import Constraints, JointConstraint, MoveItErrorCodes

from rigid_tree_kinematics.arrays import Array
from rigid_tree_kinematics.description.srdf import Group
from rigid_tree_kinematics.ik import OrientationBounds, RegionBounds
from rigid_tree_kinematics.nodes.moveit.messages.codes import MoveItError, refusing
from rigid_tree_kinematics.nodes.moveit.messages.constraints import ConstraintReader
from rigid_tree_kinematics.nodes.moveit.messages.frames import BaseFrames
from rigid_tree_kinematics.nodes.moveit.messages.joint_constraints import merged_joints
from rigid_tree_kinematics.nodes.moveit.messages.robot import MoveItRobot
from rigid_tree_kinematics.planning import ConstrainedGoal, PoseGoal

Goals = list[Array | PoseGoal | ConstrainedGoal]

INVALID = MoveItErrorCodes.INVALID_GOAL_CONSTRAINTS


async def goals_of(
    constraints: Constraints, robot: MoveItRobot, group: Group, start: Array, frames: BaseFrames
) -> Goals:
    """Return the goals that one of a request's alternatives stands for.

    Raises MoveItError for what is wrong or not served, and UnknownFrameError.
    """
    positions, turns = constraints.position_constraints, constraints.orientation_constraints
    seen = constraints.visibility_constraints
    joints = merged_joints(constraints.joint_constraints, robot, INVALID)
    if constraints.joint_constraints and not positions and not turns and not seen:
        return [_joint_goal(joints, robot, group, start)]
    reader = ConstraintReader(robot, group, start, frames, moving_frames=False, code=INVALID)
    wanted = await reader.read(constraints)
    if not wanted:
        raise MoveItError(INVALID, "a goal without constraints")
    # What a pose is told by is reached exactly, if it can be.
    exact: Goals = []
    places = [item for item in wanted if isinstance(item, RegionBounds)]
    rotations = [item for item in wanted if isinstance(item, OrientationBounds)]
    if len(wanted) == 2 and places and rotations and places[0].body == rotations[0].body:
        exact = [*_poses(places[0], rotations[0])]
    return [*exact, ConstrainedGoal(wanted)]


def _poses(place: RegionBounds, turn: OrientationBounds) -> list[PoseGoal]:
    """Return the poses in the middle of all that is allowed, one for each region."""
    goals = []
    for shape, T_base_region in place.regions:
        pose = np.eye(4)
        pose[:3, :3] = turn.target
        middle = np.zeros(3) if not isinstance(shape, np.ndarray) else shape.mean(axis=0)
        at = np.asarray(T_base_region) @ np.append(middle, 1.0)
        pose[:3, 3] = at[:3] - pose[:3, :3] @ np.asarray(place.point)
        goals.append(PoseGoal(place.body, pose))
    return goals


def _joint_goal(
    constraints: list[JointConstraint], robot: MoveItRobot, group: Group, start: Array
) -> Array:
    names, values = [], []
    for item in constraints:
        value, above, below = item.position, item.tolerance_above, item.tolerance_below
        joint = robot.tree.get_joint(item.joint_name)
        if joint.mimic is not None:
            continue  # it follows another one
        if joint.position_count == 1 and joint.type != "continuous":
            low, high = joint.position_limits
            # The tolerance may bring a goal beyond a limit back into it.
            value = min(max(value, low), high) if low - above <= value <= high + below else value
        if item.joint_name not in group.joints:
            slot = list(robot.tree.position_names).index(item.joint_name)
            if not -below <= start[slot] - value <= above:
                raise MoveItError(
                    INVALID, f"joint '{item.joint_name}' does not move in group '{group.name}'"
                )
            continue
        names.append(item.joint_name)
        values.append(value)
    with refusing(INVALID):
        return robot.named.merge(start, names, np.array(values), strict=True)
