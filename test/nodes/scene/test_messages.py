"""Long sequences as arrays with the same serialized bytes; clouds of any layout."""

from typing import Any

import numpy as np
import pytest
from geometry_msgs.msg import Point, Point32
from rclpy.serialization import deserialize_message, serialize_message
from rigid_tree_interfaces.msg import Obstacle, SceneChange
from rigid_tree_interfaces.srv import UpdateScene
from sensor_msgs.msg import PointCloud2, PointField
from shape_msgs.msg import Mesh, MeshTriangle

from rigid_tree_kinematics.collision import Scene
from rigid_tree_kinematics.errors import ConfigurationError
from rigid_tree_kinematics.nodes.scene import array_messages
from rigid_tree_kinematics.nodes.scene.array_messages import coordinates, set_rows, with_arrays
from rigid_tree_kinematics.nodes.scene.messages import (
    cloud_message,
    read_obstacle,
    read_points,
    scene_message,
)

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


def test_arrays_have_the_values_of_rclpys_objects() -> None:
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


DATATYPES = {"f4": PointField.FLOAT32, "f8": PointField.FLOAT64}


def cloud(points, offsets=(0, 4, 8), kinds=("f4",) * 3, step=12, end=0, height=1, big=False):
    """Return a message whose fields lie where they are asked to; ``end`` bytes follow each row."""
    width = len(points) // height
    message = PointCloud2(height=height, width=width, point_step=step, is_bigendian=big)
    message.row_step = width * step + end
    message.fields = [
        PointField(name=name, offset=offset, datatype=DATATYPES[kind], count=1)
        for name, offset, kind in zip("xyz", offsets, kinds, strict=True)
    ]
    data = np.random.default_rng(0).integers(0, 256, height * message.row_step, dtype=np.uint8)
    for k, point in enumerate(points):
        row, column = divmod(k, width)
        at = row * message.row_step + column * step
        for value, offset, kind in zip(point, offsets, kinds, strict=True):
            written = np.array(value, (">" if big else "<") + kind).tobytes()
            data[at + offset : at + offset + len(written)] = np.frombuffer(written, np.uint8)
    message.data = data.tobytes()
    return message


LAYOUTS: list[dict[str, Any]] = [
    {},
    {"offsets": (8, 0, 4), "step": 32},
    {"offsets": (1, 7, 13), "step": 19},
    {"offsets": (0, 8, 16), "kinds": ("f8",) * 3, "step": 24},
    {"offsets": (4, 12, 20), "kinds": ("f4", "f8", "f4"), "step": 27},
    {"height": 6, "end": 13, "step": 16},
    {"height": 10, "big": True},
    {"big": True, "kinds": ("f8", "f8", "f8"), "offsets": (0, 8, 16), "step": 26, "height": 3},
]


def test_any_layout_is_read_and_our_own():
    points = np.random.default_rng(1).normal(size=(60, 3))
    points[7], points[11, 1] = np.nan, np.inf
    for layout in LAYOUTS:
        kinds = layout.get("kinds", ("f4",) * 3)
        expected = np.column_stack([points[:, k].astype(kinds[k]) for k in range(3)]).astype(float)
        np.testing.assert_array_equal(read_points(cloud(points, **layout)), expected, str(layout))
    points = np.random.default_rng(3).normal(size=(500, 3))
    np.testing.assert_array_equal(read_points(cloud_message(points)), points.astype("f4"))
    assert read_points(cloud_message(np.empty((0, 3)))).shape == (0, 3)
    assert read_points(PointCloud2(fields=cloud_message(points).fields, point_step=12)).size == 0


def test_inconsistent_clouds_are_rejected_with_a_message():
    whole, far = cloud(np.zeros((10, 3))).fields, cloud(np.zeros((10, 3))).fields
    whole[1].datatype, far[0].offset = PointField.INT32, 2**32 - 2
    for changes, words in (
        ({"fields": []}, "no field x, y, z; its fields: none"),
        ({"fields": cloud([(0, 0, 0)]).fields[:2]}, "no field z; its fields: x, y"),
        ({"fields": whole}, "field y is of datatype 5"),
        ({"fields": far}, "field x ends at byte"),
        ({"width": 2**32 - 1}, "data has 120"),
        ({"width": 2**32 - 1, "height": 2**32 - 1}, "row_step 120 is less"),
        ({"height": 2}, "2 x 10 points need 240 bytes"),
        ({"height": 2, "row_step": 0}, "row_step 0 is less"),
        ({"point_step": 0}, "of point_step 0"),
        ({"point_step": 11}, "field z ends at byte 12"),
        ({"point_step": 2**32 - 1}, "data has 120"),
        ({"data": b""}, "data has 0"),
        ({"data": b"\0" * 119}, "data has 119"),
    ):
        message = cloud(np.zeros((10, 3)))
        for name, value in changes.items():
            setattr(message, name, value)
        with pytest.raises(ConfigurationError, match=words):
            read_points(message)
