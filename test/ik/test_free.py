"""Collision-free solutions, checked by the exact level of the collision checker."""

import numpy as np

from rigid_tree_kinematics.collision import CollisionChecker, Obstacle, Scene, load_scene
from rigid_tree_kinematics.description.robots import load_robot
from rigid_tree_kinematics.ik import IKStatus, InverseKinematics, free_solutions
from rigid_tree_kinematics.model import Sphere

TIP = "panda_link8"
ROBOT = load_robot("panda")
CHECKER = CollisionChecker(ROBOT, load_scene("panda_pillars"))
SOLVER = InverseKinematics(ROBOT, TIP)


def test_every_pose_with_a_free_solution_is_solved():
    rng = np.random.default_rng(0)
    solved, blocked_at_first = 0, 0
    while solved < 60:
        q = ROBOT.random_configuration(rng)
        if not CHECKER.check(q).free:
            continue
        solved += 1
        T, seed = ROBOT.get_transform(q, TIP), ROBOT.random_configuration(rng)
        results, blocked = free_solutions(SOLVER, CHECKER, T, seed)
        assert len(results) == 1, blocked
        found = results[0].configuration
        assert results[0].success
        assert CHECKER.check(found).free
        np.testing.assert_allclose(ROBOT.get_transform(found, TIP), T, atol=1e-5)
        blocked_at_first += not CHECKER.check(SOLVER.solve(T, seed).configuration).free
    assert blocked_at_first > 3


def test_several_come_nearest_to_the_seed_first():
    seed = np.array([0.0, -0.3, 0.0, -2.2, 0.0, 2.0, 0.785])
    T = ROBOT.get_transform(seed + 0.02, TIP)
    results, blocked = free_solutions(SOLVER, CHECKER, T, seed, most=5)
    assert blocked == ""
    distances = [np.linalg.norm(result.configuration - seed) for result in results]
    assert len(distances) == 5
    assert distances == sorted(distances)
    assert all(CHECKER.check(result.configuration).free for result in results)


def test_poses_without_a_free_solution_are_reported():
    seed = np.array([0.0, -0.3, 0.0, -2.2, 0.0, 2.0, 0.785])
    T = ROBOT.get_transform(seed, TIP)
    ball = Obstacle.of("ball", Sphere(0.08), T)
    results, blocked = free_solutions(SOLVER, CHECKER.with_scene(Scene([ball])), T, seed)
    assert results == []
    assert "ball" in blocked


def test_a_pose_out_of_reach_gives_the_best_try():
    T = np.eye(4)
    T[:3, 3] = 3.0, 0.0, 0.0
    results, blocked = free_solutions(SOLVER, CHECKER, T)
    assert [result.status for result in results] == [IKStatus.UNREACHABLE]
    assert blocked == ""
