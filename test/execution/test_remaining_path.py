"""The remaining path: the robot's progress, and collisions ahead."""

import numpy as np
import pytest

from rigid_tree_kinematics import load_robot
from rigid_tree_kinematics.collision import CollisionChecker, Obstacle, Scene, load_scene
from rigid_tree_kinematics.execution import RemainingPath, start_errors
from rigid_tree_kinematics.model import Box, Sphere
from rigid_tree_kinematics.model.transforms import transform
from rigid_tree_kinematics.planning import MotionPlanner, PlanSettings
from rigid_tree_kinematics.trajectories import checked_waypoints

PANDA = load_robot("panda")
START = np.array([1.0, 0.3, 0.0, -1.8, 0.0, 2.1, 0.785])
GOAL = np.array([-1.0, *START[1:]])
SLOTS = np.arange(7)


@pytest.fixture(scope="module")
def planned():
    checker = CollisionChecker(PANDA, load_scene("panda_pillars"))
    result = MotionPlanner(PANDA, checker).plan(START, GOAL, PlanSettings(seed=1))
    assert result.success
    return result.trajectory


def rest_of(planned):
    return RemainingPath(PANDA.compiled(), START, SLOTS, planned.times, planned.positions)


def with_ball(point, radius=0.03):
    """Return the scene of the plan with a ball in it."""
    scene = load_scene("panda_pillars")
    scene.add(Obstacle.of("ball", Sphere(radius), transform(point, np.eye(3))))
    return scene


def test_a_robot_on_the_path_is_found_where_it_is(planned):
    path = rest_of(planned)
    rng = np.random.default_rng(0)
    for when in np.sort(rng.uniform(0.0, planned.times[-1], 40)):
        at = [np.interp(when, planned.times, column) for column in planned.positions.T]
        path.advance(at + rng.normal(0.0, 1e-4, 7))
        # At rest at its ends the robot needs long for a little way.
        expected = [
            np.interp(path.seconds_passed, planned.times, column) for column in planned.positions.T
        ]
        np.testing.assert_allclose(expected, at, atol=2e-3)


def test_what_is_planned_is_free_and_what_has_been_passed_does_not_count(planned):
    checker = CollisionChecker(PANDA, load_scene("panda_pillars"))
    path = rest_of(planned)
    assert path.blockage(checker, START) is None
    middle = len(planned.times) // 2
    hand = PANDA.get_transform(planned.positions[middle], "panda_link7")[:3, 3]
    blocked = CollisionChecker(PANDA, with_ball(hand))
    found = path.blockage(blocked, START)
    assert "'ball'" in found.message
    assert np.linalg.norm(found.contact.point - hand) < 0.2
    # The truth, by looking at every point: nothing before, and something by the time told.
    free = [blocked.is_free(q) for q in planned.positions]
    assert not all(free)
    first = planned.times[free.index(False)]
    assert first - 0.1 < found.seconds <= first + 1e-9
    last = len(free) - free[::-1].index(False)
    for k, q in enumerate(planned.positions):
        path.advance(q)
        blockage = path.blockage(blocked, q)
        if k > last:
            assert blockage is None
        elif k < free.index(False) - 1:
            assert blockage is not None
            assert blockage.seconds == pytest.approx(found.seconds - planned.times[k], abs=0.05)


def test_a_path_that_comes_back_is_followed_once():
    """There and back: a robot on its way there is not taken for one on its way back."""
    out = np.linspace(START, GOAL, 50)
    there_and_back = np.vstack([out, out[-2::-1]])
    times = np.arange(len(there_and_back)) * 0.1
    path = RemainingPath(PANDA.compiled(), START, SLOTS, times, there_and_back)
    for k, q in enumerate(there_and_back):
        path.advance(q)
        assert path.seconds_passed == pytest.approx(times[k], abs=1e-9)


def test_joints_not_in_the_path_do_not_move():
    path = RemainingPath(PANDA.compiled(), START, [0], [1.0], [[-1.0]])
    # A way of one joint, from where the robot is: it would go through what stands in between.
    hand = PANDA.get_transform([0.0, *START[1:]], "panda_link7")[:3, 3]
    scene = Scene([Obstacle.of("post", Box((0.05, 0.05, 0.3)), transform(hand, np.eye(3)))])
    checker = CollisionChecker(PANDA, scene)
    assert path.blockage(checker, START).contact.second == "post"
    folded = [START[0], -1.0, START[2], -2.8, *START[4:]]
    assert path.blockage(checker, folded) is None


def test_a_sharp_corner_is_passed_by_a_robot_that_cuts_it():
    corners = np.array([START, START + 0.3 * np.eye(7)[0], START + 0.2 * np.eye(7)[0]])
    path = RemainingPath(PANDA.compiled(), START, SLOTS, [0.0, 3.0, 4.0], corners)
    for offset in (0.1, 0.2, 0.297, 0.298, 0.25, 0.21):
        path.advance(START + offset * np.eye(7)[0])
    assert path.seconds_passed == pytest.approx(3.9, abs=1e-6)


def test_circle_is_crossed_in_the_shorter_direction():
    robot = load_robot("planar_two_link")  # its joints are continuous
    path = RemainingPath(robot.compiled(), [3.0, 0.0], [0], [1.0], [[-3.0]])
    path.advance([np.pi, 0.0])
    assert path.seconds_passed == pytest.approx(0.5, abs=1e-6)


@pytest.mark.parametrize("begin", [0.0, 1.0])  # s: at the first point, or before it
def test_circle_goes_the_long_way_between_points_like_a_driver(begin):
    robot = load_robot("planar_two_link")
    tip = robot.get_transform([0.0, 0.0], robot.body_names[-1])[:3, 3]
    checker = CollisionChecker(
        robot, Scene([Obstacle.of("wall", Sphere(0.1), transform(tip, np.eye(3)))])
    )
    q = np.array([3.1, 0.0])
    points = [[3.1], [-3.1]]
    path = RemainingPath(robot.compiled(), q, [0], [begin, begin + 6.2], points)
    assert path.blockage(checker, q).contact.second == "wall"
    for angle in (1.0, -1.0, -3.0):
        path.advance([angle, 0.0])
        assert path.seconds_passed == pytest.approx(begin + 3.1 - angle, abs=1e-6)
    assert path.blockage(checker, q) is None


def test_a_single_point_is_a_place_to_stay():
    path = RemainingPath(PANDA.compiled(), START, SLOTS, [0.0], [START])
    path.advance(START)
    assert path.seconds_passed == 0.0
    assert path.blockage(CollisionChecker(PANDA), START) is None
    hand = PANDA.get_transform(START, "panda_link7")[:3, 3]
    assert path.blockage(CollisionChecker(PANDA, with_ball(hand)), START) is not None


def test_distance_to_the_first_waypoint_is_measured_along_circles():
    robot = load_robot("planar_two_link").compiled()  # its joints are continuous
    waypoints = checked_waypoints(robot, robot.position_names[1:], [0.0], [[-3.1]])
    errors = start_errors(robot, [9.0, 3.1], waypoints)
    assert errors == pytest.approx([2.0 * np.pi - 6.2])
