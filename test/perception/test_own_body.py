"""Points on the robot are excluded; all others are in their cells."""

import numpy as np
import pytest
import trimesh

from harness.example_robots import mesh_of
from rigid_tree_kinematics import load_robot
from rigid_tree_kinematics.collision import AttachedObstacle, Obstacle
from rigid_tree_kinematics.errors import CollisionError
from rigid_tree_kinematics.kinematics import body_transform
from rigid_tree_kinematics.model import Box, Sphere
from rigid_tree_kinematics.model.transforms import transform_from_xyz_rpy
from rigid_tree_kinematics.perception import OwnBody, cell_centers, cell_radius

PANDA = load_robot("panda")
SIZE = 0.02


def meshes(robot, q):
    """Return a robot's collision shapes where they are."""
    for body in (robot.base, *robot.bodies):
        for shape in body.collisions:
            T = body_transform(robot, q, body.name) @ shape.origin
            yield mesh_of(shape.geometry).apply_transform(T)


@pytest.mark.parametrize("name", ["panda", "ur5", "nao"])
def test_all_points_of_the_robot_are_left_out(name):
    robot = load_robot(name)
    rng = np.random.default_rng(3)
    own = OwnBody(robot, 0.01)
    sensor = transform_from_xyz_rpy([1.0, 0.5, 0.7], [0.3, -0.4, 2.0])
    for _ in range(5):
        q = robot.random_configuration(rng)
        samples = [
            trimesh.sample.sample_surface(mesh, 200, seed=int(rng.integers(2**31)))[0]
            for mesh in meshes(robot, q)
        ]
        points = np.vstack(samples)
        seen = (points - sensor[:3, 3]) @ sensor[:3, :3]
        found = own.cells(seen, sensor, q, (), SIZE)
        assert len(found.numbers) == 0
        assert found.on_the_robot == len(points)


def test_what_is_farther_from_the_robot_than_its_hulls_is_kept_in_its_cell():
    rng = np.random.default_rng(4)
    q = PANDA.random_configuration(rng)
    padding = 0.03
    own = OwnBody(PANDA, padding)
    points = rng.uniform(-1.0, 1.0, (20_000, 3))
    # The truth: how far each point is from the bodies' convex hulls, by trimesh.
    distance = np.full(len(points), np.inf)
    for mesh in meshes(PANDA, q):
        hull = mesh.convex_hull
        near = np.linalg.norm(points - hull.centroid, axis=1) < hull.scale + 0.3
        signed = -trimesh.proximity.signed_distance(hull, points[near])
        distance[near] = np.minimum(distance[near], signed)
    found = own.cells(points, np.eye(4), q, (), SIZE)
    centers = cell_centers(found.numbers, SIZE)
    # A hull's corner grows to sqrt(3) times the padding and more where it is sharp.
    far = points[distance > 3.0 * padding]
    assert len(far) > 10_000
    kept = {tuple(cell) for cell in np.round(centers / SIZE - 0.5).astype(int)}
    assert {tuple(cell) for cell in np.floor(far / SIZE).astype(int)} <= kept
    # Every cell has a point, and its ball contains the point.
    assert {tuple(cell) for cell in np.floor(points / SIZE).astype(int)} >= kept
    own_cell = (np.floor(points / SIZE) + 0.5) * SIZE
    assert np.linalg.norm(points - own_cell, axis=1).max() <= cell_radius(SIZE)


def test_cells_are_those_of_the_base_frame_whatever_the_sensors():
    rng = np.random.default_rng(5)
    points = rng.uniform(-2.0, 2.0, (3000, 3)) + np.array([5.0, 0.0, 0.0])
    own = OwnBody(PANDA, 0.0)
    q = PANDA.home_configuration()
    wanted = (np.unique(np.floor(points / SIZE), axis=0) + 0.5) * SIZE
    for _ in range(5):
        T = transform_from_xyz_rpy(rng.normal(size=3), rng.uniform(-3, 3, 3))
        seen = (points - T[:3, 3]) @ T[:3, :3]
        found = own.cells(seen, T, q, (), SIZE)
        np.testing.assert_allclose(cell_centers(found.numbers, SIZE), wanted, atol=1e-9)


def test_what_the_robot_holds_is_left_out_where_it_holds_it():
    rng = np.random.default_rng(6)
    q = PANDA.random_configuration(rng)
    T = transform_from_xyz_rpy([0.0, 0.0, 0.25], [0.0, 0.0, 0.0])
    attached = AttachedObstacle(Obstacle.of("ball", Sphere(0.08)), "panda_link8", T, ())
    stick = AttachedObstacle(Obstacle.of("stick", Box((0.02, 0.02, 0.6))), "panda_link8", T, ())
    flange = body_transform(PANDA, q, "panda_link8") @ T
    turned = rng.normal(size=(500, 3))
    ball = turned / np.linalg.norm(turned, axis=1)[:, None] * 0.08 @ flange[:3, :3].T
    ball += flange[:3, 3]
    end = flange[:3, 3] + flange[:3, 2] * 0.3
    own = OwnBody(PANDA, 0.005)
    assert len(own.cells(ball, np.eye(4), q, (), SIZE).numbers) > 10
    assert len(own.cells(ball, np.eye(4), q, (attached,), SIZE).numbers) == 0
    assert len(own.cells([end], np.eye(4), q, (attached,), SIZE).numbers) == 1
    assert len(own.cells([end], np.eye(4), q, (attached, stick), SIZE).numbers) == 0


def test_numbers_that_are_none_and_places_beyond_the_grid_are_counted():
    own = OwnBody(PANDA, 0.0)
    points = [[np.nan, 0, 0], [0, np.inf, 0], [1e30, 0, 0], [0, -3e4, 0], [3.0, 3.0, 3.0]]
    found = own.cells(points, np.eye(4), PANDA.home_configuration(), (), SIZE)
    assert (len(found.numbers), found.not_finite, found.too_far) == (1, 2, 2)
    np.testing.assert_allclose(cell_centers(found.numbers, SIZE), [[3.01, 3.01, 3.01]])
    empty = own.cells(np.empty((0, 3)), np.eye(4), PANDA.home_configuration(), (), SIZE)
    assert len(empty.numbers) == 0
    for points, size in (([[1.0, 2.0]], SIZE), (np.ones((2, 4)), SIZE), ([[1.0] * 3], 0.0)):
        with pytest.raises(CollisionError):
            own.cells(points, np.eye(4), PANDA.home_configuration(), (), size)
