"""Conversion of obstacles from and to messages: shapes, meshes, point clouds."""

from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np
from geometry_msgs.msg import Point, Point32, Pose, Quaternion
from rigid_tree_interfaces.msg import AttachedObstacle, Obstacle, Scene, SceneChange
from sensor_msgs.msg import PointCloud2, PointField
from shape_msgs.msg import Mesh as MeshMessage
from shape_msgs.msg import MeshTriangle, SolidPrimitive

from rigid_tree_kinematics import collision
from rigid_tree_kinematics.arrays import Array
from rigid_tree_kinematics.description.meshes import MOST_POINTS
from rigid_tree_kinematics.errors import CollisionError, ConfigurationError, RigidTreeError
from rigid_tree_kinematics.model import Box, Cylinder, Mesh, Sphere
from rigid_tree_kinematics.model.transforms import transform
from rigid_tree_kinematics.nodes.scene import changes
from rigid_tree_kinematics.nodes.scene.array_messages import coordinates, set_rows, with_arrays
from rigid_tree_kinematics.nodes.tf import Target, pose_matrix, pose_of, read_stamp

# Not in distributions before Iron.
PRISM = getattr(SolidPrimitive, "PRISM", 5)
BOX, SPHERE, CYLINDER = SolidPrimitive.BOX, SolidPrimitive.SPHERE, SolidPrimitive.CYLINDER
DIMENSIONS = {BOX: 3, SPHERE: 1, CYLINDER: 2, PRISM: 1}
KINDS = {PointField.FLOAT32: "f4", PointField.FLOAT64: "f8"}


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
        *_placed("primitives", map(read_primitive, message.primitives), message),
        *_placed("meshes", map(read_mesh, message.meshes), message),
    ]
    if message.mesh_resource:
        scale = message.mesh_scale.x, message.mesh_scale.y, message.mesh_scale.z
        scale = scale if any(scale) else (1.0, 1.0, 1.0)
        shapes.append(collision.PlacedShape(Mesh(message.mesh_resource, scale)))
    if len(message.points):
        cloud = collision.limited_cloud(coordinates(message.points), message.point_radius)
        shapes.append(collision.PlacedShape(cloud))
    return collision.Obstacle(message.name, tuple(shapes), pose, _subframes(message))


def _subframes(message: Obstacle) -> dict[str, Array]:
    names, poses = message.subframe_names, message.subframe_poses
    if len(names) != len(poses) or len(set(names)) < len(names) or "" in names:
        reason = f"{len(poses)} subframe_poses need as many different names, not {list(names)}"
        raise CollisionError(f"obstacle '{message.name}': {reason}")
    return {name: placed_pose(pose) for name, pose in zip(names, poses, strict=True)}


def _placed(
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
    faces = message.triangles
    if not isinstance(faces, np.ndarray):
        faces = np.array([t.vertex_indices for t in faces], dtype=np.int64).reshape(-1, 3)
    return collision.Triangles(coordinates(message.vertices), faces)


def scene_message(scene: collision.Scene, root: str, prefix: str) -> Scene:
    """Return a scene as a message ``with_arrays``; frames get the prefix."""
    message = with_arrays(Scene)()
    message.header.frame_id = prefix + root
    for obstacle in scene.obstacles.values():
        message.obstacles.append(obstacle_message(obstacle, obstacle.pose, prefix + root))
    message.attached = attached_obstacles(scene, prefix)
    return message


def attached_obstacles(scene: collision.Scene, prefix: str) -> list[AttachedObstacle]:
    """Return the attached obstacles as messages in messages ``with_arrays``."""
    messages = []
    for item in scene.attached.values():
        attached = AttachedObstacle(link=item.body, touch_links=list(item.touch_bodies))
        frame = prefix + item.body
        attached.obstacle = obstacle_message(item.obstacle, item.T_body_obstacle, frame)
        messages.append(attached)
    return messages


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
            set_rows(message, "points", points, Point32)
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


def without_arrays(mesh: MeshMessage) -> None:
    """Replace the arrays of a mesh by messages, for a parent message without arrays."""
    for field, kind in (("vertices", Point), ("triangles", MeshTriangle)):
        rows = getattr(mesh, field)
        if isinstance(rows, np.ndarray):
            set_rows(mesh, field, rows, kind, len(rows))


def mesh_message(shape: collision.Triangles) -> MeshMessage:
    """Return triangles as a message."""
    message = MeshMessage()
    set_rows(message, "vertices", shape.vertices, Point)
    set_rows(message, "triangles", shape.faces, MeshTriangle)
    return message


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


def point_of(position: Any) -> Point:
    """Return three numbers as a Point message."""
    x, y, z = (float(value) for value in position)
    return Point(x=x, y=y, z=z)


def read_points(message: PointCloud2) -> Array:
    """Return the x, y, z of all points (n, 3), in the message's frame; some may be NaN.

    Fields can have any offset, size and byte order; rows can have padding at their ends. Raises
    ConfigurationError for an inconsistent message.
    """
    fields = {field.name: field for field in message.fields}
    missing = [name for name in "xyz" if name not in fields]
    if missing:
        known = ", ".join(fields) or "none"
        raise ConfigurationError(f"no field {', '.join(missing)}; its fields: {known}")
    order = ">" if message.is_bigendian else "<"
    formats, offsets = [], []
    for name in "xyz":
        field = fields[name]
        if field.datatype not in KINDS:
            reason = f"neither FLOAT32 ({PointField.FLOAT32}) nor FLOAT64 ({PointField.FLOAT64})"
            raise ConfigurationError(f"field {name} is of datatype {field.datatype}, {reason}")
        kind = np.dtype(order + KINDS[field.datatype])
        if (end := field.offset + kind.itemsize) > message.point_step:
            reason = f"ends at byte {end} of a point of point_step {message.point_step}"
            raise ConfigurationError(f"field {name} {reason}")
        formats.append(kind)
        offsets.append(field.offset)
    height, width = int(message.height), int(message.width)
    if not height * width:
        return np.empty((0, 3))
    if width * message.point_step > message.row_step and height > 1:
        reason = f"less than {width} points of {message.point_step} bytes"
        raise ConfigurationError(f"row_step {message.row_step} is {reason}")
    needed = (height - 1) * message.row_step + width * message.point_step
    if len(message.data) < needed:
        reason = f"need {needed} bytes, but data has {len(message.data)}"
        raise ConfigurationError(f"{height} x {width} points {reason}")
    if height * width > MOST_POINTS:
        reason = f"at most {MOST_POINTS} points, not {height} x {width}"
        raise ConfigurationError(f"a cloud has {reason}")
    data = np.frombuffer(message.data, dtype=np.uint8)
    points = np.empty((height, width, 3))
    strides = (message.row_step, message.point_step)
    for column, (kind, offset) in enumerate(zip(formats, offsets, strict=True)):
        points[..., column] = np.ndarray((height, width), kind, data, offset, strides)
    return points.reshape(-1, 3)


def cloud_message(points: Array) -> PointCloud2:
    """Return points (n, 3) as a message of float32, without header."""
    message = PointCloud2(height=1, width=len(points), point_step=12, is_dense=True)
    message.row_step = 12 * len(points)
    message.fields = [
        PointField(name=name, offset=4 * k, datatype=PointField.FLOAT32, count=1)
        for k, name in enumerate("xyz")
    ]
    data: Any = np.ascontiguousarray(points, dtype="<f4").tobytes()
    message.data = data
    return message
