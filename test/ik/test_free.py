"""Collision-free solutions, checked by the exact level of the collision checker."""

import numpy as np
import pytest

from rigid_tree_kinematics.collision import CollisionChecker, Obstacle, Scene, load_scene
from rigid_tree_kinematics.description.robots import load_robot
from rigid_tree_kinematics.ik import IKStatus, InverseKinematics, free_solutions
from rigid_tree_kinematics.model import Sphere

TIP = "panda_link8"


@pytest.fixture(scope="module")
def robot():
    return load_robot("panda")


@pytest.fixture(scope="module")
def checker(robot):
    return CollisionChecker(robot, load_scene("panda_pillars"))


@pytest.fixture(scope="module")
def solver(robot):
    return InverseKinematics(robot, TIP)


def test_every_pose_with_a_free_solution_is_solved(robot, checker, solver):
    rng = np.random.default_rng(0)
    held, blocked_at_first = 0, 0
    while held < 60:
        q = robot.random_configuration(rng)
        if not checker.check(q).free:
            continue
        held += 1
        T, seed = robot.get_transform(q, TIP), robot.random_configuration(rng)
        results, blocked = free_solutions(solver, checker, T, seed)
        assert len(results) == 1, blocked
        found = results[0].configuration
        assert results[0].success
        assert checker.check(found).free
        np.testing.assert_allclose(robot.get_transform(found, TIP), T, atol=1e-5)
        blocked_at_first += not checker.check(solver.solve(T, seed).configuration).free
    assert blocked_at_first > 3


def test_several_come_nearest_to_the_seed_first(robot, checker, solver):
    seed = np.array([0.0, -0.3, 0.0, -2.2, 0.0, 2.0, 0.785])
    T = robot.get_transform(seed + 0.02, TIP)
    results, blocked = free_solutions(solver, checker, T, seed, most=5)
    assert blocked == ""
    ways = [np.linalg.norm(result.configuration - seed) for result in results]
    assert len(ways) == 5
    assert ways == sorted(ways)
    assert all(checker.check(result.configuration).free for result in results)


def test_poses_without_a_free_solution_are_reported(robot, checker, solver):
    seed = np.array([0.0, -0.3, 0.0, -2.2, 0.0, 2.0, 0.785])
    T = robot.get_transform(seed, TIP)
    ball = Obstacle.of("ball", Sphere(0.08), T)
    results, blocked = free_solutions(solver, checker.with_scene(Scene([ball])), T, seed)
    assert results == []
    assert "ball" in blocked


def test_a_pose_out_of_reach_gives_the_best_try(solver, checker):
    T = np.eye(4)
    T[:3, 3] = 3.0, 0.0, 0.0
    results, blocked = free_solutions(solver, checker, T)
    assert [result.status for result in results] == [IKStatus.UNREACHABLE]
    assert blocked == ""
