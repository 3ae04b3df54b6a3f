"""Conversion of MoveIt's constraint messages to constraints and goals of the library."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np
from geometry_msgs.msg import Pose
from moveit_msgs import msg
from shape_msgs.msg import Mesh, SolidPrimitive

from rigid_tree_kinematics import ik
from rigid_tree_kinematics.arrays import Array
from rigid_tree_kinematics.errors import ConfigurationError
from rigid_tree_kinematics.model import Box, Cylinder, RigidBodyTree, Sphere
from rigid_tree_kinematics.model.joints import resolve_mimic
from rigid_tree_kinematics.model.transforms import rotation_taking_z_to
from rigid_tree_kinematics.nodes.moveit.messages.codes import MoveItError, error_code
from rigid_tree_kinematics.nodes.moveit.messages.job import Job
from rigid_tree_kinematics.nodes.scene import placed_pose
from rigid_tree_kinematics.nodes.tf import pose_matrix
from rigid_tree_kinematics.planning import ConstrainedGoal, PoseGoal

Region = tuple[Box | Sphere | Cylinder | Array, Array]  # the shape, and T_reference_region
Goals = list[Array | PoseGoal | ConstrainedGoal]

INVALID = msg.MoveItErrorCodes.INVALID_GOAL_CONSTRAINTS
MOST_CONSTRAINTS = 200  # together, regions counted one by one
MOST_CORNERS = 20_000  # of a mesh
ROUNDING = 1e-9  # rad, m; ranges that meet in one point have this point in common
# The axes of a sensor that it may look along, by sensor_view_direction.
VIEW_AXES = {
    msg.VisibilityConstraint.SENSOR_Z: (0.0, 0.0, 1.0),
    msg.VisibilityConstraint.SENSOR_Y: (0.0, 1.0, 0.0),
    msg.VisibilityConstraint.SENSOR_X: (1.0, 0.0, 0.0),
}
# Humble's type has it, older ones lack it.
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
    message: msg.Constraints, job: Job, code: int, *, moving: bool = True
) -> list[ik.Constraint]:
    """Return the constraints of joints, positions, orientations, visibility, in this order.

    Constraints without a link are of the tip of the job's group. Invalid and unsupported ones
    raise MoveItError with ``code``; an unknown link and an unknown frame have codes of their own.
    Unless ``moving``, links as frames stay where they are in the start state.
    """
    count = count_constraints(message)
    with error_code(code):
        if count > MOST_CONSTRAINTS:
            raise ConfigurationError(f"{count} constraints, more than {MOST_CONSTRAINTS}")
        job.deadline.check(0, count, "constraints read")
        return [
            *(_joint_bounds(item, job.robot.tree) for item in message.joint_constraints),
            *[await _position(item, job, moving) for item in message.position_constraints],
            *[await _orientation(item, job, moving) for item in message.orientation_constraints],
            *[await _visibility(item, job) for item in message.visibility_constraints],
        ]


async def _reference(job: Job, frame: str, moving: bool) -> tuple[str | None, Array]:
    """Return the link that a frame moves with (None: the base), and T_link_frame."""
    if moving:
        return await job.frames.reference(frame, job.start)
    return None, await job.frames.base_from(frame, job.start)


async def _position(message: msg.PositionConstraint, job: Job, moving: bool) -> ik.RegionBounds:
    """Return the regions that a point of a link must stay in."""
    link, T_link_tool = job.tool(message.link_name)
    reference, T_reference_frame = await _reference(job, message.header.frame_id, moving)
    offset = message.target_point_offset
    point = T_link_tool @ np.array([offset.x, offset.y, offset.z, 1.0])
    regions = [(shape, T_reference_frame @ T) for shape, T in _regions(message)]
    return ik.RegionBounds(link, regions, reference, point[:3])


async def _orientation(
    message: msg.OrientationConstraint, job: Job, moving: bool
) -> ik.OrientationBounds:
    """Return the allowed rotations of a link."""
    link, T_link_tool = job.tool(message.link_name)
    x, y, z = (getattr(message, f"absolute_{axis}_axis_tolerance") for axis in "xyz")
    if not all(value >= 0.0 for value in (x, y, z)):
        raise ConfigurationError(f"orientation tolerances are not negative, not {(x, y, z)}")
    T = pose_matrix(Pose(orientation=message.orientation), "orientation_constraint")
    reference, T_reference_frame = await _reference(job, message.header.frame_id, moving)
    vector = getattr(message, "parameterization", 0) == ROTATION_VECTOR
    return ik.OrientationBounds(
        link,
        (T_reference_frame @ T)[:3, :3],
        (x, y, z),
        reference,
        "rotation_vector" if vector else "xyz",
        axes=T_reference_frame[:3, :3],
        tool=T_link_tool[:3, :3],
    )


async def _visibility(message: msg.VisibilityConstraint, job: Job) -> ik.VisibilityBounds:
    """Return a visibility constraint; the sensor's and target's frames move with the links."""
    direction = int(message.sensor_view_direction)
    if direction not in VIEW_AXES:
        words = "sensor_view_direction is 0 (z), 1 (y) or 2 (x)"
        raise ConfigurationError(f"{words}, not {direction}")
    frames = [pose.header.frame_id for pose in (message.target_pose, message.sensor_pose)]
    target_link, T_target_frame = await job.frames.reference(frames[0], job.start)
    sensor_link, T_sensor_frame = await job.frames.reference(frames[1], job.start)
    sensor = T_sensor_frame @ placed_pose(message.sensor_pose.pose)
    sensor[:3, :3] = sensor[:3, :3] @ rotation_taking_z_to(VIEW_AXES[direction])
    return ik.VisibilityBounds(
        target_link or job.robot.tree.base_name,
        T_target_frame @ placed_pose(message.target_pose.pose),
        sensor,
        abs(message.target_radius),
        message.max_view_angle,
        message.max_range_angle,
        sensor_link,
        message.cone_sides,
        job.robot.checkers.body_solids,
        # Like in MoveIt, links that the constraint names as frames do not block the view.
        [name for name in map(job.frames.link_of, frames) if name is not None],
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
        words = "a position and tolerances are numbers"
        raise ConfigurationError(f"joint '{message.joint_name}': {words}")
    return message.position - message.tolerance_below, message.position + message.tolerance_above


def _regions(message: msg.PositionConstraint) -> list[Region]:
    """Return shapes with their poses in the constraint's frame."""
    volume = message.constraint_region
    regions: list[Region] = []
    for name, shapes, poses, read in (
        ("primitive", volume.primitives, volume.primitive_poses, _primitive),
        ("mesh", volume.meshes, volume.mesh_poses, _corners),
    ):
        if len(shapes) != len(poses):
            words = f"{len(shapes)} of {name} with {len(poses)} poses"
            raise ConfigurationError(f"constraint region: {words}")
        regions += zip(map(read, shapes), map(placed_pose, poses), strict=True)
    if not regions:
        raise ConfigurationError("a constraint region needs a primitive or a mesh")
    return regions


def _primitive(message: SolidPrimitive) -> Box | Sphere | Cylinder:
    sizes = [float(size) for size in message.dimensions]
    if not all(math.isfinite(size) and size >= 0.0 for size in sizes):
        raise ConfigurationError(f"constraint region: sizes {sizes}")
    if message.type == SolidPrimitive.SPHERE and len(sizes) == 1:
        return Sphere(sizes[0])
    if message.type == SolidPrimitive.BOX and len(sizes) == 3:
        return Box((sizes[0], sizes[1], sizes[2]))
    if message.type == SolidPrimitive.CYLINDER and len(sizes) == 2:
        return Cylinder(
            sizes[SolidPrimitive.CYLINDER_RADIUS], sizes[SolidPrimitive.CYLINDER_HEIGHT]
        )
    raise ConfigurationError("a constraint region's primitives are spheres, boxes and cylinders")


def _corners(message: Mesh) -> Array:
    """Return the vertices of a mesh; its convex hull is the region."""
    if len(message.vertices) > MOST_CORNERS:
        raise ConfigurationError(f"a region's mesh has at most {MOST_CORNERS} vertices")
    points = [(p.x, p.y, p.z) for p in message.vertices]
    return np.array(points, dtype=np.float64).reshape(-1, 3)


# -- goals and joints ----------------------------------------------------------------------------


async def goals_of(constraints: msg.Constraints, job: Job) -> Goals:
    """Return the goals of one of a request's alternative goal constraints.

    Raises MoveItError for invalid and unsupported constraints, and UnknownFrameError.
    """
    with error_code(INVALID):
        joints = merged_joints(constraints.joint_constraints, job.robot.tree)
        if joints and count_constraints(constraints) == len(constraints.joint_constraints):
            return [_joint_goal(joints, job)]
    wanted = await read_constraints(constraints, job, INVALID, moving=False)
    if not wanted:
        raise MoveItError(INVALID, "a goal without constraints")
    exact: Goals = []
    if len(wanted) == 2:
        # A position and an orientation of one link are tried as an exact pose first.
        place, turn = wanted
        if isinstance(place, ik.RegionBounds) and isinstance(turn, ik.OrientationBounds):
            exact += _poses(place, turn)
    return [*exact, ConstrainedGoal(wanted)]


def _poses(place: ik.RegionBounds, turn: ik.OrientationBounds) -> list[PoseGoal]:
    """Return the poses in the middle of the tolerances, one for each region of the same link."""
    goals = []
    for shape, T_base_region in place.regions if place.body == turn.body else ():
        pose = np.eye(4)
        pose[:3, :3] = np.asarray(turn.target) @ np.asarray(turn.tool).T
        middle = shape.mean(axis=0) if isinstance(shape, np.ndarray) else np.zeros(3)
        at = np.asarray(T_base_region) @ np.append(middle, 1.0)
        pose[:3, 3] = at[:3] - pose[:3, :3] @ np.asarray(place.point)
        goals.append(PoseGoal(place.body, pose))
    return goals


def _joint_goal(constraints: Sequence[msg.JointConstraint], job: Job) -> Array:
    tree, group = job.robot.tree, job.group
    wanted = {}
    for item in constraints:
        name, value = item.joint_name, item.position
        above, below = item.tolerance_above, item.tolerance_below
        joint = tree.get_joint(name)
        if joint.mimic is not None:
            continue  # it follows another joint
        if joint.position_count == 1 and joint.type != "continuous":
            low, high = joint.position_limits
            # A goal outside a limit is clamped where its tolerance allows that.
            value = min(max(value, low), high) if low - above <= value <= high + below else value
        if name in group.joints:
            wanted[name] = value
        elif not -below <= job.start[list(tree.position_names).index(name)] - value <= above:
            raise ConfigurationError(f"joint '{name}' does not move in group '{group.name}'")
    values = np.array(list(wanted.values()))
    return job.robot.named.merge(job.start, list(wanted), values, strict=True)


def merged_joints(
    items: Sequence[msg.JointConstraint], tree: RigidBodyTree
) -> list[msg.JointConstraint]:
    """Return one constraint for each joint: the intersection of its constraints.

    The position is that of the last one, or the nearest that all allow. Raises a RigidTreeError
    that names a joint whose constraints exclude each other, or that does not exist.
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
            raise ConfigurationError(
                f"joint '{item.joint_name}': its constraints leave nothing: "
                f"[{first_low:.4g}, {first_high:.4g}] and [{low:.4g}, {high:.4g}] do not meet"
            )
        low = max(low, first_low)
        high = max(low, min(high, first_high))
        middle = min(max(at, low), high)
        sides = {"tolerance_above": high - middle, "tolerance_below": middle - low}
        name = item.joint_name
        merged[name] = msg.JointConstraint(joint_name=name, position=middle, **sides)
    return list(merged.values())
