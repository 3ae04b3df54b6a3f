"""Conversion of scenes, their obstacles and their changes from and to messages."""

from array import array
from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np
from geometry_msgs.msg import Point, Point32, Pose, Quaternion
from numpy.typing import NDArray
from rigid_tree_interfaces.msg import AttachedObstacle, Obstacle, Scene, SceneChange
from rigid_tree_interfaces.msg import Mesh as MeshMessage
from shape_msgs.msg import SolidPrimitive

from rigid_tree_kinematics import collision
from rigid_tree_kinematics.arrays import Array
from rigid_tree_kinematics.errors import CollisionError, RigidTreeError
from rigid_tree_kinematics.model import Box, Cylinder, Mesh, Sphere
from rigid_tree_kinematics.model.transforms import transform
from rigid_tree_kinematics.nodes.scene import changes
from rigid_tree_kinematics.nodes.scene.clouds import cloud_message, read_points
from rigid_tree_kinematics.nodes.tf import Target, pose_matrix, pose_of, read_stamp

# Not in distributions before Iron.
PRISM = getattr(SolidPrimitive, "PRISM", 5)
BOX, SPHERE, CYLINDER = SolidPrimitive.BOX, SolidPrimitive.SPHERE, SolidPrimitive.CYLINDER
DIMENSIONS = {BOX: 3, SPHERE: 1, CYLINDER: 2, PRISM: 1}


def read_changes(messages: Sequence[SceneChange], poses: Sequence[Array]) -> list[changes.Change]:
    """Return the changes of messages, whose obstacles are at ``poses`` in the robot's base.

    Raises CollisionError that names the invalid change.
    """
    found = []
    for number, (message, pose) in enumerate(zip(messages, poses, strict=True), start=1):
        try:
            found.append(_read_change(message, pose))
        except RigidTreeError as error:
            raise CollisionError(f"change {number}: {error}") from error
    return found


def _read_change(message: SceneChange, pose: Array) -> changes.Change:
    name = message.obstacle.name
    match message.operation:
        case SceneChange.ADD:
            return changes.Add(read_obstacle(message.obstacle, pose))
        case SceneChange.MOVE:
            return changes.Move(name, pose)
        case SceneChange.REMOVE:
            return changes.Remove(name)
        case SceneChange.ATTACH:
            return changes.Attach(name, message.link, tuple(message.touch_links))
        case SceneChange.DETACH:
            return changes.Detach(name)
        case SceneChange.CLEAR:
            return changes.Clear()
    known = "0 add, 1 move, 2 remove, 3 attach, 4 detach, 5 clear"
    raise CollisionError(f"unknown operation {message.operation}; known: {known}")


def placed_target(change: SceneChange, number: int) -> Target | None:
    """Return the pose that a change gives its obstacle; None if it gives none."""
    if change.operation not in (SceneChange.ADD, SceneChange.MOVE):
        return None
    header = change.obstacle.header
    try:
        pose = placed_pose(change.obstacle.pose)
        stamp = read_stamp(header.stamp)
    except RigidTreeError as error:
        name = change.obstacle.name
        raise CollisionError(f"change {number}: obstacle '{name}': {error}") from error
    return Target(pose, header.frame_id, stamp)


def placed_pose(pose: Pose, field: str = "pose") -> Array:
    """Return a pose's 4x4. As in MoveIt, a quaternion is normalized; zeros mean no rotation.

    Raises ConfigurationError for numbers that are not finite.
    """
    turn = pose.orientation
    numbers = np.array([turn.x, turn.y, turn.z, turn.w])
    largest = float(np.abs(numbers).max())
    if largest > 0.0 and np.isfinite(numbers).all():
        numbers /= largest  # first, so that the length of huge and tiny ones is finite
        numbers /= np.linalg.norm(numbers)
    elif largest == 0.0:
        numbers[3] = 1.0
    x, y, z, w = numbers.tolist()
    unit = Pose(position=pose.position, orientation=Quaternion(x=x, y=y, z=z, w=w))
    return pose_matrix(unit, field)


def read_obstacle(message: Obstacle, pose: Array) -> collision.Obstacle:
    """Return an obstacle at ``pose``; raises a RigidTreeError that names the invalid part."""
    shapes = [
        *_read_shapes("primitives", map(read_primitive, message.primitives), message),
        *_read_shapes("meshes", map(read_mesh, message.meshes), message),
    ]
    if message.mesh_resource:
        scale = message.mesh_scale.x, message.mesh_scale.y, message.mesh_scale.z
        scale = scale if any(scale) else (1.0, 1.0, 1.0)
        shapes.append(collision.PlacedShape(Mesh(message.mesh_resource, scale)))
    if message.points.width or message.points.data:
        shapes.append(collision.PlacedShape(_read_cloud(message)))
    return collision.Obstacle(message.name, tuple(shapes), pose, _subframes(message))


def _read_cloud(message: Obstacle) -> collision.PointCloud:
    cloud, frame = message.points, message.points.header.frame_id
    if frame not in ("", message.header.frame_id):
        reason = f"is '{frame}', but the obstacle's is '{message.header.frame_id}'"
        raise CollisionError(f"points.header.frame_id {reason}")
    points = read_points(cloud)
    if not cloud.is_dense:  # as PointCloud2 defines it, some points may be invalid
        points = points[np.isfinite(points).all(axis=1)]
    return collision.limited_cloud(points, message.point_radius)


def _subframes(message: Obstacle) -> dict[str, Array]:
    names, poses = message.subframe_names, message.subframe_poses
    if len(names) != len(poses) or len(set(names)) < len(names) or "" in names:
        reason = f"{len(poses)} subframe_poses need as many different names, not {list(names)}"
        raise CollisionError(f"obstacle '{message.name}': {reason}")
    return {name: placed_pose(pose) for name, pose in zip(names, poses, strict=True)}


def _read_shapes(
    field: str, shapes: Iterable[collision.Shape], message: Obstacle
) -> list[collision.PlacedShape]:
    poses = message.primitive_poses if field == "primitives" else message.mesh_poses
    count = len(getattr(message, field))
    if len(poses) > count:
        reason = f"{len(poses)} poses for {count} {field}"
        raise CollisionError(f"obstacle '{message.name}': {reason}")
    matrices = [placed_pose(pose) for pose in poses] + [np.eye(4)] * (count - len(poses))
    return list(map(collision.PlacedShape, shapes, matrices))


def read_primitive(message: SolidPrimitive) -> collision.Shape:
    """Return a primitive; raises CollisionError for unknown types and numbers of dimensions."""
    kind, sizes = message.type, list(message.dimensions)
    if kind not in DIMENSIONS:
        known = "BOX {}, SPHERE {}, CYLINDER {}, PRISM {}".format(*DIMENSIONS)
        raise CollisionError(f"unknown primitive type {kind}; known: {known}")
    if len(sizes) != DIMENSIONS[kind]:
        reason = f"{DIMENSIONS[kind]} dimension(s), not {len(sizes)}"
        raise CollisionError(f"a primitive of type {kind} has {reason}")
    if kind == BOX:
        return Box(tuple(sizes))
    if kind == SPHERE:
        return Sphere(sizes[0])
    if kind == CYLINDER:
        height, radius = SolidPrimitive.CYLINDER_HEIGHT, SolidPrimitive.CYLINDER_RADIUS
        return Cylinder(sizes[radius], sizes[height])
    corners = coordinates(message.polygon.points)[:, :2]
    return collision.Prism(corners, -0.5 * sizes[0], 0.5 * sizes[0])


def read_mesh(message: MeshMessage) -> collision.Triangles:
    """Return a mesh's triangles; raises CollisionError for invalid ones."""
    return collision.Triangles(_triples(message, "vertices"), _triples(message, "triangles"))


def _triples(message: MeshMessage, field: str) -> NDArray[Any]:
    numbers = np.array(getattr(message, field))
    if len(numbers) % 3:
        raise CollisionError(f"a mesh's {field} are three numbers each, not {len(numbers)} in all")
    return numbers.reshape(-1, 3)


def scene_message(scene: collision.Scene, root: str, prefix: str) -> Scene:
    """Return a scene as a message; frames get the prefix."""
    message = Scene()
    message.header.frame_id = prefix + root
    for obstacle in scene.obstacles.values():
        message.obstacles.append(obstacle_message(obstacle, obstacle.pose, prefix + root))
    for item in scene.attached.values():
        attached = AttachedObstacle(link=item.body, touch_links=list(item.touch_bodies))
        frame = prefix + item.body
        attached.obstacle = obstacle_message(item.obstacle, item.T_body_obstacle, frame)
        message.attached.append(attached)
    return message


def obstacle_message(obstacle: collision.Obstacle, pose: Array, frame: str) -> Obstacle:
    """Return an obstacle at ``pose`` (4x4) in a frame."""
    message = Obstacle(name=obstacle.name, pose=pose_of(pose))
    message.header.frame_id = frame
    message.subframe_names = list(obstacle.subframes)
    message.subframe_poses = [pose_of(T) for T in obstacle.subframes.values()]
    for placed in obstacle.shapes:
        shape = placed.shape
        if isinstance(shape, collision.PointCloud):
            points = shape.points @ placed.pose[:3, :3].T + placed.pose[:3, 3]
            message.points = cloud_message(points)
            message.point_radius = float(shape.radius)
        elif isinstance(shape, Mesh):
            message.mesh_resource = shape.filename
            message.mesh_scale.x, message.mesh_scale.y, message.mesh_scale.z = shape.scale
        elif isinstance(shape, collision.Triangles):
            message.meshes.append(mesh_message(shape))
            message.mesh_poses.append(pose_of(placed.pose))
        else:
            primitive, at = primitive_message(placed)
            message.primitives.append(primitive)
            message.primitive_poses.append(at)
    return message


def primitive_message(placed: collision.PlacedShape) -> tuple[SolidPrimitive, Pose]:
    """Return a box, sphere, cylinder or prism and its pose as messages."""
    shape: Any = placed.shape
    T = placed.pose
    if isinstance(shape, collision.Prism):  # whose origin is at half its height in messages
        T = T @ transform((0.0, 0.0, 0.5 * (shape.lower + shape.upper)))
    return _solid(shape), pose_of(T)


def _solid(shape: Box | Sphere | Cylinder | collision.Prism) -> SolidPrimitive:
    if isinstance(shape, Box):
        return SolidPrimitive(type=BOX, dimensions=list(shape.size))
    if isinstance(shape, Sphere):
        return SolidPrimitive(type=SPHERE, dimensions=[shape.radius])
    if isinstance(shape, Cylinder):
        sizes = [0.0, 0.0]
        sizes[SolidPrimitive.CYLINDER_HEIGHT] = shape.length
        sizes[SolidPrimitive.CYLINDER_RADIUS] = shape.radius
        return SolidPrimitive(type=CYLINDER, dimensions=sizes)
    message = SolidPrimitive(type=PRISM, dimensions=[shape.upper - shape.lower])
    message.polygon.points = [Point32(x=x, y=y) for x, y in shape.corners.tolist()]
    return message


def mesh_message(shape: collision.Triangles) -> MeshMessage:
    """Return triangles as a message."""
    return MeshMessage(
        vertices=array("d", shape.vertices.tobytes()),
        triangles=array("I", shape.faces.astype(np.uint32).tobytes()),
    )


def read_scene(message: Scene) -> collision.Scene:
    """Return the scene of a message whose obstacles are in the robot's root.

    Raises a RigidTreeError that names the invalid part and its obstacle.
    """
    scene = collision.Scene()
    for obstacle in message.obstacles:
        scene.add(_named(obstacle))
    for item in message.attached:
        scene.add(_named(item.obstacle))
        T_body_obstacle = placed_pose(item.obstacle.pose)
        scene.attach(item.obstacle.name, item.link, T_body_obstacle, item.touch_links)
    return scene


def _named(message: Obstacle) -> collision.Obstacle:
    try:
        return read_obstacle(message, placed_pose(message.pose))
    except RigidTreeError as error:
        raise CollisionError(f"obstacle '{message.name}': {error}") from error


def coordinates(points: Iterable[Any]) -> Array:
    """Return messages with x, y and z as an array (n, 3)."""
    return np.array([(point.x, point.y, point.z) for point in points]).reshape(-1, 3)


def points_of(positions: Array) -> list[Point]:
    """Return positions (n, 3) as Point messages."""
    return [Point(x=x, y=y, z=z) for x, y, z in positions.tolist()]


def point_of(position: Any) -> Point:
    """Return three numbers as a Point message."""
    x, y, z = (float(value) for value in position)
    return Point(x=x, y=y, z=z)
