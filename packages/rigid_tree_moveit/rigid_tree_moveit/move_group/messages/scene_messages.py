"""Conversion between MoveIt's scene messages and changes of this package's scene."""

import itertools
import math
from collections.abc import Callable, Collection, Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any, TypeAlias

import numpy as np
from geometry_msgs.msg import Pose
from moveit_msgs.msg import (
    AllowedCollisionEntry,
    AllowedCollisionMatrix,
    AttachedCollisionObject,
    CollisionObject,
)
from rigid_tree_interfaces.msg import AttachedObstacle, Obstacle, SceneChange
from shape_msgs.msg import Mesh, Plane, SolidPrimitive

from rigid_tree_kinematics.collision import AllowedCollisions, PlacedShape, Scene, cone
from rigid_tree_kinematics.collision import Obstacle as ObstacleModel
from rigid_tree_kinematics.errors import CollisionError, RigidTreeError
from rigid_tree_kinematics.model.transforms import rotation_taking_z_to, transform
from rigid_tree_kinematics.nodes.base import pose_message
from rigid_tree_kinematics.nodes.scene import (
    mesh_message,
    obstacle_message,
    placed_pose,
    read_mesh,
    read_primitive,
)
from rigid_tree_kinematics.nodes.tf import UnknownFrameError
from rigid_tree_moveit.move_group.messages.job import MoveItRobot

Labels = Mapping[str, Mapping[str, Any]]  # by the names of objects
PRISM = getattr(SolidPrimitive, "PRISM", 5)  # not in distributions before Iron
TYPE, COLOR = "type", "color"
COUNTS = {
    **{SolidPrimitive.BOX: 3, SolidPrimitive.SPHERE: 1, SolidPrimitive.CYLINDER: 2},
    **{SolidPrimitive.CONE: 2, PRISM: 1},
}
THINNEST = 1e-4  # m
PLANE = [200.0, 200.0, 1e-3]  # m, size of the box that replaces a plane
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


Converter: TypeAlias = Callable[[Any, Pose, Remarks], tuple[Any, Pose]]


def object_changes(message: CollisionObject, scene: Scene, remarks: Remarks) -> list[SceneChange]:
    """Return the changes of an object's message; raises a RigidTreeError."""
    operation, known = operation_of(message.operation), scene.obstacles.get(message.id)
    if operation == REMOVE:  # an empty name means all objects
        names = [name for name in scene.obstacles if message.id in ("", name)]
        if message.id and not names:
            remarks.absent.append("there is no such object to remove")
        return [_named(SceneChange.REMOVE, name) for name in names]
    if operation == MOVE:
        if known is None:
            raise CollisionError("there is no such object to move")
        if any(getattr(message, shapes) for shapes in POSES):
            remarks.notes.append("MOVE ignores the shapes of the message")
        return [SceneChange(operation=SceneChange.ADD, obstacle=_moved(known, message))]
    if operation not in (ADD, APPEND):
        raise CollisionError(f"unknown operation {operation}")
    if operation == APPEND and known is not None:
        return [
            SceneChange(operation=SceneChange.ADD, obstacle=_appended(known, message, remarks))
        ]
    return [SceneChange(operation=SceneChange.ADD, obstacle=_obstacle(message, remarks))]


def attached_changes(
    message: AttachedCollisionObject, scene: Scene, remarks: Remarks, links: Collection[str]
) -> list[SceneChange]:
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
        return [_named(SceneChange.DETACH, name) for name in names]
    if operation not in (ADD, APPEND):
        raise CollisionError("attached objects can only be added or removed")
    attach = _named(SceneChange.ATTACH, item.id)
    attach.link, attach.touch_links = link, list(message.touch_links)
    known = scene.attached.get(item.id)
    changes = [] if known is None else [_named(SceneChange.DETACH, item.id)]
    if item.primitives or item.meshes or item.planes:
        if operation == APPEND and known is not None:
            obstacle = _appended(known.obstacle, item, remarks)
            attach.touch_links = [*dict.fromkeys((*known.touch_bodies, *message.touch_links))]
        else:
            obstacle = _obstacle(item, remarks)
        changes.append(SceneChange(operation=SceneChange.ADD, obstacle=obstacle))
    touchable = {*links, *scene.obstacles, *scene.attached}
    if unknown := [name for name in attach.touch_links if name not in touchable]:
        remarks.notes.append(f"unknown touch_links: {', '.join(unknown)}")
        attach.touch_links = [name for name in attach.touch_links if name in touchable]
    return [*changes, attach]


def dropped_objects(scene: Scene, _: Remarks) -> list[SceneChange]:
    """Return the removal of all attached objects."""
    return [_named(SceneChange.REMOVE, name) for name in scene.attached]


def unlisted_objects(
    messages: Iterable[CollisionObject], scene: Scene, _: Remarks
) -> list[SceneChange]:
    """Return the removal of the objects that are not attached, except those that are added."""
    added = {item.id for item in messages if operation_of(item.operation) == ADD}
    return [_named(SceneChange.REMOVE, name) for name in scene.obstacles if name not in added]


def _named(operation: int, name: str) -> SceneChange:
    return SceneChange(operation=operation, obstacle=Obstacle(name=name))


def _moved(known: ObstacleModel, message: CollisionObject) -> Obstacle:
    """Return an object at the pose of a message, with the poses that it gives to its shapes."""
    obstacle: Obstacle = obstacle_message(known, np.eye(4), "")
    obstacle.header, obstacle.pose = message.header, message.pose
    given = {shapes: list(getattr(message, poses)) for shapes, poses in POSES.items()}
    if not any(given.values()):
        return obstacle
    planes = [list(shape.dimensions) == PLANE for shape in obstacle.primitives]
    # The meshes start with the cones; their places among the other primitives are not known.
    cones = len(given["primitives"]) - planes.count(False)
    meshes = given["primitives"][planes.count(False) :] + given["meshes"]
    counts = {"planes": planes.count(True), "meshes": len(obstacle.meshes) - cones}
    if cones < 0 or any(len(given[shapes]) != count for shapes, count in counts.items()):
        needed = f"{planes.count(False)} primitive_poses, {len(obstacle.meshes)} mesh_poses"
        raise CollisionError(f"MOVE needs {needed}, {planes.count(True)} plane_poses, or none")
    if cones and planes.count(False):
        raise CollisionError("MOVE cannot place cones beside other primitives")
    solids, flats = iter(given["primitives"]), iter(given["planes"])
    obstacle.primitive_poses = [next(flats if is_plane else solids) for is_plane in planes]
    obstacle.mesh_poses = meshes
    return obstacle


def _appended(known: ObstacleModel, message: CollisionObject, remarks: Remarks) -> Obstacle:
    """Return an object with more shapes; as in MoveIt, their poses are in its own frame."""
    more = _obstacle(message, remarks, whole=False)
    # It does not move: its frame has its name.
    obstacle: Obstacle = obstacle_message(known, np.eye(4), known.name)
    for name in ("primitives", "primitive_poses", "meshes", "mesh_poses"):
        setattr(obstacle, name, [*getattr(obstacle, name), *getattr(more, name)])
    obstacle.subframe_names, obstacle.subframe_poses = more.subframe_names, more.subframe_poses
    return obstacle


def _obstacle(message: CollisionObject, remarks: Remarks, whole: bool = True) -> Obstacle:
    """Return a message's object; if it is not ``whole``, to be appended to another one.

    Invalid shapes and subframes are left out. Raises CollisionError if no shape is left.
    """
    primitives: list[tuple[Any, Pose]] = []
    meshes: list[tuple[Any, Pose]] = []
    for item, pose in _valid(message, "primitives", _primitive, remarks):
        (meshes if isinstance(item, Mesh) else primitives).append((item, pose))
    meshes += _valid(message, "meshes", _mesh, remarks)
    primitives += _valid(message, "planes", _plane, remarks)
    if not (primitives or meshes):
        reasons = remarks.left_out.copy() or ["there are no shapes"]
        remarks.left_out.clear()
        raise CollisionError(", ".join(reasons))
    obstacle = Obstacle(name=message.id, header=message.header, pose=message.pose)
    only = primitives or meshes
    count = sum(len(getattr(message, shapes)) for shapes in POSES)
    if whole and count == 1 and (placed_pose(message.pose) == np.eye(4)).all():
        # As in MoveIt, the pose of the only shape is that of the object, and of its frame.
        only[0], obstacle.pose = (only[0][0], Pose()), only[0][1]
    obstacle.primitives = [shape for shape, _ in primitives]
    obstacle.primitive_poses = [pose for _, pose in primitives]
    obstacle.meshes, obstacle.mesh_poses = [m for m, _ in meshes], [pose for _, pose in meshes]
    frames = _valid_subframes(message, remarks)
    obstacle.subframe_names, obstacle.subframe_poses = list(frames), list(frames.values())
    return obstacle


def _valid(
    message: CollisionObject, kinds: str, convert: Converter, remarks: Remarks
) -> list[tuple[Any, Pose]]:
    """Return the valid shapes of a kind with their poses, both converted."""
    shapes, poses = getattr(message, kinds), getattr(message, POSES[kinds])
    if len(poses) > len(shapes):
        raise CollisionError(f"{len(poses)} poses for {len(shapes)} {kinds}")
    found = []
    for number, shape in enumerate(shapes):
        own = Remarks()
        try:
            pose = poses[number] if number < len(poses) else Pose()
            found.append(convert(shape, pose, own))
        except RigidTreeError as error:
            own.left_out.append(str(error))
        remarks.add(own, f"{kinds}[{number}]")
    return found


def _valid_subframes(message: CollisionObject, remarks: Remarks) -> dict[str, Pose]:
    """Return the valid subframes of an object by name."""
    names, poses = list(message.subframe_names), list(message.subframe_poses)
    if len(names) != len(poses):
        found = f"{len(names)} subframe_names and {len(poses)} subframe_poses"
        remarks.left_out.append(f"{found}: the last ones are left out")
    frames: dict[str, Pose] = {}
    for name, pose in zip(names, poses, strict=False):
        try:
            placed_pose(pose)
            if not name or name in frames:
                raise CollisionError("its name is empty or used twice")
            frames[name] = pose
        except RigidTreeError as error:
            remarks.left_out.append(f"subframe '{name}': {error}")
    return frames


def _plane(plane: Plane, pose: Pose, _: Remarks) -> tuple[SolidPrimitive, Pose]:
    """Return a thin box in place of a plane: its z axis is the normal."""
    normal, distance = np.array(plane.coef[:3]), float(plane.coef[3])
    length = float(np.linalg.norm(normal))
    if not (math.isfinite(length) and length > 0.0 and math.isfinite(distance)):
        raise CollisionError(f"invalid plane coefficients {np.array(plane.coef).tolist()}")
    T = transform(-distance / length**2 * normal, rotation_taking_z_to(normal / length))
    thin = SolidPrimitive(type=SolidPrimitive.BOX, dimensions=PLANE)
    return thin, pose_message(placed_pose(pose) @ T, "").pose


def _mesh(mesh: Mesh, pose: Pose, _: Remarks) -> tuple[Mesh, Pose]:
    PlacedShape(read_mesh(mesh), placed_pose(pose))  # checks them
    return mesh, pose


def _primitive(primitive: SolidPrimitive, pose: Pose, remarks: Remarks) -> tuple[Any, Pose]:
    """Return a valid primitive; a cone as a mesh about z, centered at half its height."""
    sizes, count = list(primitive.dimensions), COUNTS.get(primitive.type)
    if count is not None and len(sizes) > count:
        remarks.notes.append(f"{len(sizes)} dimensions, of which the first {count} are used")
        sizes = sizes[:count]
    if 0.0 in sizes:  # as in MoveIt, such as a sheet without thickness
        remarks.notes.append(f"dimensions {sizes}: {THINNEST:g} m are used for 0")
        sizes = [size or THINNEST for size in sizes]
    valid = SolidPrimitive(type=primitive.type, dimensions=sizes)
    valid.polygon = primitive.polygon
    if primitive.type != SolidPrimitive.CONE:
        PlacedShape(read_primitive(valid), placed_pose(pose))  # checks them
        return valid, pose
    if len(sizes) < COUNTS[SolidPrimitive.CONE]:
        raise CollisionError("a cone needs a height and a radius")
    height, radius = sizes[SolidPrimitive.CONE_HEIGHT], sizes[SolidPrimitive.CONE_RADIUS]
    return _mesh(mesh_message(cone(radius, height)), pose, remarks)


# -- to messages ---------------------------------------------------------------------------------


def removed(name: str) -> CollisionObject:
    """Return the removal of an object."""
    return CollisionObject(id=name, operation=CollisionObject.REMOVE)


def object_message(obstacle: Obstacle, labels: Labels, geometry: bool = True) -> CollisionObject:
    """Return an obstacle as an object, with or without its shapes."""
    message = CollisionObject(id=obstacle.name, header=obstacle.header, pose=obstacle.pose)
    message.type = labels.get(obstacle.name, {}).get(TYPE, message.type)
    if geometry:
        for primitive, pose in zip(obstacle.primitives, obstacle.primitive_poses, strict=True):
            if list(primitive.dimensions) == PLANE:
                message.planes.append(Plane(coef=[0.0, 0.0, 1.0, 0.0]))
                message.plane_poses.append(pose)
            else:
                message.primitives.append(primitive)
                message.primitive_poses.append(pose)
        for field in ("meshes", "mesh_poses", "subframe_names", "subframe_poses"):
            setattr(message, field, getattr(obstacle, field))
    return message


def attached_messages(
    attached: Iterable[AttachedObstacle], labels: Labels
) -> list[AttachedCollisionObject]:
    """Return the objects that are attached to links."""
    messages = []
    for item in attached:
        message = AttachedCollisionObject(link_name=item.link, touch_links=item.touch_links)
        message.object = object_message(item.obstacle, labels)
        messages.append(message)
    return messages


# -- allowed collisions --------------------------------------------------------------------------


def read_allowed(
    matrix: AllowedCollisionMatrix, robot: MoveItRobot, remarks: Remarks
) -> AllowedCollisions:
    """Return the allowed collisions of a matrix that differ from the robot's own rules.

    As in MoveIt, a matrix replaces the previous one, and the entries above its diagonal are used.
    Pairs of links that are not in it keep the robot's own rules. Rows of another length are left
    out. Raises CollisionError for other invalid matrices.
    """
    names = list(matrix.entry_names)
    rows = [list(entry.enabled) for entry in matrix.entry_values]
    defaults = list(matrix.default_entry_names), list(matrix.default_entry_values)
    if len(defaults[0]) != len(defaults[1]):
        problem = (
            f"{len(defaults[0])} default_entry_names, {len(defaults[1])} default_entry_values"
        )
        raise CollisionError(f"allowed_collision_matrix: {problem}")
    if len(rows) != len(names) or len(set(names)) < len(names):
        problem = f"{len(names)} different entry_names need as many rows, not {len(rows)}"
        raise CollisionError(f"allowed_collision_matrix: {problem}")
    short = {name: len(row) for name, row in zip(names, rows, strict=True)}
    short = {name: count for name, count in short.items() if count != len(names)}
    remarks.left_out += [
        f"allowed_collision_matrix: row of '{name}': {count} entries for {len(names)} names"
        for name, count in short.items()
    ]
    fallback = AllowedCollisions({}, dict(zip(*defaults, strict=True)))
    may_touch = _rules(fallback, robot)
    entries = {
        frozenset((first, second)): bool(rows[i][j])
        for (i, first), (j, second) in itertools.combinations(enumerate(names), 2)
        if first not in short and rows[i][j] != may_touch(first, second)
    }
    return AllowedCollisions(entries, fallback.defaults)


def allowed_message(allowed: AllowedCollisions, robot: MoveItRobot) -> AllowedCollisionMatrix:
    """Return allowed collisions as a message, with all links and all named obstacles."""
    named = {name for pair in allowed.pairs for name in pair} | set(allowed.defaults)
    names = [*robot.link_names, *sorted(named - set(robot.link_names))]
    may_touch = _rules(allowed, robot)
    rows = [[may_touch(row, column) for column in names] for row in names]
    return AllowedCollisionMatrix(
        entry_names=names,
        entry_values=[AllowedCollisionEntry(enabled=row) for row in rows],
        default_entry_names=list(allowed.defaults),
        default_entry_values=list(allowed.defaults.values()),
    )


def _rules(allowed: AllowedCollisions, robot: MoveItRobot) -> Callable[[str, str], bool]:
    """Return whether two things are allowed to collide; default: the robot's own rules."""
    links = set(robot.link_names)
    checked = {frozenset(pair) for pair in robot.checkers.self_pairs}

    def may_touch(first: str, second: str) -> bool:
        rule, pair = allowed.decide(first, second), frozenset((first, second))
        return (pair <= links and pair not in checked) if rule is None else rule

    return may_touch
