"""Plans of two arms at once."""

import numpy as np
import pytest

from harness.example_robots import SIDES, two_arms
from harness.truth import Truth
from rigid_tree_kinematics.collision import CollisionChecker, Obstacle, Scene
from rigid_tree_kinematics.deadline import Deadline
from rigid_tree_kinematics.errors import PlanningError
from rigid_tree_kinematics.ik import ConstraintSet, PoseTarget
from rigid_tree_kinematics.model import Box, Sphere
from rigid_tree_kinematics.model.transforms import inverse, rpy_matrix, transform
from rigid_tree_kinematics.planning import (
    ConstrainedGoal,
    MotionPlanner,
    PlanSettings,
    follow_lines_in_step,
)

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


GRIPS = {"left_link8": (0.15, np.pi / 2), "right_link8": (-0.15, -np.pi / 2)}  # m, rad of a tray
FLANGES = [f"{side}_link{number}" for side in SIDES for number in (7, 8)]


def hands_at(center):
    """Return the poses of the hands on a tray at ``center``."""
    return {
        body: transform(np.add(center, (0.0, y, 0.0)), rpy_matrix(roll, 0.0, 0.0))
        for body, (y, roll) in GRIPS.items()
    }


def test_one_object_in_two_hands_is_carried_around_an_obstacle():
    robot = two_arms()
    truth, compiled = Truth(robot), robot.compiled()
    first, last = (hands_at((0.45, 0.0, z)) for z in (0.5, 0.75))
    targets = [PoseTarget(body, pose) for body, pose in first.items()]
    start = ConstraintSet(compiled, targets).projected(READY)
    left, right = first.values()
    held = PoseTarget("right_link8", inverse(left) @ right, reference="left_link8")
    goal = ConstrainedGoal([PoseTarget("left_link8", last["left_link8"]), held])

    def carried(*obstacles):
        scene = Scene([Obstacle.of("tray", Box((0.2, 0.28, 0.02))), *obstacles])
        T_left_tray = inverse(left) @ transform((0.45, 0.0, 0.5))
        scene.attach("tray", "left_link8", T_left_tray, touch_bodies=FLANGES)
        planner = MotionPlanner(robot, CollisionChecker(robot, scene))
        settings = PlanSettings(seed=1, time_limit=60.0)
        result = planner.plan(start, goal, settings, constraints=[held])
        assert result.success, result.message
        return planner.checker, result.trajectory.positions

    ball = Obstacle.of("ball", Sphere(0.04), transform((0.5, 0.0, 0.62)))
    checker, around = carried(ball)
    _, straight = carried()
    assert not checker.is_free_batch(straight).all()
    assert checker.is_free_batch(around).all()
    for positions in (straight, around):
        for q in positions:
            apart = inverse(truth.pose(q, "left_link8")) @ truth.pose(q, "right_link8")
            np.testing.assert_allclose(apart, inverse(left) @ right, atol=4e-4)
        for body, pose in last.items():
            np.testing.assert_allclose(truth.pose(positions[-1], body), pose, atol=4e-4)
