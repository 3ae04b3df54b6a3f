"""A body led along straight lines, held against the model's frames."""

from __future__ import annotations

import numpy as np

from rigid_tree_kinematics import load_robot
from rigid_tree_kinematics.collision import CollisionChecker, Obstacle, Scene
from rigid_tree_kinematics.model import Sphere
from rigid_tree_kinematics.model.transforms import rotation_log, rpy_matrix, transform
from rigid_tree_kinematics.planning import follow_straight_line
from rigid_tree_kinematics.planning.deadline import Deadline

TIP = "panda_link8"
ROBOT = load_robot("panda")


def test_points_lie_on_the_line_and_turn_evenly() -> None:
    start = ROBOT.home_configuration()
    first = ROBOT.get_transform(start, TIP)
    end = transform((0.1, 0.2, -0.1)) @ first
    end[:3, :3] = first[:3, :3] @ rpy_matrix(0.0, 0.3, 0.4)
    line = follow_straight_line(
        ROBOT.compiled(), TIP, start, [end], 0.01, deadline=Deadline(10.0, None)
    )
    assert line.fraction == 1.0
    assert not line.trouble
    way = (end - first)[:3, 3]
    angle = np.linalg.norm(rotation_log(first[:3, :3].T @ end[:3, :3]))
    for k, q in enumerate(line.path):
        pose = ROBOT.get_transform(q, TIP)
        share = k / (len(line.path) - 1)
        np.testing.assert_allclose(pose[:3, 3], first[:3, 3] + share * way, atol=2e-6)
        turned = np.linalg.norm(rotation_log(first[:3, :3].T @ pose[:3, :3]))
        assert abs(turned - share * angle) < 2e-6
    places = np.array([ROBOT.get_transform(q, TIP)[:3, 3] for q in line.path])
    steps = np.linalg.norm(np.diff(places, axis=0), axis=1)
    assert steps.max() <= 0.01 + 1e-5
    np.testing.assert_allclose(ROBOT.get_transform(line.path[-1], TIP), end, atol=2e-6)


def test_what_is_in_the_way_stops_the_line_and_is_named() -> None:
    start = ROBOT.home_configuration()
    first = ROBOT.get_transform(start, TIP)
    end = transform((0.0, 0.0, -0.3)) @ first
    ball = Obstacle.of("ball", Sphere(0.03), transform(end[:3, 3]))
    line = follow_straight_line(
        ROBOT.compiled(),
        TIP,
        start,
        [end],
        0.01,
        checker=CollisionChecker(ROBOT, Scene([ball])),
        deadline=Deadline(10.0, None),
    )
    assert 0.3 < line.fraction < 1.0
    assert "'ball'" in line.trouble
    assert CollisionChecker(ROBOT, Scene([ball])).is_free(line.path[-1])


def test_out_of_reach_and_out_of_time_are_said() -> None:
    start = ROBOT.home_configuration()
    far = transform((0.0, 0.0, 2.0)) @ ROBOT.get_transform(start, TIP)
    line = follow_straight_line(
        ROBOT.compiled(), TIP, start, [far], 0.02, deadline=Deadline(10.0, None)
    )
    assert 0.0 < line.fraction < 0.5
    assert "no joint positions" in line.trouble
    late = follow_straight_line(
        ROBOT.compiled(), TIP, start, [far], 0.02, deadline=Deadline(1e-9, None)
    )
    assert late.fraction == 0.0
    assert "time" in late.trouble
