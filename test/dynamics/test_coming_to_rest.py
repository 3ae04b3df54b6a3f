"""Robots whose trajectory is stopped come to rest within a jerk limit."""

import numpy as np

from rigid_tree_kinematics import load_robot
from rigid_tree_kinematics.dynamics.driven_robot import DrivenRobot
from rigid_tree_kinematics.trajectories import Tolerances, checked_waypoints


def tolerances(count):
    return Tolerances(*4 * (np.full(count, np.inf),), goal_time=5.0)


def moving_panda(jerk_limit):
    """Return a Panda in the middle of a motion of all its joints."""
    panda = load_robot("panda")
    robot = DrivenRobot(panda)
    robot.jerk_limit = jerk_limit
    goal = robot.q + np.array([1.0, 0.5, -0.5, -0.6, 0.8, 0.4, 0.3])
    still = np.zeros((1, 7))
    way = checked_waypoints(
        robot.compiled, robot.compiled.position_names, [2.0], goal[np.newaxis], still, still
    )
    robot.follow(way, 0.0, tolerances(7))
    robot.advance(0.9)
    return robot


def velocities_until_rest(robot, period=1e-3):
    """Return the desired velocities (n, nv) until the joints rest, and the positions."""
    times = robot.time + period * np.arange(3000)
    q, v, _ = (np.array(rows) for rows in zip(*(robot.desired(t) for t in times), strict=True))
    assert not v[-1].any()
    return v, q


def test_a_stopped_trajectory_comes_to_rest_within_the_jerk_limit():
    robot = moving_panda(15.0)
    before = robot.desired(robot.time)
    robot.stop("enough")
    v, q = velocities_until_rest(robot)
    np.testing.assert_allclose(v[0], before[1], atol=1e-12)
    jerks = np.diff(v, 2, axis=0) / 1e-3**2
    assert 12.0 < np.abs(jerks).max() < 15.1
    np.testing.assert_allclose(np.diff(q, axis=0), 1e-3 * 0.5 * (v[1:] + v[:-1]), atol=1e-7)
    robot.advance(3.0)
    assert not robot.executions
    np.testing.assert_allclose(robot.q, q[-1], atol=1e-12)


def test_without_a_jerk_limit_or_at_a_joint_limit_it_stops_in_time():
    robot = moving_panda(0.0)
    robot.stop("enough")
    assert not robot.desired(robot.time)[1].any()
    for jerk in (0.5, 1e-3):
        robot = moving_panda(jerk)
        robot.stop("enough")
        _, q = velocities_until_rest(robot, 0.1)
        compiled = robot.compiled
        assert (q >= compiled.lower - 1e-3).all()
        assert (q <= compiled.upper + 1e-3).all()


def test_joints_that_a_new_trajectory_leaves_out_come_to_rest():
    robot = moving_panda(20.0)
    names = robot.compiled.position_names
    speed = robot.desired(robot.time)[1]
    ways = checked_waypoints(robot.compiled, names[:1], [1.0], [[0.2]], [[0.0]])
    robot.follow(ways, robot.time, tolerances(1))
    np.testing.assert_allclose(robot.desired(robot.time)[1], speed, atol=1e-12)
    robot.advance(3.0)
    assert not robot.desired(robot.time)[1].any()
    np.testing.assert_allclose(robot.q[0], 0.2, atol=1e-9)


def test_a_state_that_is_set_ends_what_comes_to_rest():
    robot = moving_panda(1.0)
    robot.stop("enough")
    robot.reset()
    robot.advance(0.5)
    np.testing.assert_array_equal(robot.q, robot.compiled.home)
