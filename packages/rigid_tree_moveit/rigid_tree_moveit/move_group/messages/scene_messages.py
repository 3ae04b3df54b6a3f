"""Conversion between MoveIt's scene messages and changes of this package's scene."""

import itertools
import math
from collections.abc import Callable, Iterable, Mapping
from typing import Any

import numpy as np
from geometry_msgs.msg import Pose
from moveit_msgs.msg import (
    AllowedCollisionEntry,
    AllowedCollisionMatrix,
    AttachedCollisionObject,
    CollisionObject,
)
from rigid_tree_interfaces.msg import Obstacle, SceneChange
from rigid_tree_interfaces.msg import Scene as SceneMessage
from shape_msgs.msg import Mesh, Plane, SolidPrimitive

from rigid_tree_kinematics.arrays import Array
from rigid_tree_kinematics.collision import AllowedCollisions, Scene, cone
from rigid_tree_kinematics.collision import Obstacle as ObstacleModel
from rigid_tree_kinematics.errors import CollisionError
from rigid_tree_kinematics.model.transforms import rotation_taking_z_to, transform
from rigid_tree_kinematics.nodes.scene import mesh_message, obstacle_message, placed_pose
from rigid_tree_kinematics.nodes.tf import pose_of
from rigid_tree_moveit.move_group.messages.job import MoveItRobot

Labels = Mapping[str, Mapping[str, Any]]  # by the names of objects
TYPE, COLOR = "type", "color"
PLANE = [200.0, 200.0, 1e-3]  # m, size of the box that replaces a plane
POSES = {"primitives": "primitive_poses", "meshes": "mesh_poses", "planes": "plane_poses"}


def operation_of(operation: bytes | int) -> int:
    """Return an operation as a number; some Python messages have bytes."""
    return int(operation[0]) if isinstance(operation, bytes) else int(operation)


ADD, REMOVE, APPEND, MOVE = (
    operation_of(getattr(CollisionObject, name)) for name in ("ADD", "REMOVE", "APPEND", "MOVE")
)


def object_changes(message: CollisionObject, scene: Scene) -> list[SceneChange]:
    """Return the changes of an object's message; raises CollisionError."""
    operation = operation_of(message.operation)
    if operation == REMOVE:
        # Removing an unknown object succeeds; an empty name means all objects.
        names = [name for name in scene.obstacles if message.id in ("", name)]
        return [_named(SceneChange.REMOVE, name) for name in names]
    if operation == MOVE:
        return [SceneChange(operation=SceneChange.MOVE, obstacle=_obstacle(message))]
    known = scene.obstacles.get(message.id)
    if operation == APPEND and known is not None:
        return [SceneChange(operation=SceneChange.ADD, obstacle=_appended(known, message))]
    return [SceneChange(operation=SceneChange.ADD, obstacle=_obstacle(message))]


def attached_changes(message: AttachedCollisionObject, scene: Scene) -> list[SceneChange]:
    """Return the changes of an attached object's message; raises CollisionError."""
    item, link = message.object, message.link_name
    operation = operation_of(item.operation)
    if operation == REMOVE:
        on_link = [name for name, held in scene.attached.items() if link in ("", held.body)]
        names = [name for name in on_link if item.id in ("", name)]
        if item.id and not names:
            raise CollisionError(f"object '{item.id}' is not attached")
        return [_named(SceneChange.DETACH, name) for name in names]
    if operation not in (ADD, APPEND):
        raise CollisionError(f"object '{item.id}': attached objects can only be added or removed")
    attach = _named(SceneChange.ATTACH, item.id)
    attach.link, attach.touch_links = link, list(message.touch_links)
    known = scene.attached.get(item.id)
    changes = [] if known is None else [_named(SceneChange.DETACH, item.id)]
    if item.primitives or item.meshes or item.planes:
        obstacle = _obstacle(item)
        if operation == APPEND and known is not None:
            obstacle = _appended(known.obstacle, item)
            attach.touch_links = [*dict.fromkeys((*known.touch_bodies, *message.touch_links))]
        changes.append(SceneChange(operation=SceneChange.ADD, obstacle=obstacle))
    return [*changes, attach]


def dropped_objects(scene: Scene) -> list[SceneChange]:
    """Return the removal of all attached objects."""
    return [_named(SceneChange.REMOVE, name) for name in scene.attached]


def _named(operation: int, name: str) -> SceneChange:
    return SceneChange(operation=operation, obstacle=Obstacle(name=name))


def _appended(known: ObstacleModel, message: CollisionObject) -> Obstacle:
    """Return an object with more shapes; as in MoveIt, their poses are in its own frame."""
    more = _obstacle(message, whole=False)
    # It does not move: its frame has its name.
    obstacle: Obstacle = obstacle_message(known, np.eye(4), known.name)
    for field in ("primitives", "primitive_poses", "meshes", "mesh_poses"):
        setattr(obstacle, field, [*getattr(obstacle, field), *getattr(more, field)])
    obstacle.subframe_names, obstacle.subframe_poses = more.subframe_names, more.subframe_poses
    return obstacle


def _obstacle(message: CollisionObject, whole: bool = True) -> Obstacle:
    """Return a message's object; if it is not ``whole``, to be appended to another one."""
    primitives: list[tuple[Any, Pose]] = []
    meshes: list[tuple[Any, Pose]] = []
    for primitive, pose in _placed(message, "primitives"):
        if primitive.type == SolidPrimitive.CONE:
            meshes.append((_cone(message.id, primitive), pose))
        else:
            primitives.append((primitive, pose))
    meshes += _placed(message, "meshes")
    for plane, pose in _placed(message, "planes"):
        thin = SolidPrimitive(type=SolidPrimitive.BOX, dimensions=PLANE)
        at = pose_of(placed_pose(pose) @ _plane_pose(message.id, plane))
        primitives.append((thin, at))
    obstacle = Obstacle(name=message.id, header=message.header, pose=message.pose)
    only = primitives or meshes
    if (
        whole
        and len([*primitives, *meshes]) == 1
        and (placed_pose(message.pose) == np.eye(4)).all()
    ):
        # As in MoveIt, the pose of the only shape is that of the object, and of its frame.
        only[0], obstacle.pose = (only[0][0], Pose()), only[0][1]
    obstacle.primitives = [shape for shape, _ in primitives]
    obstacle.primitive_poses = [pose for _, pose in primitives]
    obstacle.meshes, obstacle.mesh_poses = [m for m, _ in meshes], [pose for _, pose in meshes]
    obstacle.subframe_names = message.subframe_names
    obstacle.subframe_poses = message.subframe_poses
    return obstacle


def _placed(message: CollisionObject, kinds: str) -> Iterable[tuple[Any, Pose]]:
    """Return the shapes of a kind with their poses."""
    shapes, poses = getattr(message, kinds), getattr(message, POSES[kinds])
    if len(poses) > len(shapes):
        reason = f"{len(poses)} poses for {len(shapes)} {kinds}"
        raise CollisionError(f"object '{message.id}': {reason}")
    return itertools.zip_longest(shapes, poses, fillvalue=Pose())


def _plane_pose(name: str, plane: Plane) -> Array:
    """Return the pose of a thin box in place of a plane: its z axis is the normal."""
    normal, distance = np.array(plane.coef[:3]), float(plane.coef[3])
    length = float(np.linalg.norm(normal))
    if not (math.isfinite(length) and length > 0.0 and math.isfinite(distance)):
        raise CollisionError(f"object '{name}': invalid plane coefficients {list(plane.coef)}")
    return transform(-distance / length**2 * normal, rotation_taking_z_to(normal / length))


def _cone(name: str, primitive: SolidPrimitive) -> Mesh:
    """Return a faceted cone about z, centered at half its height."""
    if len(primitive.dimensions) != 2:
        raise CollisionError(f"object '{name}': a cone needs a height and a radius")
    height = primitive.dimensions[SolidPrimitive.CONE_HEIGHT]
    radius = primitive.dimensions[SolidPrimitive.CONE_RADIUS]
    return mesh_message(cone(radius, height))


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


def attached_messages(scene: SceneMessage, labels: Labels) -> list[AttachedCollisionObject]:
    """Return the objects that are attached to links."""
    messages = []
    for item in scene.attached:
        message = AttachedCollisionObject(link_name=item.link, touch_links=item.touch_links)
        message.object = object_message(item.obstacle, labels)
        messages.append(message)
    return messages


# -- allowed collisions --------------------------------------------------------------------------


def read_allowed(matrix: AllowedCollisionMatrix, robot: MoveItRobot) -> AllowedCollisions:
    """Return the allowed collisions of a matrix that differ from the robot's own rules.

    As in MoveIt, a matrix replaces the previous one, and the entries above its diagonal are used.
    Pairs of links that are not in it keep the robot's own rules. Raises CollisionError for an
    invalid matrix.
    """
    names = list(matrix.entry_names)
    rows = [list(entry.enabled) for entry in matrix.entry_values]
    defaults = list(matrix.default_entry_names), list(matrix.default_entry_values)
    if len(defaults[0]) != len(defaults[1]):
        problem = (
            f"{len(defaults[0])} default_entry_names, {len(defaults[1])} default_entry_values"
        )
        raise CollisionError(f"allowed_collision_matrix: {problem}")
    if [len(row) for row in rows] != [len(names)] * len(names) or len(set(names)) < len(names):
        problem = f"{len(names)} different entry_names need as many rows with as many entries each"
        raise CollisionError(f"allowed_collision_matrix: {problem}")
    fallback = AllowedCollisions({}, dict(zip(*defaults, strict=True)))
    may_touch = _rules(fallback, robot)
    entries = {
        frozenset((first, second)): bool(rows[i][j])
        for (i, first), (j, second) in itertools.combinations(enumerate(names), 2)
        if rows[i][j] != may_touch(first, second)
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
