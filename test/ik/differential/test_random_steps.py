"""Random steps into limits, singularities and obstacles, judged by Pinocchio and coal."""

import pytest

from benchmarks.robustness.random_steps import ROBOTS, Attack
from rigid_tree_kinematics.collision import CollisionChecker, Obstacle, Scene


@pytest.mark.parametrize("robot", ROBOTS)
def test_random_steps_violate_nothing(robot):
    found = Attack(robot, seed=1).run(600)
    assert found["steps"] == 600
    assert found["excess"] <= 1e-9
    assert found["in collision"] == found["not finite"] == found["unanswered"] == 0


def test_the_judge_finds_the_collisions_that_the_checker_finds():
    attack = Attack("panda", seed=2)
    boxes = [box for _ in range(4) for box in attack.random_boxes()]
    obstacles = [Obstacle.of(f"box{k}", *box) for k, box in enumerate(boxes)]
    checker = CollisionChecker(attack.tree, Scene(obstacles))
    judge = attack.reference.judge(boxes, checker)
    found = []
    for seed in range(100):
        q = attack.tree.random_configuration(seed)
        found.append(judge.touches(attack.reference.positions(q)))
        assert found[-1] is not checker.is_free(q)
    assert 10 < sum(found) < 90
