"""Obstacles with large meshes and clouds, as they come back from the network."""

import numpy as np
import pytest
from rclpy.serialization import deserialize_message, serialize_message
from rigid_tree_interfaces.msg import Mesh, Obstacle
from rigid_tree_interfaces.msg import Scene as SceneMessage

from rigid_tree_kinematics.collision import Obstacle as ObstacleModel
from rigid_tree_kinematics.collision import PlacedShape, PointCloud, Scene, Triangles
from rigid_tree_kinematics.errors import RigidTreeError
from rigid_tree_kinematics.model.transforms import transform
from rigid_tree_kinematics.nodes.scene.clouds import cloud_message
from rigid_tree_kinematics.nodes.scene.messages import (
    mesh_message,
    read_obstacle,
    read_scene,
    scene_message,
)

POINTS = np.random.default_rng(2).uniform(-1.0, 1.0, (3000, 3)).astype(np.float32)
FACES = np.random.default_rng(3).integers(0, 3000, (2000, 3))
SHEET = Triangles(POINTS, FACES)


def test_a_scene_of_a_cloud_and_a_mesh_comes_back():
    cloud, at = PlacedShape(PointCloud(POINTS, 0.01)), transform((1.0, 2.0, 3.0))
    scene = Scene([ObstacleModel("seen", (PlacedShape(SHEET, at), cloud), at)])
    scene.add(ObstacleModel("held", (cloud,)))
    scene.attach("held", "hand", at, ["finger"])
    data = serialize_message(scene_message(scene, "base", "left/"))
    message = deserialize_message(data, SceneMessage)
    assert message.header.frame_id == message.obstacles[0].header.frame_id == "left/base"
    found = read_scene(message)
    sheet, points = found.obstacles["seen"].shapes
    np.testing.assert_array_equal(sheet.shape.vertices, POINTS)
    np.testing.assert_array_equal(sheet.shape.faces, FACES)
    np.testing.assert_array_equal(sheet.pose, at)
    np.testing.assert_array_equal(points.shape.points, POINTS)
    assert points.shape.radius == 0.01
    held = found.attached["held"]
    assert (held.body, held.touch_bodies) == ("hand", ("finger",))
    np.testing.assert_array_equal(held.T_body_obstacle, at)


def test_missing_points_of_a_depth_image_are_dropped():
    holes = POINTS.copy()
    holes[::3] = np.nan
    cloud = cloud_message(holes)
    cloud.is_dense = False
    message = Obstacle(name="seen", points=cloud, point_radius=0.01)
    (placed,) = read_obstacle(message, np.eye(4)).shapes
    np.testing.assert_array_equal(placed.shape.points, holes[~np.isnan(holes[:, 0])])


def mesh(vertices, triangles) -> Obstacle:
    return Obstacle(name="part", meshes=[Mesh(vertices=vertices, triangles=triangles)])


def test_invalid_meshes_and_clouds_are_rejected_with_a_message():
    dense, foreign = cloud_message(np.full((5, 3), np.nan)), cloud_message(POINTS)
    short = cloud_message(POINTS)
    foreign.header.frame_id, short.data = "camera", b""
    for message, words in (
        (mesh([0.0] * 8, [0, 1, 2]), "vertices are three numbers each, not 8"),
        (mesh([0.0] * 9, [0, 1]), "triangles are three numbers each, not 2"),
        (mesh([0.0] * 9, [0, 1, 3]), "vertices 0 to 2, not to 3"),
        (mesh([0.0] * 9, []), "at least one triangle"),
        (Obstacle(name="part", points=dense, point_radius=0.1), "finite"),
        (Obstacle(name="part", points=short, point_radius=0.1), "data has 0"),
        (Obstacle(name="part", points=foreign, point_radius=0.1), "'camera', but the obstacle's"),
        (Obstacle(name="part", points=cloud_message(POINTS)), "radius"),
    ):
        with pytest.raises(RigidTreeError, match=words):
            read_obstacle(message, np.eye(4))


def test_a_mesh_has_the_numbers_of_its_vertices_and_triangles():
    message = mesh_message(Triangles(POINTS[:4], [(0, 1, 2), (1, 2, 3)]))
    assert list(message.vertices) == POINTS[:4].ravel().tolist()
    assert list(message.triangles) == [0, 1, 2, 1, 2, 3]
