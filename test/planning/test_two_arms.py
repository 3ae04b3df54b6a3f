"""Plans of two arms at once."""

import numpy as np
import pytest

from harness.example_robots import SIDES, two_arms
from harness.truth import Truth
from rigid_tree_kinematics.collision import CollisionChecker
from rigid_tree_kinematics.deadline import Deadline
from rigid_tree_kinematics.errors import PlanningError
from rigid_tree_kinematics.ik import PoseTarget
from rigid_tree_kinematics.model.transforms import transform
from rigid_tree_kinematics.planning import ConstrainedGoal, MotionPlanner, follow_lines_in_step

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


def lines_of(robot, truth, shifts, **options):
    """Return a line of both tips by ``shifts`` (m)."""
    goals = {
        f"{side}_link8": transform(shift) @ truth.pose(READY, f"{side}_link8")
        for side, shift in zip(SIDES, shifts, strict=True)
    }
    options = {"step": 0.01, "deadline": Deadline(60.0)} | options
    return goals, follow_lines_in_step(robot.compiled(), READY, goals, **options)


def test_both_tips_follow_straight_lines_in_step():
    robot = two_arms()
    truth = Truth(robot)
    goals, line = lines_of(robot, truth, ((0.1, -0.1, -0.1), (0.2, 0.0, 0.0)))
    assert (line.fraction, line.trouble) == (1.0, "")
    for k, q in enumerate(line.path):
        share = k / (len(line.path) - 1)
        for body, goal in goals.items():
            first = truth.pose(READY, body)
            wanted = first + share * (goal - first)  # they do not rotate
            np.testing.assert_allclose(truth.pose(q, body), wanted, atol=5e-6)
    assert np.abs(np.diff(line.path, axis=0)).max() < 0.1


def test_lines_in_step_end_at_a_contact_out_of_reach_or_late():
    robot = two_arms()
    truth, checker = Truth(robot), CollisionChecker(robot)
    together = ((0.0, -0.4, 0.0), (0.0, 0.4, 0.0))
    _, line = lines_of(robot, truth, together, checker=checker)
    assert 0.3 < line.fraction < 1.0
    assert "touches" in line.trouble
    assert checker.is_free(line.path[-1])
    _, line = lines_of(robot, truth, ((0.0, 0.0, 0.0), (2.0, 0.0, 0.0)))
    assert 0.0 < line.fraction < 0.5
    assert "no joint positions" in line.trouble
    _, line = lines_of(robot, truth, together, deadline=Deadline(0.0))
    assert line.late
    assert line.fraction == 0.0
    for step in (0.0, 1e-9):
        with pytest.raises(PlanningError, match="step"):
            lines_of(robot, truth, together, step=step)
