"""MoveIt's scene messages as changes of this package's scene, and back."""

from __future__ import annotations

from moveit_msgs.msg import AttachedCollisionObject, CollisionObject
from rigid_tree_interfaces.msg import Obstacle, SceneChange
from rigid_tree_interfaces.msg import Scene as SceneMessage
from shape_msgs.msg import Mesh, SolidPrimitive

from rigid_tree_kinematics.collision import Scene, cone
from rigid_tree_kinematics.errors import CollisionError
from rigid_tree_kinematics.nodes.scene import mesh_message

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
    if operation == APPEND:
        raise CollisionError(f"object '{message.id}': APPEND is not served: ADD it as a whole")
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
    if operation_of(item) != ADD:
        raise CollisionError(f"object '{item.id}': an attached object is added or removed")
    changes = []
    if item.id in scene.attached:
        changes.append(_named(SceneChange.DETACH, item.id))
    if item.primitives or item.meshes:
        changes.append(SceneChange(operation=SceneChange.ADD, obstacle=_obstacle(item)))
    attach = _named(SceneChange.ATTACH, item.id)
    attach.link, attach.touch_links = link, list(message.touch_links)
    return [*changes, attach]


def _named(operation: int, name: str) -> SceneChange:
    return SceneChange(operation=operation, obstacle=Obstacle(name=name))


def _obstacle(message: CollisionObject) -> Obstacle:
    if len(message.planes):
        raise CollisionError(f"object '{message.id}': planes are not served; give a thin box")
    obstacle = Obstacle(name=message.id, header=message.header, pose=message.pose)
    placed = list(message.primitive_poses)
    placed += [Obstacle().pose] * (len(message.primitives) - len(placed))
    if len(placed) > len(message.primitives):
        raise CollisionError(
            f"object '{message.id}': {len(placed)} poses for {len(message.primitives)} primitives"
        )
    for primitive, pose in zip(message.primitives, placed, strict=True):
        if primitive.type == SolidPrimitive.CONE:
            obstacle.meshes.append(_cone(message.id, primitive))
            obstacle.mesh_poses.append(pose)
        else:
            obstacle.primitives.append(primitive)
            obstacle.primitive_poses.append(pose)
    poses = list(message.mesh_poses)
    poses += [Obstacle().pose] * (len(message.meshes) - len(poses))
    obstacle.meshes = [*obstacle.meshes, *message.meshes]
    obstacle.mesh_poses = [*obstacle.mesh_poses, *poses]
    obstacle.subframe_names, obstacle.subframe_poses = (
        message.subframe_names,
        message.subframe_poses,
    )
    return obstacle


def _cone(name: str, primitive: SolidPrimitive) -> Mesh:
    """Return a faceted cone about z, centred at half its height."""
    if len(primitive.dimensions) != 2:
        raise CollisionError(f"object '{name}': a cone has a height and a radius")
    height = primitive.dimensions[SolidPrimitive.CONE_HEIGHT]
    radius = primitive.dimensions[SolidPrimitive.CONE_RADIUS]
    return mesh_message(cone(radius, height))


def object_message(obstacle: Obstacle, geometry: bool) -> CollisionObject:
    """Return an obstacle as an object, with or without its shapes."""
    message = CollisionObject(id=obstacle.name, header=obstacle.header, pose=obstacle.pose)
    if geometry:
        message.primitives = obstacle.primitives
        message.primitive_poses = obstacle.primitive_poses
        message.meshes = obstacle.meshes
        message.mesh_poses = obstacle.mesh_poses
        message.subframe_names = obstacle.subframe_names
        message.subframe_poses = obstacle.subframe_poses
    return message


def attached_messages(scene: SceneMessage) -> list[AttachedCollisionObject]:
    """Return the objects that are attached to links."""
    return [
        AttachedCollisionObject(
            link_name=item.link,
            object=object_message(item.obstacle, geometry=True),
            touch_links=item.touch_links,
        )
        for item in scene.attached
    ]
