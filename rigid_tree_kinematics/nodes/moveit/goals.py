"""From MoveIt's goal constraints to goals of the planner."""

from __future__ import annotations

import math

import numpy as np
from geometry_msgs.msg import Pose
from moveit_msgs.msg import (
    Constraints,
    JointConstraint,
    MoveItErrorCodes,
    OrientationConstraint,
    PositionConstraint,
)
from numpy.typing import NDArray
from shape_msgs.msg import SolidPrimitive

from rigid_tree_kinematics.description.srdf_groups import Group
from rigid_tree_kinematics.kinematics import body_transform
from rigid_tree_kinematics.nodes.moveit.codes import MoveItError, refusing
from rigid_tree_kinematics.nodes.moveit.frames import BaseFrames
from rigid_tree_kinematics.nodes.moveit.robot import MoveItRobot
from rigid_tree_kinematics.nodes.scene.messages import placed_pose
from rigid_tree_kinematics.nodes.tf.target_frames import pose_matrix
from rigid_tree_kinematics.planning import PoseGoal, PoseRegion

Array = NDArray[np.float64]
Goals = list[Array | PoseGoal | PoseRegion]

INVALID = MoveItErrorCodes.INVALID_GOAL_CONSTRAINTS
ANY_TURN = (math.pi, 0.5 * math.pi, math.pi)  # of roll, pitch and yaw: every rotation
ANYWHERE = 0.3  # m, around where a link is, that a goal without a position is looked for
SPHERE_SHARE = 1.0 / math.sqrt(3.0)  # half edge of the cube in a sphere, by its radius
DISC_SHARE = 1.0 / math.sqrt(2.0)


async def goals_of(
    constraints: Constraints, robot: MoveItRobot, group: Group, start: Array, frames: BaseFrames
) -> Goals:
    """Return the goals that one of a request's alternatives stands for.

    Raises MoveItError for what is wrong or not served, and UnknownFrameError.
    """
    positions, turns = constraints.position_constraints, constraints.orientation_constraints
    if constraints.visibility_constraints:
        raise MoveItError(INVALID, "visibility constraints are not served")
    if constraints.joint_constraints and (positions or turns):
        raise MoveItError(INVALID, "joint constraints together with a pose are not served")
    if constraints.joint_constraints:
        return [_joint_goal(constraints.joint_constraints, robot, group, start)]
    if len(positions) > 1 or len(turns) > 1:
        raise MoveItError(INVALID, "one position and one orientation in a goal, not several")
    if positions and turns and positions[0].link_name != turns[0].link_name:
        raise MoveItError(INVALID, "a position and an orientation of different links")
    if not positions and not turns:
        raise MoveItError(INVALID, "a goal without constraints")
    return await _pose_goals(
        positions[0] if positions else None,
        turns[0] if turns else None,
        robot,
        group,
        start,
        frames,
    )


def _joint_goal(
    constraints: list[JointConstraint], robot: MoveItRobot, group: Group, start: Array
) -> Array:
    names, values = [], []
    for item in constraints:
        value, above, below = item.position, item.tolerance_above, item.tolerance_below
        numbers = (value, above, below)
        if not all(math.isfinite(number) for number in numbers) or min(above, below) < 0.0:
            raise MoveItError(
                INVALID, f"joint '{item.joint_name}': a position and tolerances are numbers"
            )
        with refusing(INVALID):
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


async def _pose_goals(
    place: PositionConstraint | None,
    turn: OrientationConstraint | None,
    robot: MoveItRobot,
    group: Group,
    start: Array,
    frames: BaseFrames,
) -> Goals:
    named = place.link_name if place is not None else turn.link_name if turn is not None else ""
    link = robot.link(named, group)
    now = body_transform(robot.tree, start, link)
    pose = now.copy()
    slack = np.array(ANY_TURN)
    if turn is not None:
        pose[:3, :3] = await _rotation(turn, start, frames)
        slack = np.clip(
            [
                turn.absolute_x_axis_tolerance,
                turn.absolute_y_axis_tolerance,
                turn.absolute_z_axis_tolerance,
            ],
            0.0,
            ANY_TURN,
        )
    room = np.full(3, ANYWHERE)
    if place is not None:
        region, room = await _region(place, start, frames)
        offset = place.target_point_offset
        shift = np.array([offset.x, offset.y, offset.z])
        if shift.any() and turn is None:
            raise MoveItError(INVALID, "an offset of the target point needs an orientation")
        if np.abs(region[:3, :3] - pose[:3, :3]).max() > 1e-6:
            # The region's own box is turned against the pose's axes: what fits in any case.
            room = np.full(3, room.min() * SPHERE_SHARE)
        pose[:3, 3] = region[:3, 3] - pose[:3, :3] @ shift
    bounds = PoseRegion(
        link, pose, np.column_stack([-room, room]), np.column_stack([-slack, slack])
    )
    return [PoseGoal(link, pose), bounds] if turn is not None else [bounds]


async def _rotation(turn: OrientationConstraint, start: Array, frames: BaseFrames) -> Array:
    tolerances = (
        turn.absolute_x_axis_tolerance,
        turn.absolute_y_axis_tolerance,
        turn.absolute_z_axis_tolerance,
    )
    if not all(math.isfinite(value) and value >= 0.0 for value in tolerances):
        raise MoveItError(INVALID, f"orientation tolerances are not negative, not {tolerances}")
    with refusing(INVALID):
        T = pose_matrix(Pose(orientation=turn.orientation), "orientation_constraint")
    T_base_frame = await frames.base_from(turn.header.frame_id, start)
    return (T_base_frame @ T)[:3, :3]


async def _region(
    place: PositionConstraint, start: Array, frames: BaseFrames
) -> tuple[Array, Array]:
    """Return the middle of a region in the base frame, and half the edges of a box in it."""
    volume = place.constraint_region
    if volume.meshes or volume.mesh_poses:
        raise MoveItError(INVALID, "constraint regions by meshes are not served")
    if len(volume.primitives) != 1 or len(volume.primitive_poses) != 1:
        raise MoveItError(INVALID, "a constraint region is one primitive with its pose")
    primitive = volume.primitives[0]
    sizes = np.array(primitive.dimensions)
    if not (np.isfinite(sizes).all() and (sizes >= 0.0).all()):
        raise MoveItError(INVALID, f"constraint region: sizes {sizes.tolist()}")
    with refusing(INVALID):
        T_frame_region = placed_pose(volume.primitive_poses[0])
    T = await frames.base_from(place.header.frame_id, start) @ T_frame_region
    if primitive.type == SolidPrimitive.SPHERE and len(sizes) == 1:
        return T, np.full(3, sizes[0] * SPHERE_SHARE)
    if primitive.type == SolidPrimitive.BOX and len(sizes) == 3:
        return T, 0.5 * sizes
    if primitive.type == SolidPrimitive.CYLINDER and len(sizes) == 2:
        radius = sizes[SolidPrimitive.CYLINDER_RADIUS] * DISC_SHARE
        return T, np.array([radius, radius, 0.5 * sizes[SolidPrimitive.CYLINDER_HEIGHT]])
    raise MoveItError(INVALID, "a constraint region is a sphere, a box or a cylinder")
