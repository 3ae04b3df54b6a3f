"""Plans of two arms at once."""

import numpy as np

from harness.example_robots import SIDES, two_arms
from harness.truth import Truth
from rigid_tree_kinematics.collision import CollisionChecker
from rigid_tree_kinematics.ik import PoseTarget
from rigid_tree_kinematics.planning import ConstrainedGoal, MotionPlanner

READY = np.tile([0.0, -0.785, 0.0, -2.356, 0.0, 1.571, 0.785], 2)


def test_both_tips_reach_their_poses():
    robot = two_arms()
    truth, planner = Truth(robot), MotionPlanner(robot, CollisionChecker(robot))
    for seed in (1, 8, 17):  # two of them need a search
        q = robot.random_configuration(seed)
        assert planner.checker.is_free(q)
        poses = {f"{side}_link8": truth.pose(q, f"{side}_link8") for side in SIDES}
        goal = ConstrainedGoal([PoseTarget(body, pose) for body, pose in poses.items()])
        result = planner.plan(READY, goal)
        assert result.success, result.message
        for body, pose in poses.items():
            np.testing.assert_allclose(truth.pose(result.path[-1], body), pose, atol=2e-6)
        for a, b in zip(result.path, result.path[1:], strict=False):
            assert planner.checker.motion_free(a, b)
