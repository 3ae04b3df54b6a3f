"""MoveIt's scene messages as changes of this package's scene, and back."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from typing import Any

import numpy as np
from geometry_msgs.msg import Pose
from moveit_msgs.msg import AttachedCollisionObject, CollisionObject
from rigid_tree_interfaces.msg import Obstacle, SceneChange
from rigid_tree_interfaces.msg import Scene as SceneMessage
from shape_msgs.msg import Mesh, Plane, SolidPrimitive

from rigid_tree_kinematics.arrays import Array
from rigid_tree_kinematics.collision import Obstacle as ObstacleModel
from rigid_tree_kinematics.collision import Scene, cone
from rigid_tree_kinematics.errors import CollisionError
from rigid_tree_kinematics.model.transforms import rotation_taking_z_to, transform
from rigid_tree_kinematics.nodes.scene import mesh_message, obstacle_message, placed_pose, pose_of

Labels = Mapping[str, Mapping[str, Any]]  # by the names of objects
TYPE, COLOR = "type", "color"
PLANE = [200.0, 200.0, 1e-3]  # m; a box of this size stands for a plane

# Python's messages have constants of type byte as bytes.
ADD, REMOVE, APPEND, MOVE = (
    getattr(CollisionObject, name)[0]
    if isinstance(getattr(CollisionObject, name), bytes)
    else getattr(CollisionObject, name)
    for name in ("ADD", "REMOVE", "APPEND", "MOVE")
)


def operation_of(message: CollisionObject) -> int:
    """Return the operation as a number."""
    value = message.operation
    return int(value[0]) if isinstance(value, bytes) else int(value)


def object_changes(message: CollisionObject, scene: Scene) -> list[SceneChange]:
    """Return the changes by an object's message; CollisionError for unsupported ones."""
    operation = operation_of(message)
    if operation == REMOVE and not message.id:
        return [_named(SceneChange.REMOVE, name) for name in scene.obstacles]
    if operation == REMOVE:
        # Removing an unknown object succeeds.
        found = message.id in scene.obstacles
        return [_named(SceneChange.REMOVE, message.id)] if found else []
    if operation == MOVE:
        return [SceneChange(operation=SceneChange.MOVE, obstacle=_obstacle(message))]
    known = scene.obstacles.get(message.id)
    if operation == APPEND and known is not None:
        return [SceneChange(operation=SceneChange.ADD, obstacle=_appended(known, message))]
    return [SceneChange(operation=SceneChange.ADD, obstacle=_obstacle(message))]


def attached_changes(message: AttachedCollisionObject, scene: Scene) -> list[SceneChange]:
    """Return the changes by an attached object's message; CollisionError for invalid ones."""
    item, link = message.object, message.link_name
    if operation_of(item) == REMOVE:
        names = [
            name
            for name, held in scene.attached.items()
            if item.id in ("", name) and link in ("", held.body)
        ]
        if item.id and not names:
            raise CollisionError(f"object '{item.id}' is not attached")
        return [_named(SceneChange.DETACH, name) for name in names]
    if operation_of(item) not in (ADD, APPEND):
        raise CollisionError(f"object '{item.id}': an attached object is added or removed")
    attach = _named(SceneChange.ATTACH, item.id)
    attach.link, attach.touch_links = link, list(message.touch_links)
    changes, known = [], scene.attached.get(item.id)
    if known is not None:
        changes.append(_named(SceneChange.DETACH, item.id))
    if item.primitives or item.meshes or item.planes:
        obstacle = _obstacle(item)
        if operation_of(item) == APPEND and known is not None:
            obstacle = _appended(known.obstacle, item)
            attach.touch_links = [*dict.fromkeys((*known.touch_bodies, *message.touch_links))]
        changes.append(SceneChange(operation=SceneChange.ADD, obstacle=obstacle))
    return [*changes, attach]


def _appended(known: ObstacleModel, message: CollisionObject) -> Obstacle:
    """Return an object with more shapes: like in MoveIt, their poses are in its own frame."""
    more = _obstacle(message, whole=False)
    # It stays where it is: its name is that of its frame.
    obstacle: Obstacle = obstacle_message(known, np.eye(4), known.name)
    for field in ("primitives", "primitive_poses", "meshes", "mesh_poses"):
        setattr(obstacle, field, [*getattr(obstacle, field), *getattr(more, field)])
    obstacle.subframe_names, obstacle.subframe_poses = more.subframe_names, more.subframe_poses
    return obstacle


def labels_of(message: CollisionObject) -> dict[str, dict[str, Any]]:
    """Return what is kept with an object: its type, if it has one."""
    has_type = message.type.key or message.type.db
    return {message.id: {TYPE: message.type}} if has_type else {}


def dropped_objects(scene: Scene) -> list[SceneChange]:
    """Return the removal of all attached objects."""
    return [_named(SceneChange.REMOVE, name) for name in scene.attached]


def _named(operation: int, name: str) -> SceneChange:
    return SceneChange(operation=operation, obstacle=Obstacle(name=name))


def _obstacle(message: CollisionObject, whole: bool = True) -> Obstacle:
    """Return a message's object; if it is not ``whole``, to be appended to another one."""
    obstacle = Obstacle(name=message.id, header=message.header, pose=message.pose)
    for primitive, pose in _placed(message, "primitive"):
        if primitive.type == SolidPrimitive.CONE:
            obstacle.meshes.append(_cone(message.id, primitive))
            obstacle.mesh_poses.append(pose)
        else:
            obstacle.primitives.append(primitive)
            obstacle.primitive_poses.append(pose)
    for mesh, pose in _placed(message, "mesh", "meshes"):
        obstacle.meshes.append(mesh)
        obstacle.mesh_poses.append(pose)
    for plane, pose in _placed(message, "plane"):
        obstacle.primitives.append(SolidPrimitive(type=SolidPrimitive.BOX, dimensions=PLANE))
        obstacle.primitive_poses.append(pose_of(placed_pose(pose) @ _plane_pose(message, plane)))
    poses = obstacle.primitive_poses or obstacle.mesh_poses
    if whole and len(obstacle.primitives) + len(obstacle.meshes) == 1 and _is_empty(message.pose):
        # Like in MoveIt the only shape's pose is that of the object, and of its frame.
        obstacle.pose, poses[0] = poses[0], Pose()
    obstacle.subframe_names, obstacle.subframe_poses = (
        message.subframe_names,
        message.subframe_poses,
    )
    return obstacle


def _placed(message: CollisionObject, kind: str, kinds: str = "") -> Iterator[tuple[Any, Pose]]:
    """Yield the shapes of a kind with their poses."""
    shapes, poses = getattr(message, kinds or f"{kind}s"), getattr(message, f"{kind}_poses")
    if len(poses) > len(shapes):
        raise CollisionError(
            f"object '{message.id}': {len(poses)} poses for {len(shapes)} {kinds or f'{kind}s'}"
        )
    for k, shape in enumerate(shapes):
        yield shape, poses[k] if k < len(poses) else Pose()


def _is_empty(pose: Pose) -> bool:
    return bool((placed_pose(pose) == np.eye(4)).all())


def _plane_pose(message: CollisionObject, plane: Plane) -> Array:
    """Return the pose of a thin box in place of a plane: its z axis is the normal."""
    normal, distance = np.array(plane.coef[:3]), float(plane.coef[3])
    length = float(np.linalg.norm(normal))
    if not (math.isfinite(length) and length > 0.0 and math.isfinite(distance)):
        raise CollisionError(f"object '{message.id}': coefficients {list(plane.coef)} of a plane")
    return transform(-distance / length**2 * normal, rotation_taking_z_to(normal / length))


def _cone(name: str, primitive: SolidPrimitive) -> Mesh:
    """Return a faceted cone about z, centred at half its height."""
    if len(primitive.dimensions) != 2:
        raise CollisionError(f"object '{name}': a cone has a height and a radius")
    height = primitive.dimensions[SolidPrimitive.CONE_HEIGHT]
    radius = primitive.dimensions[SolidPrimitive.CONE_RADIUS]
    return mesh_message(cone(radius, height))


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
        message.meshes = obstacle.meshes
        message.mesh_poses = obstacle.mesh_poses
        message.subframe_names = obstacle.subframe_names
        message.subframe_poses = obstacle.subframe_poses
    return message


def attached_messages(scene: SceneMessage, labels: Labels) -> list[AttachedCollisionObject]:
    """Return the objects that are attached to links."""
    return [
        AttachedCollisionObject(
            link_name=item.link,
            object=object_message(item.obstacle, labels),
            touch_links=item.touch_links,
        )
        for item in scene.attached
    ]
