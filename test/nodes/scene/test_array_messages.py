"""Long sequences arrive and leave as arrays, with the same bytes on the network."""

import numpy as np
from geometry_msgs.msg import Point, Point32
from rclpy.serialization import deserialize_message, serialize_message
from rigid_tree_interfaces.msg import Obstacle, SceneChange
from rigid_tree_interfaces.srv import UpdateScene
from shape_msgs.msg import Mesh, MeshTriangle

from rigid_tree_kinematics.collision import Scene
from rigid_tree_kinematics.nodes.scene import array_messages
from rigid_tree_kinematics.nodes.scene.array_messages import coordinates, set_rows, with_arrays
from rigid_tree_kinematics.nodes.scene.messages import read_obstacle, scene_message

POINTS = np.random.default_rng(2).uniform(-1.0, 1.0, (3000, 3)).astype(np.float32)
FACES = np.random.default_rng(3).integers(0, 3000, (2000, 3))


def request(points: int, triangles: int) -> UpdateScene.Request:
    """Return one as rclpy's users make it, between others that must stay whole."""
    mesh = Mesh(
        vertices=[Point(x=x, y=y, z=z) for x, y, z in POINTS.tolist()],
        triangles=[MeshTriangle(vertex_indices=face) for face in FACES[:triangles].astype("u4")],
    )
    obstacle = Obstacle(name="seen", meshes=[Mesh(), mesh], point_radius=0.01)
    obstacle.points = [Point32(x=x, y=y, z=z) for x, y, z in POINTS[:points].tolist()]
    around = SceneChange(link="hand", touch_links=["left", "right"])
    return UpdateScene.Request(changes=[around, SceneChange(obstacle=obstacle), around])


def test_arrays_hold_what_rclpy_makes_objects_of() -> None:
    for points, triangles in ((3000, 2000), (3000, 5), (7, 2000), (1000, 1000)):
        data = serialize_message(request(points, triangles))
        read = deserialize_message(data, with_arrays(UpdateScene).Request)
        obstacle = read.changes[1].obstacle
        assert isinstance(obstacle.points, np.ndarray) == (points > 1000)
        assert isinstance(obstacle.meshes[1].triangles, np.ndarray) == (triangles > 1000)
        np.testing.assert_array_equal(coordinates(obstacle.points), POINTS[:points])
        np.testing.assert_array_equal(coordinates(obstacle.meshes[1].vertices), POINTS)
        if triangles > 1000:
            np.testing.assert_array_equal(obstacle.meshes[1].triangles, FACES[:triangles])
        assert read.changes[0] == read.changes[2] == request(0, 0).changes[0]
        assert obstacle.name == "seen"


def test_arrays_are_written_as_rclpy_writes_objects() -> None:
    message = with_arrays(UpdateScene).Request(changes=request(0, 0).changes)
    obstacle = message.changes[1].obstacle
    set_rows(obstacle, "points", POINTS, Point32)
    set_rows(obstacle.meshes[1], "triangles", FACES, MeshTriangle)
    for _ in range(2):  # writing leaves the message as it was
        data = serialize_message(message)
        assert len(data) == len(serialize_message(request(3000, 2000)))
        assert deserialize_message(data, UpdateScene.Request) == request(3000, 2000)


def test_beyond_the_limit_only_the_number_is_kept(monkeypatch) -> None:
    monkeypatch.setattr(array_messages, "MOST", 2500)
    data = serialize_message(request(3000, 5))
    points = deserialize_message(data, with_arrays(UpdateScene).Request).changes[1].obstacle.points
    assert len(points) == 3000
    assert points.strides[0] == 0


def test_a_scene_of_a_large_cloud_comes_back() -> None:
    cloud = Obstacle(name="seen", point_radius=0.01)
    set_rows(cloud, "points", POINTS, Point32)
    obstacle = read_obstacle(cloud, np.eye(4))
    message = scene_message(Scene([obstacle]), "base", "")
    read = deserialize_message(serialize_message(message), type(message))
    np.testing.assert_array_equal(coordinates(read.obstacles[0].points), POINTS)
