"""Shapes beyond the size limits are rejected by name."""

import math

import numpy as np
import pytest

from harness.cases import case
from rigid_tree_kinematics import load_robot
from rigid_tree_kinematics.collision import (
    CollisionChecker,
    Obstacle,
    PointCloud,
    Prism,
    Scene,
    Triangles,
)
from rigid_tree_kinematics.collision.shapes.obstacle_shapes import (
    LARGEST_SIZE,
    MOST_CORNERS,
    SMALLEST_SIZE,
)
from rigid_tree_kinematics.errors import RigidTreeError
from rigid_tree_kinematics.model import Box, Cylinder, Mesh, Sphere

WRONG = (math.nan, math.inf, 1e308, 1e5, 1e-7, 5e-324, 0.0, -1.0)
CORNERS = np.array([[0.0, 0.0, 0.0], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]])
FACES = np.array([[0, 2, 1], [0, 1, 3], [0, 3, 2], [1, 2, 3]])


def test_invalid_size_is_rejected():
    for name, make in (
        ("box", lambda size: Box((1.0, size, 1.0))),
        ("sphere", Sphere),
        ("cylinder", lambda size: Cylinder(size, 1.0)),
        ("cylinder", lambda size: Cylinder(1.0, size)),
        ("point cloud", lambda size: PointCloud(np.zeros((1, 3)), size)),
        ("prism", lambda size: Prism(CORNERS[:3, :2], 0.0, size)),
        ("mesh", lambda size: Mesh("file.stl", (1.0, size, 1.0))),
    ):
        for size in WRONG:
            if (name, size) != ("mesh", -1.0):  # a mirror
                with case(f"{name} {size}"), pytest.raises(RigidTreeError, match=name):
                    Obstacle.of("thing", make(size))


def test_a_place_that_is_too_far_is_rejected():
    for far in (math.nan, math.inf, 1e308, -1e7):
        away = CORNERS + np.array([0.0, far, 0.0])
        pose = np.eye(4)
        pose[1, 3] = far
        for number, make in enumerate(
            (
                lambda away=away: Triangles(away, FACES),
                lambda away=away: PointCloud(away, 0.1),
                lambda away=away: Prism(away[:3, :2], 0.0, 1.0),
                lambda far=far: Prism(CORNERS[:3, :2], far, far),
                lambda pose=pose: Obstacle.of("thing", Sphere(1.0), pose),
            )
        ):
            with case(f"{far}, shape {number}"), pytest.raises(RigidTreeError):
                make()


def test_a_prism_of_too_many_corners_is_rejected():
    angles = np.linspace(0.0, 2.0 * np.pi, MOST_CORNERS + 1, endpoint=False)
    with pytest.raises(RigidTreeError, match="corners"):
        Prism(np.column_stack([np.cos(angles), np.sin(angles)]), 0.0, 1.0)


@pytest.mark.parametrize("size", [SMALLEST_SIZE, 1e-3, 30.0, LARGEST_SIZE])
def test_what_is_within_the_limits_can_be_checked(size):
    shapes = (
        Box((size, size, size)),
        Sphere(size),
        Cylinder(size, size),
        Triangles(size * CORNERS, FACES),
        Prism(size * CORNERS[:3, :2], 0.0, size),
    )
    pose = np.eye(4)
    pose[0, 3] = 2.0 + 2.0 * size  # beyond the reach of the arm
    robot = load_robot("panda")
    for shape in shapes:
        checker = CollisionChecker(robot, Scene([Obstacle.of("thing", shape, pose)]))
        report = checker.check(robot.home_configuration())
        assert report.free, report.message
        distance = checker.distance(robot.home_configuration()).distance
        assert 0.0 < distance < 2.0 + 2.0 * size
