"""Straight-line motions of a body against the model's frames."""

import numpy as np
import pytest

from harness.truth import Truth
from rigid_tree_kinematics import load_robot
from rigid_tree_kinematics.collision import CollisionChecker, Obstacle, Scene
from rigid_tree_kinematics.deadline import Deadline
from rigid_tree_kinematics.errors import PlanningError
from rigid_tree_kinematics.ik import InverseKinematics
from rigid_tree_kinematics.model import Box, Sphere
from rigid_tree_kinematics.model.transforms import rotation_log, rpy_matrix, transform
from rigid_tree_kinematics.planning import (
    JumpLimits,
    MotionPlanner,
    StraightLine,
    exact_solver,
    follow_straight_line,
)
from rigid_tree_kinematics.planning.tool import pose_following

TIP = "panda_link8"
ROBOT = load_robot("panda")
SOLVER = exact_solver(ROBOT.compiled(), TIP)


def test_points_lie_on_the_line_and_turn_evenly() -> None:
    start = ROBOT.home_configuration()
    first = ROBOT.get_transform(start, TIP)
    end = transform((0.1, 0.2, -0.1)) @ first
    end[:3, :3] = first[:3, :3] @ rpy_matrix(0.0, 0.3, 0.4)
    line = follow_straight_line(SOLVER, start, [end], 0.01, deadline=Deadline(10.0))
    assert line.fraction == 1.0
    assert not line.trouble
    shift = (end - first)[:3, 3]
    angle = np.linalg.norm(rotation_log(first[:3, :3].T @ end[:3, :3]))
    for k, q in enumerate(line.path):
        pose = ROBOT.get_transform(q, TIP)
        share = k / (len(line.path) - 1)
        np.testing.assert_allclose(pose[:3, 3], first[:3, 3] + share * shift, atol=2e-6)
        turned = np.linalg.norm(rotation_log(first[:3, :3].T @ pose[:3, :3]))
        assert abs(turned - share * angle) < 2e-6
    places = np.array([ROBOT.get_transform(q, TIP)[:3, 3] for q in line.path])
    steps = np.linalg.norm(np.diff(places, axis=0), axis=1)
    assert steps.max() <= 0.01 + 1e-5
    np.testing.assert_allclose(ROBOT.get_transform(line.path[-1], TIP), end, atol=2e-6)


def test_blocking_obstacle_stops_the_line_and_is_named() -> None:
    start = ROBOT.home_configuration()
    first = ROBOT.get_transform(start, TIP)
    end = transform((0.0, 0.0, -0.3)) @ first
    ball = Obstacle.of("ball", Sphere(0.03), transform(end[:3, 3]))
    checker = CollisionChecker(ROBOT, Scene([ball]))
    line = follow_straight_line(
        SOLVER, start, [end], 0.01, checker=checker, deadline=Deadline(10.0)
    )
    assert 0.3 < line.fraction < 1.0
    assert "'ball'" in line.trouble
    assert checker.is_free(line.path[-1])


@pytest.mark.parametrize(
    ("step", "far"), [(1e-7, 0.3), (1e-300, 0.3), (0.01, 1e300), (0.0, 0.3), (-0.01, 0.3)]
)
def test_excessive_steps_are_rejected(step: float, far: float) -> None:
    start = ROBOT.home_configuration()
    end = transform((0.0, 0.0, -far)) @ ROBOT.get_transform(start, TIP)
    with pytest.raises(PlanningError, match="step"):
        follow_straight_line(SOLVER, start, [end], step, deadline=Deadline(10.0))


def test_a_line_that_ends_out_of_reach_is_refused_without_a_search(monkeypatch) -> None:
    """Other postures were searched for, for up to 4 s."""

    def search(*_: object) -> None:
        raise AssertionError("a search")

    monkeypatch.setattr(pose_following, "_search_postures", search)
    start = ROBOT.home_configuration()
    near, far = (transform((0.0, 0.0, z)) @ ROBOT.get_transform(start, TIP) for z in (0.1, 1.5))
    line = follow_straight_line(SOLVER, start, [near, far], 0.02, deadline=Deadline(10.0))
    assert 0.1 / 1.5 < line.fraction < 0.5
    assert line.trouble.endswith("before waypoint 2")


def test_a_contact_that_the_pose_decides_is_refused_without_a_search(monkeypatch) -> None:
    """What is fixed to the tip hits the wall in every posture."""

    def search(*_: object) -> None:
        raise AssertionError("a search")

    start = ROBOT.home_configuration()
    first = ROBOT.get_transform(start, TIP)
    ahead = transform(first[:3, 3] + (0.0, 0.0, 0.25))
    small = Box((0.02, 0.02, 0.02))
    scene = Scene([Obstacle.of("wall", small, ahead), Obstacle.of("plate", small)])
    scene.attach("plate", TIP, np.eye(4), touch_bodies=("panda_link7",))
    checker = CollisionChecker(ROBOT, scene)
    end = transform((0.0, 0.0, 0.3)) @ first
    monkeypatch.setattr(pose_following, "_search_postures", search)
    line = follow_straight_line(
        SOLVER, start, [end], 0.01, checker=checker, deadline=Deadline(10.0)
    )
    assert 0.2 < line.fraction < 0.5
    assert "'wall'" in line.trouble


def test_a_singularity_is_told_apart_from_a_pose_out_of_reach() -> None:
    """At a singular wrist, the line needs a jump of its joints by half a turn."""
    ur5 = load_robot("ur5")
    solver = exact_solver(ur5.compiled(), "tool0")
    start = np.array([0.3, -1.2, 1.5, -0.8, 1e-3, 0.4])
    first = ur5.get_transform(start, "tool0")
    end = first @ transform((0.0, 0.0, 0.0), rpy_matrix(0.4, 0.0, 0.0))
    line = follow_straight_line(solver, start, [end], 0.01, deadline=Deadline(10.0))
    assert line.fraction < 1.0
    assert "(a singularity)" in line.trouble


def test_out_of_reach_and_out_of_time_are_reported() -> None:
    start = ROBOT.home_configuration()
    far = transform((0.0, 0.0, 2.0)) @ ROBOT.get_transform(start, TIP)
    line = follow_straight_line(SOLVER, start, [far], 0.02, deadline=Deadline(10.0))
    assert 0.0 < line.fraction < 0.5
    assert "no joint positions" in line.trouble
    assert "out of reach" in line.trouble
    late = follow_straight_line(SOLVER, start, [far], 0.02, deadline=Deadline(1e-9))
    assert late.fraction == 0.0
    assert "time" in late.trouble


# Starts of a Panda and shifts of its hand, at which the nearest joint positions lead into a limit
# or into the arm itself.
NEEDS_A_POSTURE = [
    ((-0.547, 1.302, -0.357, -0.421, 0.438, 1.583, -1.435), (-0.327, 0.055, 0.063)),
    ((1.833, -1.285, 2.124, -1.514, 1.412, 0.994, -1.649), (-0.071, 0.002, 0.394)),
    ((1.853, -0.015, -1.144, -2.268, -1.114, 1.763, -1.366), (-0.373, -0.057, 0.134)),
]


@pytest.mark.parametrize(("joints", "shift"), NEEDS_A_POSTURE)
def test_a_joint_to_spare_brings_the_hand_to_the_end(joints, shift) -> None:
    robot, hand = load_robot("panda_hand"), "panda_hand_tcp"
    checker = CollisionChecker(robot)
    truth = Truth(robot)
    fingers = ("panda_finger_joint1",)
    start = np.array([*joints, 0.035])
    first = truth.pose(start, hand)
    end = transform(shift) @ first

    # The truth of the claim: from pose to pose by the nearest solution there is no getting there.
    solver = InverseKinematics(robot, hand, locked=fingers)
    q = start
    for share in np.linspace(0.0, 1.0, 41)[1:]:
        found = solver.solve(transform(share * np.array(shift)) @ first, q, max_restarts=0)
        if not found.success or not checker.motion_free(q, found.configuration):
            break
        q = found.configuration
    else:
        pytest.fail("the nearest solutions lead to the end")

    line = follow_straight_line(
        exact_solver(robot.compiled(), hand, fingers),
        start,
        [end],
        0.01,
        checker=checker,
        deadline=Deadline(20.0),
    )
    assert line.fraction == 1.0, line.trouble
    for k, q in enumerate(line.path):
        share = k / (len(line.path) - 1)
        wanted = transform(share * np.array(shift)) @ first
        np.testing.assert_allclose(truth.pose(q, hand), wanted, atol=1e-6)
        truth.assert_within_limits(q)
        assert checker.is_free(q)
    assert np.abs(np.diff(line.path, axis=0)).max() < 0.5


def test_jumps_end_the_line_as_moveit_defines_them() -> None:
    start = ROBOT.home_configuration()
    first = ROBOT.get_transform(start, TIP)
    end = transform((0.0, 0.35, -0.2)) @ first

    def line(**jumps: float) -> StraightLine:
        return follow_straight_line(
            SOLVER, start, [end], 0.02, jumps=JumpLimits(**jumps), deadline=Deadline(10.0)
        )

    whole = line()
    assert whole.fraction == 1.0
    steps = np.abs(np.diff(whole.path, axis=0))
    largest = steps.max(axis=1)
    limit = np.sort(largest)[-2]  # one step is greater
    cut = line(revolute=float(limit))
    at = int(np.argmax(largest))
    assert len(cut.path) == at + 1
    assert cut.fraction == at / len(steps)
    joint = ROBOT.joint_names[int(np.argmax(steps[at]))]
    assert f"'{joint}' jumps" in cut.trouble
    assert line(prismatic=1e-9).fraction == 1.0  # nothing slides
    sums = steps.sum(axis=1) / steps.sum(axis=1).mean()
    cut = line(relative=float(np.sort(sums)[-2]))
    assert len(cut.path) == int(np.argmax(sums)) + 1
    assert "their mean" in cut.trouble
    assert line(relative=float(sums.max()) + 1e-6).fraction == 1.0


def test_path_of_many_points_does_not_stop_beside_an_obstacle() -> None:
    start = ROBOT.home_configuration()
    first = ROBOT.get_transform(start, TIP)
    angles = np.linspace(0.1, 6.28, 60)
    poses = [transform((0.1 - 0.1 * np.cos(a), 0.1 * np.sin(a), 0.0)) @ first for a in angles]
    wall = first.copy()
    wall[:3, 3] += (0.1, 0.26, 0.0)
    scenes = (Scene(), Scene([Obstacle.of("wall", Sphere(0.03), transform(wall[:3, 3]))]))
    durations = []
    for scene in scenes:
        checker = CollisionChecker(ROBOT, scene)
        planner = MotionPlanner(ROBOT, checker)
        line = follow_straight_line(
            SOLVER, start, poses, 0.01, checker=checker, deadline=Deadline(10.0)
        )
        assert line.fraction == 1.0, line.trouble
        trajectory = planner.timed(line.path).trajectory
        assert trajectory is not None
        durations.append(trajectory.times[-1])
    assert durations[1] < 1.5 * durations[0]
