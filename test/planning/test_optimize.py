"""Optimized paths: clearance, smoothness and posture."""

from itertools import pairwise, starmap

import numpy as np
import pytest

from rigid_tree_kinematics import load_robot
from rigid_tree_kinematics.collision import CollisionChecker, load_scene
from rigid_tree_kinematics.ik import DirectionBounds
from rigid_tree_kinematics.model import Joint, RigidBody, RigidBodyTree
from rigid_tree_kinematics.planning import MotionPlanner, PlanSettings, PlanStatus
from rigid_tree_kinematics.planning.optimize.costs import Costs

ROBOT = load_robot("panda")
CHECKER = CollisionChecker(ROBOT, load_scene("panda_pillars"))
PLANNER = MotionPlanner(ROBOT, CHECKER)
START = np.array([1.0, 0.3, 0.0, -1.8, 0.0, 2.1, 0.785])
GOAL = START - [2.0, 0, 0, 0, 0, 0, 0]


def settings(**more):
    return PlanSettings(planner="optimize", seed=1, time_limit=60.0, **more)


def clearance(positions):
    return min(CHECKER.distance(q).distance for q in positions)


def test_optimized_motions_are_farther_from_obstacles_and_shorter():
    plain = PLANNER.plan(START, GOAL, PlanSettings(seed=1))
    best = PLANNER.plan(START, GOAL, settings())
    assert best.success, best.message
    assert all(starmap(CHECKER.motion_free, pairwise(best.path)))
    np.testing.assert_array_equal(best.path[[0, -1]], [START, GOAL])
    assert clearance(best.trajectory.positions) > 0.015
    assert clearance([START, GOAL]) < 0.025
    assert clearance(plain.trajectory.positions) < 0.5 * clearance(best.trajectory.positions)
    assert best.trajectory.times[-1] < plain.trajectory.times[-1]
    assert np.abs(best.trajectory.velocities[1:-1]).max(axis=1).min() > 1e-3  # it does not stop


def test_steps_reduce_the_cost():
    """Without obstacles the cost is quadratic, so one step leads to its minimum."""
    free = CollisionChecker(ROBOT)
    path = PLANNER.plan(START, GOAL, PlanSettings(seed=1, resample_step=0.2), timing=False).path
    for checker, clearance in ((free, 0.0), (CHECKER, 0.05)):
        wanted = settings(clearance=clearance, posture={"panda_joint3": 0.5})
        costs = Costs(checker, PLANNER.space, wanted)
        step = costs.descent(path, costs.gaps(path))

        def total(points, costs=costs):
            return costs.total(points, costs.gaps(points))

        slope = (total(path + 1e-4 * step) - total(path - 1e-4 * step)) / 2e-4
        assert slope < 0.0
        if checker is not free:
            continue
        assert total(path + step) == pytest.approx(total(path) + 0.5 * slope)
        for row, column in ((1, 1), (len(path) // 2, 2), (len(path) - 2, 5)):
            change = np.zeros_like(path)
            change[row, column] = 1e-3
            assert total(path + step + change) > total(path + step)
            assert total(path + step - change) > total(path + step)


def test_postures_are_reached_between_the_ends():
    free = MotionPlanner(ROBOT, CollisionChecker(ROBOT))
    plain = free.plan(START, GOAL, settings())
    turned = free.plan(START, GOAL, settings(posture={"panda_joint3": 0.4}))
    assert np.abs(plain.path[:, 2]).max() < 0.1
    assert 0.2 < turned.path[len(turned.path) // 2, 2] < 0.5


def test_slow_joints_move_less():
    """The bend is left to the other joints."""
    slow = load_robot("panda")
    for joint in slow.joints:
        if joint.name in ("panda_joint2", "panda_joint4"):
            joint.velocity_limit = 0.1
    moved = []
    for robot in (ROBOT, slow):
        costs = Costs(CollisionChecker(robot, CHECKER.scene), PLANNER.space, settings())
        path = np.linspace(START, GOAL, 20)
        path[5:15] += [0.0, -0.5, 0.0, -0.5, 0.0, 0.0, 0.0]
        step = costs.descent(path, costs.gaps(path))
        moved.append(np.abs(np.diff(path + step, 2, axis=0)[:, [1, 3]]).max())
    assert moved[1] < 0.2 * moved[0]


def test_limits_are_respected():
    free = MotionPlanner(ROBOT, CollisionChecker(ROBOT))
    wanted = settings(posture={"panda_joint4": 3.0})  # its upper limit is -0.07
    path = free.plan(START, GOAL, wanted).path
    assert path[:, 3].max() <= PLANNER.compiled.upper[3]


def test_requests_that_cannot_be_optimized_are_refused():
    upright = DirectionBounds("panda_link8", direction=(0, 0, -1), tolerance=0.1)
    refused = PLANNER.plan(START, GOAL, settings(), constraints=[upright])
    assert refused.status is PlanStatus.INVALID_INPUT
    assert "'optimize' does not support constraints" in refused.message
    refused = PLANNER.plan(START, GOAL, settings(posture={"elbow": 0.0}))
    assert refused.status is PlanStatus.INVALID_INPUT
    assert "elbow" in refused.message


def test_a_path_stays_as_it_was_found_where_there_is_no_better_one():
    ship = RigidBodyTree("ship")
    ship.add_body(RigidBody("hull", Joint("sea", "planar")), "base")
    planner = MotionPlanner(ship)
    result = planner.plan(planner.compiled.home, planner.compiled.home + 0.5, settings())
    assert result.success
    assert "not optimized, as a planar or floating joint moves" in result.message


def test_points_are_added_to_optimized_paths():
    result = PLANNER.plan(START, GOAL, settings(resample_step=0.05))
    assert np.linalg.norm(np.diff(result.path, axis=0), axis=1).max() <= 0.05 + 1e-9
