"""Conversion between MoveIt's collision objects and obstacles.

Objects are read into changes of the scene. As in MoveIt, an object keeps its valid shapes and
subframes if others are invalid.
"""

import math
from collections import Counter
from collections.abc import Awaitable, Callable, Collection, Mapping
from dataclasses import dataclass, field, replace
from typing import Any, TypeAlias

import numpy as np
from geometry_msgs.msg import Point, Pose
from moveit_msgs.msg import AttachedCollisionObject, CollisionObject
from shape_msgs.msg import Mesh, MeshTriangle, Plane, SolidPrimitive

from rigid_tree_kinematics.arrays import Array
from rigid_tree_kinematics.collision import (
    Obstacle,
    PlacedShape,
    PointCloud,
    Scene,
    Shape,
    Triangles,
    cone,
)
from rigid_tree_kinematics.errors import CollisionError, RigidTreeError
from rigid_tree_kinematics.model import Box
from rigid_tree_kinematics.model import Mesh as MeshFile
from rigid_tree_kinematics.model.transforms import rotation_taking_z_to, transform
from rigid_tree_kinematics.nodes.base import pose_message
from rigid_tree_kinematics.nodes.scene import (
    changes,
    coordinates,
    placed_pose,
    primitive_message,
    read_primitive,
)
from rigid_tree_kinematics.nodes.tf import UnknownFrameError

Labels = Mapping[str, Mapping[str, Any]]  # by the names of objects
BaseFrom: TypeAlias = Callable[[str], Awaitable[Array]]  # returns T_base_frame of a frame
PRISM = getattr(SolidPrimitive, "PRISM", 5)  # not in distributions before Iron
TYPE, COLOR = "type", "color"
COUNTS = {
    **{SolidPrimitive.BOX: 3, SolidPrimitive.SPHERE: 1, SolidPrimitive.CYLINDER: 2},
    **{SolidPrimitive.CONE: 2, PRISM: 1},
}
THINNEST = 1e-4  # m
PLANE = (200.0, 200.0, 1e-3)  # m, size of the box that replaces a plane
POSES = {"primitives": "primitive_poses", "meshes": "mesh_poses", "planes": "plane_poses"}


def operation_of(operation: bytes | int) -> int:
    """Return an operation as a number; some Python messages have bytes."""
    return int(operation[0]) if isinstance(operation, bytes) else int(operation)


ADD, REMOVE, APPEND, MOVE = (
    operation_of(getattr(CollisionObject, name)) for name in ("ADD", "REMOVE", "APPEND", "MOVE")
)


@dataclass
class Remarks:
    """What a scene lacks because an element of a message is invalid, and other remarks.

    ``absent`` lists removals of objects that there are not.
    """

    left_out: list[str] = field(default_factory=list)
    absent: list[str] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)
    frame_unknown: bool = False  # the reason why something is left out

    def require_all(self) -> list[str]:
        """Return the remarks; CollisionError or UnknownFrameError if something is left out."""
        if self.left_out:
            kind = UnknownFrameError if self.frame_unknown else CollisionError
            raise kind("; ".join(self.left_out))
        return self.absent + self.notes

    def add(self, other: "Remarks", place: str) -> None:
        """Add remarks about an element of a message."""
        prefix = place and f"{place}: "
        self.left_out += [f"{prefix}{text}" for text in other.left_out]
        self.absent += [f"{prefix}{text}" for text in other.absent]
        self.notes += [f"{prefix}{text}" for text in other.notes]
        self.frame_unknown = self.frame_unknown or other.frame_unknown


# -- from messages -------------------------------------------------------------------------------


async def object_changes(
    message: CollisionObject, scene: Scene, base_from: BaseFrom, remarks: Remarks
) -> list[changes.Change]:
    """Return the changes of an object's message; raises a RigidTreeError."""
    operation, known = operation_of(message.operation), scene.obstacles.get(message.id)
    if operation == REMOVE:  # an empty name means all objects
        names = [name for name in scene.obstacles if message.id in ("", name)]
        if message.id and not names:
            remarks.absent.append("there is no such object to remove")
        return [changes.Remove(name) for name in names]
    if operation == APPEND and known is not None:
        return [changes.Add(_appended(known, message, remarks))]
    if operation == MOVE:
        if known is None:
            raise CollisionError("there is no such object to move")
        if any(getattr(message, shapes) for shapes in POSES):
            remarks.notes.append("MOVE ignores the shapes of the message")
        obstacle = _moved(known, message)
    elif operation in (ADD, APPEND):
        obstacle = _obstacle(message, remarks)
    else:
        raise CollisionError(f"unknown operation {operation}")
    return [changes.Add(await _in_base(obstacle, message, base_from))]


async def attached_changes(
    message: AttachedCollisionObject,
    scene: Scene,
    base_from: BaseFrom,
    remarks: Remarks,
    links: Collection[str],
) -> list[changes.Change]:
    """Return the changes of an attached object's message; raises a RigidTreeError."""
    item, link = message.object, message.link_name
    operation = operation_of(item.operation)
    if operation == REMOVE:
        on_link = [name for name, held in scene.attached.items() if link in ("", held.body)]
        names = [name for name in on_link if item.id in ("", name)]
        if item.id in scene.attached and not names:
            body = scene.attached[item.id].body
            raise CollisionError(f"it is attached to '{body}', not to '{link}'")
        if item.id and not names:
            remarks.absent.append("it is not attached")
        return [changes.Detach(name) for name in names]
    if operation not in (ADD, APPEND):
        raise CollisionError("attached objects can only be added or removed")
    known = scene.attached.get(item.id)
    found: list[changes.Change] = [] if known is None else [changes.Detach(item.id)]
    touched = list(message.touch_links)
    if item.primitives or item.meshes or item.planes:
        if operation == APPEND and known is not None:
            obstacle = _appended(known.obstacle, item, remarks)
            obstacle = replace(obstacle, pose=await base_from(item.id))
            touched = [*dict.fromkeys((*known.touch_bodies, *touched))]
        else:
            obstacle = await _in_base(_obstacle(item, remarks), item, base_from)
        found.append(changes.Add(obstacle))
    touchable = {*links, *scene.obstacles, *scene.attached}
    if unknown := [name for name in touched if name not in touchable]:
        remarks.notes.append(f"unknown touch_links: {', '.join(unknown)}")
    touch_bodies = tuple(name for name in touched if name in touchable)
    return [*found, changes.Attach(item.id, link, touch_bodies)]


async def _in_base(obstacle: Obstacle, message: CollisionObject, base_from: BaseFrom) -> Obstacle:
    """Return an obstacle in the robot's base; it is in the frame of its message."""
    T_base_frame = await base_from(message.header.frame_id)
    return replace(obstacle, pose=T_base_frame @ obstacle.pose)


def _moved(known: Obstacle, message: CollisionObject) -> Obstacle:
    """Return an object at the pose of a message, with the poses that it gives to its shapes."""
    moved = replace(known, pose=placed_pose(message.pose))
    given = {kind: list(getattr(message, poses)) for kind, poses in POSES.items()}
    if not any(given.values()):
        return moved
    kinds = [_kind(placed.shape) for placed in known.shapes]
    counts = Counter(kinds)
    # Cones are among the meshes; their places among the other primitives are not known.
    cones = len(given["primitives"]) - counts["primitives"]
    needed = {"planes": counts["planes"], "meshes": counts["meshes"] - cones}
    if cones < 0 or any(len(given[kind]) != count for kind, count in needed.items()):
        found = ", ".join(f"{counts[kind]} {poses}" for kind, poses in POSES.items())
        raise CollisionError(f"MOVE needs {found}, or none")
    if cones and counts["primitives"]:
        raise CollisionError("MOVE cannot place cones beside other primitives")
    if cones:
        given["meshes"] = given["primitives"] + given["meshes"]
    poses = {kind: iter(given[kind]) for kind in given}
    shapes = [
        PlacedShape(placed.shape, placed_pose(next(poses[kind]))) if kind in POSES else placed
        for kind, placed in zip(kinds, known.shapes, strict=True)
    ]
    return replace(moved, shapes=tuple(shapes))


def _kind(shape: Shape) -> str:
    """Return the field of a message that has a shape; empty for shapes that MoveIt lacks."""
    if isinstance(shape, PointCloud | MeshFile):
        return ""
    if isinstance(shape, Triangles):
        return "meshes"
    return "planes" if isinstance(shape, Box) and tuple(shape.size) == PLANE else "primitives"


def _appended(known: Obstacle, message: CollisionObject, remarks: Remarks) -> Obstacle:
    """Return an object with more shapes; as in MoveIt, their poses are in its own frame."""
    more = _obstacle(message, remarks, whole=False)
    return replace(known, shapes=(*known.shapes, *more.shapes), subframes=more.subframes)


def _obstacle(message: CollisionObject, remarks: Remarks, whole: bool = True) -> Obstacle:
    """Return a message's object; if it is not ``whole``, to be appended to another one.

    Its pose is in the frame of the message. Invalid shapes and subframes are left out. Raises
    CollisionError if no shape is left.
    """
    shapes = [
        *_valid(message, "primitives", _primitive, remarks),
        *_valid(message, "meshes", _mesh, remarks),
        *_valid(message, "planes", _plane, remarks),
    ]
    if not shapes:
        reasons = remarks.left_out.copy() or ["there are no shapes"]
        remarks.left_out.clear()
        raise CollisionError(", ".join(reasons))
    pose = placed_pose(message.pose)
    count = sum(len(getattr(message, kind)) for kind in POSES)
    if whole and count == 1 and (pose == np.eye(4)).all():
        # As in MoveIt, the pose of the only shape is that of the object, and of its frame.
        pose, shapes = shapes[0].pose, [PlacedShape(shapes[0].shape)]
    return Obstacle(message.id, tuple(shapes), pose, _valid_subframes(message, remarks))


def _valid(
    message: CollisionObject,
    kind: str,
    read: Callable[[Any, Array, Remarks], PlacedShape],
    remarks: Remarks,
) -> list[PlacedShape]:
    """Return the valid shapes of a kind."""
    shapes, poses = getattr(message, kind), getattr(message, POSES[kind])
    if len(poses) > len(shapes):
        raise CollisionError(f"{len(poses)} poses for {len(shapes)} {kind}")
    found = []
    for number, shape in enumerate(shapes):
        own = Remarks()
        try:
            pose = placed_pose(poses[number]) if number < len(poses) else np.eye(4)
            found.append(read(shape, pose, own))
        except RigidTreeError as error:
            own.left_out.append(str(error))
        remarks.add(own, f"{kind}[{number}]")
    return found


def _valid_subframes(message: CollisionObject, remarks: Remarks) -> dict[str, Array]:
    """Return the valid subframes of an object by name."""
    names, poses = list(message.subframe_names), list(message.subframe_poses)
    if len(names) != len(poses):
        found = f"{len(names)} subframe_names and {len(poses)} subframe_poses"
        remarks.left_out.append(f"{found}: the last ones are left out")
    frames: dict[str, Array] = {}
    for name, pose in zip(names, poses, strict=False):
        try:
            T = placed_pose(pose)
            if not name or name in frames:
                raise CollisionError("its name is empty or used twice")
            frames[name] = T
        except RigidTreeError as error:
            remarks.left_out.append(f"subframe '{name}': {error}")
    return frames


def _plane(plane: Plane, pose: Array, _: Remarks) -> PlacedShape:
    """Return a thin box in place of a plane: its z axis is the normal."""
    normal, distance = np.array(plane.coef[:3]), float(plane.coef[3])
    length = float(np.linalg.norm(normal))
    if not (math.isfinite(length) and length > 0.0 and math.isfinite(distance)):
        raise CollisionError(f"invalid plane coefficients {np.array(plane.coef).tolist()}")
    T = transform(-distance / length**2 * normal, rotation_taking_z_to(normal / length))
    return PlacedShape(Box(PLANE), pose @ T)


def _mesh(mesh: Mesh, pose: Array, _: Remarks) -> PlacedShape:
    faces = np.array([face.vertex_indices for face in mesh.triangles], dtype=np.int64)
    return PlacedShape(Triangles(coordinates(mesh.vertices), faces.reshape(-1, 3)), pose)


def _primitive(primitive: SolidPrimitive, pose: Array, remarks: Remarks) -> PlacedShape:
    """Return a primitive; a cone as a mesh about z, centered at half its height."""
    sizes, count = list(primitive.dimensions), COUNTS.get(primitive.type)
    if count is not None and len(sizes) > count:
        remarks.notes.append(f"{len(sizes)} dimensions, of which the first {count} are used")
        sizes = sizes[:count]
    if 0.0 in sizes:  # as in MoveIt, such as a sheet without thickness
        remarks.notes.append(f"dimensions {sizes}: {THINNEST:g} m are used for 0")
        sizes = [size or THINNEST for size in sizes]
    if primitive.type != SolidPrimitive.CONE:
        valid = SolidPrimitive(type=primitive.type, dimensions=sizes)
        valid.polygon = primitive.polygon
        return PlacedShape(read_primitive(valid), pose)
    if len(sizes) < COUNTS[SolidPrimitive.CONE]:
        raise CollisionError("a cone needs a height and a radius")
    height, radius = sizes[SolidPrimitive.CONE_HEIGHT], sizes[SolidPrimitive.CONE_RADIUS]
    return PlacedShape(cone(radius, height), pose)


# -- to messages ---------------------------------------------------------------------------------


def removed(name: str) -> CollisionObject:
    """Return the removal of an object."""
    return CollisionObject(id=name, operation=CollisionObject.REMOVE)


def object_message(
    obstacle: Obstacle, pose: Array, frame: str, labels: Labels, geometry: bool = True
) -> CollisionObject:
    """Return an obstacle at ``pose`` in a frame, with or without its shapes."""
    message = CollisionObject(id=obstacle.name, pose=_pose(pose))
    message.header.frame_id = frame
    message.type = labels.get(obstacle.name, {}).get(TYPE, message.type)
    if geometry:
        for placed in obstacle.shapes:
            _append_shape(message, placed)
        message.subframe_names = list(obstacle.subframes)
        message.subframe_poses = list(map(_pose, obstacle.subframes.values()))
    return message


def _append_shape(message: CollisionObject, placed: PlacedShape) -> None:
    """Add a shape to a message, except those that MoveIt lacks."""
    kind = _kind(placed.shape)
    if kind == "planes":
        message.planes.append(Plane(coef=[0.0, 0.0, 1.0, 0.0]))
        message.plane_poses.append(_pose(placed.pose))
    elif isinstance(placed.shape, Triangles):
        message.meshes.append(_mesh_message(placed.shape))
        message.mesh_poses.append(_pose(placed.pose))
    elif kind == "primitives":
        primitive, pose = primitive_message(placed)
        message.primitives.append(primitive)
        message.primitive_poses.append(pose)


def _mesh_message(shape: Triangles) -> Mesh:
    return Mesh(
        vertices=[Point(x=x, y=y, z=z) for x, y, z in shape.vertices.tolist()],
        triangles=[MeshTriangle(vertex_indices=face) for face in shape.faces.astype(np.uint32)],
    )


def _pose(T: Array) -> Pose:
    return pose_message(T, "").pose


def attached_messages(scene: Scene, prefix: str) -> list[AttachedCollisionObject]:
    """Return the objects that are attached to links, whose frames get the prefix."""
    messages = []
    for item in scene.attached.values():
        frame = prefix + item.body
        message = AttachedCollisionObject(link_name=item.body, touch_links=item.touch_bodies)
        message.object = object_message(item.obstacle, item.T_body_obstacle, frame, scene.labels)
        messages.append(message)
    return messages
