"""MoveIt's constraint messages as constraints of the library."""

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
    VisibilityConstraint,
)
from shape_msgs.msg import Mesh, SolidPrimitive

from rigid_tree_kinematics.arrays import Array
from rigid_tree_kinematics.ik import (
    Constraint,
    JointBounds,
    OrientationBounds,
    RegionBounds,
    VisibilityBounds,
)
from rigid_tree_kinematics.model import Box, Cylinder, Sphere
from rigid_tree_kinematics.model.joints import resolve_mimic
from rigid_tree_kinematics.model.transforms import rotation_taking_z_to
from rigid_tree_kinematics.nodes.moveit.messages.codes import MoveItError, error_code
from rigid_tree_kinematics.nodes.moveit.messages.job import Job
from rigid_tree_kinematics.nodes.moveit.messages.joint_constraints import check_numbers
from rigid_tree_kinematics.nodes.scene import placed_pose
from rigid_tree_kinematics.nodes.tf import pose_matrix

Region = tuple[Box | Sphere | Cylinder | Array, Array]  # the shape, and T_reference_region

MOST_CONSTRAINTS = 200  # together, regions counted one by one
MOST_CORNERS = 20_000  # of a mesh
# The axes of a sensor that it may look along, by sensor_view_direction.
VIEW_AXES = {
    VisibilityConstraint.SENSOR_Z: (0.0, 0.0, 1.0),
    VisibilityConstraint.SENSOR_Y: (0.0, 1.0, 0.0),
    VisibilityConstraint.SENSOR_X: (1.0, 0.0, 0.0),
}
# Humble's type has it, older ones lack it.
ROTATION_VECTOR = getattr(OrientationConstraint, "ROTATION_VECTOR", 1)


class ConstraintReader:
    """Reads the constraints of a job's group.

    Args:
        job: the request that they are part of.
        moving_frames: whether the frame of a link moves with it; otherwise it stays where it is in
            the job's start state.
        code: of the MoveItError for an invalid or unsupported constraint; an unknown link and an
            unknown frame have codes of their own.
    """

    def __init__(self, job: Job, *, moving_frames: bool, code: int) -> None:
        self._job = job
        self._moving_frames = moving_frames
        self._code = code

    async def read(self, message: Constraints) -> list[Constraint]:
        """Return the constraints of joints, positions, orientations, visibility, in this order."""
        count = len(message.joint_constraints) + len(message.orientation_constraints)
        count += len(message.visibility_constraints)
        for item in message.position_constraints:
            volume = item.constraint_region
            count += max(1, len(volume.primitives) + len(volume.meshes))
        if count > MOST_CONSTRAINTS:
            raise MoveItError(
                self._code, f"{count} constraints and regions, more than {MOST_CONSTRAINTS}"
            )
        self._job.frames.deadline.check(0, count, "constraints read")
        with error_code(self._code):
            return [
                *(self._joint(item) for item in message.joint_constraints),
                *[await self.position(item) for item in message.position_constraints],
                *[await self.orientation(item) for item in message.orientation_constraints],
                *[await self.visibility(item) for item in message.visibility_constraints],
            ]

    async def position(self, message: PositionConstraint) -> RegionBounds:
        """Return the regions that a point of a link must stay in."""
        link, T_link_tool = self._job.tool(message.link_name)
        reference, T_reference_frame = await self._reference(message.header.frame_id)
        offset = message.target_point_offset
        point = T_link_tool @ np.array([offset.x, offset.y, offset.z, 1.0])
        regions = [
            (shape, T_reference_frame @ T_frame_region)
            for shape, T_frame_region in _regions(message, self._code)
        ]
        with error_code(self._code):
            return RegionBounds(link, regions, reference, point[:3])

    async def orientation(self, message: OrientationConstraint) -> OrientationBounds:
        """Return the allowed rotations of a link."""
        link, T_link_tool = self._job.tool(message.link_name)
        tolerances = (
            message.absolute_x_axis_tolerance,
            message.absolute_y_axis_tolerance,
            message.absolute_z_axis_tolerance,
        )
        if not all(value >= 0.0 for value in tolerances):
            raise MoveItError(
                self._code, f"orientation tolerances are not negative, not {tolerances}"
            )
        with error_code(self._code):
            T = pose_matrix(Pose(orientation=message.orientation), "orientation_constraint")
        reference, T_reference_frame = await self._reference(message.header.frame_id)
        vector = getattr(message, "parameterization", 0) == ROTATION_VECTOR
        with error_code(self._code):
            return OrientationBounds(
                link,
                (T_reference_frame @ T)[:3, :3],
                tolerances,
                reference,
                "rotation_vector" if vector else "xyz",
                axes=T_reference_frame[:3, :3],
                tool=T_link_tool[:3, :3],
            )

    async def visibility(self, message: VisibilityConstraint) -> VisibilityBounds:
        """Return what a sensor must see; its frame and that of the target move with the links."""
        direction = int(message.sensor_view_direction)
        if direction not in VIEW_AXES:
            raise MoveItError(
                self._code,
                f"sensor_view_direction is 0 (z), 1 (y) or 2 (x) of the sensor, not {direction}",
            )
        places = []
        for pose in (message.target_pose, message.sensor_pose):
            frame = pose.header.frame_id
            link, T_link_frame = await self._job.frames.reference(frame, self._job.start)
            with error_code(self._code):
                places.append((link, T_link_frame @ placed_pose(pose.pose)))
        (target_link, target), (sensor_link, sensor) = places
        sensor[:3, :3] = sensor[:3, :3] @ rotation_taking_z_to(VIEW_AXES[direction])
        base = self._job.robot.tree.base_name
        # Like in MoveIt, links that the constraint names as frames do not block the view.
        named = [pose.header.frame_id for pose in (message.target_pose, message.sensor_pose)]
        with error_code(self._code):
            return VisibilityBounds(
                target_link or base,
                target,
                sensor,
                abs(message.target_radius),
                message.max_view_angle,
                message.max_range_angle,
                sensor_link,
                message.cone_sides,
                self._job.robot.checkers.body_solids,
                [name for name in map(self._job.frames.link_of, named) if name is not None],
            )

    async def _reference(self, frame: str) -> tuple[str | None, Array]:
        if self._moving_frames:
            return await self._job.frames.reference(frame, self._job.start)
        return None, await self._job.frames.base_from(frame, self._job.start)

    def _joint(self, message: JointConstraint) -> JointBounds:
        name, value = message.joint_name, message.position
        above, below = message.tolerance_above, message.tolerance_below
        check_numbers(message, self._code)
        joints = {joint.name: joint for joint in self._job.robot.tree.joints}
        joint = self._job.robot.tree.get_joint(name)
        if joint.mimic is None:
            return JointBounds({name: (value - below, value + above)})
        source, multiplier, offset = resolve_mimic(joint, joints, self._job.robot.tree.name)
        ends = sorted((end - offset) / multiplier for end in (value - below, value + above))
        return JointBounds({source.name: (ends[0], ends[1])})


def _regions(message: PositionConstraint, code: int) -> list[Region]:
    """Return shapes with their poses in the constraint's frame."""
    volume = message.constraint_region
    regions: list[Region] = []
    pairs = (
        ("primitive", volume.primitives, volume.primitive_poses, _primitive),
        ("mesh", volume.meshes, volume.mesh_poses, _corners),
    )
    for name, shapes, poses, read in pairs:
        if len(shapes) != len(poses):
            raise MoveItError(
                code, f"constraint region: {len(shapes)} of {name} with {len(poses)} poses"
            )
        for shape, pose in zip(shapes, poses, strict=True):
            with error_code(code):
                regions.append((read(shape, code), placed_pose(pose)))
    if not regions:
        raise MoveItError(code, "a constraint region needs a primitive or a mesh")
    return regions


def _primitive(message: SolidPrimitive, code: int) -> Box | Sphere | Cylinder:
    sizes = [float(size) for size in message.dimensions]
    if not all(math.isfinite(size) and size >= 0.0 for size in sizes):
        raise MoveItError(code, f"constraint region: sizes {sizes}")
    if message.type == SolidPrimitive.SPHERE and len(sizes) == 1:
        return Sphere(sizes[0])
    if message.type == SolidPrimitive.BOX and len(sizes) == 3:
        return Box((sizes[0], sizes[1], sizes[2]))
    if message.type == SolidPrimitive.CYLINDER and len(sizes) == 2:
        return Cylinder(
            sizes[SolidPrimitive.CYLINDER_RADIUS], sizes[SolidPrimitive.CYLINDER_HEIGHT]
        )
    raise MoveItError(code, "a constraint region's primitives are spheres, boxes and cylinders")


def _corners(message: Mesh, code: int) -> Array:
    """Return the vertices of a mesh; its convex hull is the region."""
    if len(message.vertices) > MOST_CORNERS:
        raise MoveItError(code, f"a region's mesh has at most {MOST_CORNERS} vertices")
    points = [(p.x, p.y, p.z) for p in message.vertices]
    return np.array(points, dtype=np.float64).reshape(-1, 3)


def violates_start(words: str) -> MoveItError:
    """Return the error for a start that violates the path constraints."""
    code = MoveItErrorCodes.START_STATE_VIOLATES_PATH_CONSTRAINTS
    return MoveItError(code, f"the start violates the constraints: {words}")
