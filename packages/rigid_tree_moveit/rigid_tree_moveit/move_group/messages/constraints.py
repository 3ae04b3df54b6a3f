"""Conversion of MoveIt's constraint messages to constraints and goals of the library."""

import math
from collections.abc import Sequence
from typing import TypeAlias

import numpy as np
from geometry_msgs.msg import Pose
from moveit_msgs import msg
from shape_msgs.msg import Mesh, SolidPrimitive

from rigid_tree_kinematics import ik
from rigid_tree_kinematics.arrays import Array
from rigid_tree_kinematics.errors import ConfigurationError, RigidTreeError
from rigid_tree_kinematics.model import Box, Cylinder, RigidBodyTree, Sphere
from rigid_tree_kinematics.model.joints import resolve_mimic
from rigid_tree_kinematics.model.transforms import rotation_taking_z_to
from rigid_tree_kinematics.nodes.scene import coordinates, placed_pose, read_primitive
from rigid_tree_kinematics.planning import ConstrainedGoal, PoseGoal
from rigid_tree_kinematics.text import told_apart
from rigid_tree_moveit.move_group.codes import MoveItError, error_code
from rigid_tree_moveit.move_group.robot import PlanningContext

Region: TypeAlias = tuple[Box | Sphere | Cylinder | Array, Array]
Goals = list[Array | PoseGoal | ConstrainedGoal]

INVALID = msg.MoveItErrorCodes.INVALID_GOAL_CONSTRAINTS
MOST_CONSTRAINTS = 200  # in total, with each region
MOST_CORNERS = 20_000  # of a mesh
ROUNDING = 1e-9  # rad, m; ranges that share one point overlap
# Not in distributions before Humble.
ROTATION_VECTOR = getattr(msg.OrientationConstraint, "ROTATION_VECTOR", 1)


def count_constraints(message: msg.Constraints) -> int:
    """Return the number of constraints; each region of a position is one."""
    volumes = [item.constraint_region for item in message.position_constraints]
    return (
        len(message.joint_constraints)
        + len(message.orientation_constraints)
        + len(message.visibility_constraints)
        + sum(max(1, len(volume.primitives) + len(volume.meshes)) for volume in volumes)
    )


async def read_constraints(
    message: msg.Constraints, context: PlanningContext, code: int, *, moving: bool = True
) -> list[ik.Constraint]:
    """Return the constraints of joints, positions, orientations, visibility, in this order.

    Constraints without a link apply to the tip of the context's group. Invalid and unsupported
    ones raise MoveItError with ``code``; unknown links and frames have their own codes. Unless
    ``moving``, links used as frames stay at their poses in the start state.
    """
    count = count_constraints(message)
    with error_code(code):
        if count > MOST_CONSTRAINTS:
            raise ConfigurationError(f"{count} constraints, more than {MOST_CONSTRAINTS}")
        context.deadline.check(0, count, "constraints read")
        return [
            *(_joint_bounds(item, context.robot.tree) for item in message.joint_constraints),
            *[await _position(item, context, moving) for item in message.position_constraints],
            *[
                await _orientation(item, context, moving)
                for item in message.orientation_constraints
            ],
            *[await _visibility(item, context) for item in message.visibility_constraints],
        ]


async def read_path_constraints(
    message: msg.Constraints, context: PlanningContext
) -> list[ik.Constraint]:
    """Return the constraints along a path; MoveItError PLANNING_FAILED, UnknownFrameError."""
    code = msg.MoveItErrorCodes.PLANNING_FAILED
    with error_code(code):
        _merged_joints(message.joint_constraints, context.robot.tree)
    return await read_constraints(message, context, code)


async def _reference(
    context: PlanningContext, frame: str, moving: bool
) -> tuple[str | None, Array]:
    """Return the link that a frame moves with (None: the base), and T_link_frame."""
    if moving:
        return await context.frames.reference(frame, context.start)
    return None, await context.frames.base_from(frame, context.start)


async def _position(
    message: msg.PositionConstraint, context: PlanningContext, moving: bool
) -> ik.RegionBounds:
    """Return the regions that a point of a link must stay in."""
    link, T_link_tool = context.tool(message.link_name)
    reference, T_reference_frame = await _reference(context, message.header.frame_id, moving)
    offset = message.target_point_offset
    point = T_link_tool @ np.array([offset.x, offset.y, offset.z, 1.0])
    volume = message.constraint_region
    regions: list[Region] = []
    left_out: list[str] = []
    for kind in ("primitive", "mesh"):
        plural = "primitives" if kind == "primitive" else "meshes"
        items, poses = getattr(volume, plural), getattr(volume, f"{kind}_poses")
        for number, item in enumerate(items):
            try:
                if number >= len(poses):
                    raise ConfigurationError("it has no pose")
                region = _region_shape(item), T_reference_frame @ placed_pose(poses[number])
                ik.RegionBounds(link, [region])  # checks it
                regions.append(region)
            except RigidTreeError as error:
                left_out.append(f"{plural}[{number}]: {error}")
    what = f"constraint region of '{message.link_name or link}'"
    if not regions:
        raise ConfigurationError("; ".join(left_out) or f"{what}: it needs a primitive or a mesh")
    if left_out:  # as in MoveIt
        context.remarks.append(f"left out of the {what}: {'; '.join(left_out)}")
    return ik.RegionBounds(link, regions, reference, point[:3])


def _region_shape(item: SolidPrimitive | Mesh) -> Box | Sphere | Cylinder | Array:
    """Return a shape of a constraint region; for a mesh, the corners of its convex hull."""
    if isinstance(item, Mesh):
        if len(item.vertices) > MOST_CORNERS:
            raise ConfigurationError(f"a region's mesh must have at most {MOST_CORNERS} vertices")
        return coordinates(item.vertices)
    shape = read_primitive(item)
    if not isinstance(shape, Box | Sphere | Cylinder):
        reason = "primitives must be spheres, boxes or cylinders"
        raise ConfigurationError(f"a constraint region's {reason}")
    return shape


async def _orientation(
    message: msg.OrientationConstraint, context: PlanningContext, moving: bool
) -> ik.OrientationBounds:
    """Return the allowed rotations of a link."""
    link, T_link_tool = context.tool(message.link_name)
    tolerances = [getattr(message, f"absolute_{axis}_axis_tolerance") for axis in "xyz"]
    if not all(value >= 0.0 for value in tolerances):
        raise ConfigurationError(f"orientation tolerances must not be negative: {tolerances}")
    T = placed_pose(Pose(orientation=message.orientation), "orientation_constraint")
    turn = message.orientation
    length = math.hypot(turn.x, turn.y, turn.z, turn.w)
    if abs(length - 1.0) > 1e-3:
        used = "normalized" if length else "no rotation is used"
        place = f"orientation_constraint of '{message.link_name}'"
        context.remarks.append(f"{place}: the quaternion is of length {length:.4g}: {used}")
    reference, T_reference_frame = await _reference(context, message.header.frame_id, moving)
    vector = getattr(message, "parameterization", 0) == ROTATION_VECTOR
    return ik.OrientationBounds(
        link,
        (T_reference_frame @ T)[:3, :3],
        tolerances,
        reference,
        "rotation_vector" if vector else "xyz",
        axes=T_reference_frame[:3, :3],
        tool=T_link_tool[:3, :3],
    )


async def _visibility(
    message: msg.VisibilityConstraint, context: PlanningContext
) -> ik.VisibilityBounds:
    """Return a visibility constraint; the sensor's and target's frames move with the links."""
    direction = int(message.sensor_view_direction)
    if direction not in range(3):
        reason = "sensor_view_direction must be 0 (z), 1 (y) or 2 (x)"
        raise ConfigurationError(f"{reason}, not {direction}")
    frames = [pose.header.frame_id for pose in (message.target_pose, message.sensor_pose)]
    target_link, T_target_frame = await context.frames.reference(frames[0], context.start)
    sensor_link, T_sensor_frame = await context.frames.reference(frames[1], context.start)
    sensor = T_sensor_frame @ placed_pose(message.sensor_pose.pose)
    sensor[:3, :3] = sensor[:3, :3] @ rotation_taking_z_to(np.eye(3)[2 - direction])
    return ik.VisibilityBounds(
        target_link or context.robot.tree.base_name,
        T_target_frame @ placed_pose(message.target_pose.pose),
        sensor,
        abs(message.target_radius),
        message.max_view_angle,
        message.max_range_angle,
        sensor_link,
        message.cone_sides,
        context.robot.checkers.body_solids,
        # As in MoveIt, links that are the constraint's frames do not block the view.
        [name for name in map(context.frames.link_of, frames) if name is not None],
    )


def _joint_bounds(message: msg.JointConstraint, tree: RigidBodyTree) -> ik.JointBounds:
    low, high = _range(message)
    joint = tree.get_joint(message.joint_name)
    joints = {each.name: each for each in tree.joints}
    source, multiplier, offset = resolve_mimic(joint, joints, tree.name)
    low, high = sorted(((low - offset) / multiplier, (high - offset) / multiplier))
    return ik.JointBounds({source.name: (low, high)})


def _range(message: msg.JointConstraint) -> tuple[float, float]:
    """Return the minimum and maximum position; raises ConfigurationError."""
    numbers = (message.position, message.tolerance_above, message.tolerance_below)
    if not all(map(math.isfinite, numbers)) or min(numbers[1:]) < 0.0:
        reason = "position and tolerances must be finite, tolerances not negative"
        raise ConfigurationError(f"joint '{message.joint_name}': {reason}")
    return message.position - message.tolerance_below, message.position + message.tolerance_above


# -- goals and joints ----------------------------------------------------------------------------


async def goals_of(constraints: msg.Constraints, context: PlanningContext) -> Goals:
    """Return the goals of one of a request's alternative goal constraints.

    Raises MoveItError for invalid and unsupported constraints, and UnknownFrameError.
    """
    with error_code(INVALID):
        joints = _merged_joints(constraints.joint_constraints, context.robot.tree)
        if joints and count_constraints(constraints) == len(constraints.joint_constraints):
            return [_joint_goal(joints, context)]
    wanted = await read_constraints(constraints, context, INVALID, moving=False)
    if not wanted:
        raise MoveItError(INVALID, "a goal without constraints")
    goal = ConstrainedGoal(wanted)
    return [*goal.middle_poses(), goal]


def _joint_goal(constraints: Sequence[msg.JointConstraint], context: PlanningContext) -> Array:
    tree, group = context.robot.tree, context.group
    wanted = {}
    for item in constraints:
        name, value = item.joint_name, item.position
        above, below = item.tolerance_above, item.tolerance_below
        joint = tree.get_joint(name)
        if joint.mimic is not None:
            continue  # it follows another joint
        if joint.position_count == 1 and joint.type != "continuous":
            low, high = joint.soft_limits
            # A goal outside a limit is clamped if its tolerance allows it.
            value = min(max(value, low), high) if low - above <= value <= high + below else value
        if name in group.joints:
            wanted[name] = value
        elif not -below <= context.start[list(tree.position_names).index(name)] - value <= above:
            raise ConfigurationError(f"joint '{name}' does not move in group '{group.name}'")
    values = np.array(list(wanted.values()))
    return context.robot.named.merge(context.start, list(wanted), values, strict=True)


def _merged_joints(
    items: Sequence[msg.JointConstraint], tree: RigidBodyTree
) -> list[msg.JointConstraint]:
    """Return one constraint for each joint: the intersection of its constraints.

    Its position is that of the last one, or the nearest position that all allow. Raises a
    RigidTreeError that names a joint with conflicting constraints, or an unknown joint.
    """
    merged: dict[str, msg.JointConstraint] = {}
    for item in items:
        low, high = _range(item)
        joint = tree.get_joint(item.joint_name)
        before = merged.get(item.joint_name)
        merged[item.joint_name] = item
        if before is None:
            continue
        at, (first_low, first_high) = item.position, _range(before)
        if joint.type == "continuous":
            turns = 2.0 * math.pi * round((before.position - at) / (2.0 * math.pi))
            low, at, high = low + turns, at + turns, high + turns
        if max(low, first_low) > min(high, first_high) + ROUNDING:
            a, b, c, d = told_apart(first_low, first_high, low, high, digits=4)
            raise ConfigurationError(
                f"joint '{item.joint_name}': its constraints conflict: [{a}, {b}] and [{c}, {d}] "
                "do not overlap"
            )
        low = max(low, first_low)
        high = max(low, min(high, first_high))
        middle = min(max(at, low), high)
        sides = {"tolerance_above": high - middle, "tolerance_below": middle - low}
        name = item.joint_name
        merged[name] = msg.JointConstraint(joint_name=name, position=middle, **sides)
    return list(merged.values())
