"""Driven robots: the meaning of trajectories, and how well they are followed."""

import math

import numpy as np
import pinocchio
import pytest
from scipy.interpolate import BPoly

from harness.cases import case
from rigid_tree_kinematics import Joint, RigidBody, RigidBodyTree, load_robot
from rigid_tree_kinematics.description import write_urdf
from rigid_tree_kinematics.dynamics import simulate
from rigid_tree_kinematics.errors import ConfigurationError, DescriptionWarning, ModelError
from rigid_tree_kinematics.execution import DrivenRobot
from rigid_tree_kinematics.model import Inertia, JointDynamics
from rigid_tree_kinematics.trajectories import (
    JointNamesError,
    JointTrajectory,
    Outcome,
    Tolerances,
    checked_waypoints,
)


def go(robot, names, times, points, *rates, start=None, speed=1.0, goal_time=5.0, path=math.inf):
    """Let a robot follow a trajectory, from now on or from another time."""
    waypoints = checked_waypoints(robot.compiled, names, times, points, *rates)
    most, infinite, close = (np.full(len(names), error) for error in (path, math.inf, 0.01))
    limits = Tolerances(most, infinite, close, close, goal_time)
    return robot.follow(waypoints, robot.time if start is None else start, limits, speed)


def go_smoothly(robot, goal, duration=3.0, **options):
    """Let a robot move through the middle, with all derivatives."""
    middle, speed, still = 0.5 * (robot.q + goal), (goal - robot.q) / duration, 0.0 * goal
    times, rates = [0.5 * duration, duration], ([speed, still], [still, still])
    return go(robot, robot.compiled.position_names, times, [middle, goal], *rates, **options)


def run(robot, execution, step=0.01):
    """Let time pass until the execution is over; return the largest error on the way."""
    worst = 0.0
    while execution.outcome is None:
        robot.advance(step)
        worst = max(worst, np.abs(robot.errors(execution)[0]).max())
    return worst


# -- trajectories --------------------------------------------------------------------------------


@pytest.mark.parametrize("order", [1, 3, 5])
def test_the_splines_are_those_of_scipy(order):
    tree = load_robot("ur5")
    rng = np.random.default_rng(order)
    times = np.array([0.0, 0.4, 1.3, 1.5])
    q, v, a = rng.uniform(-1.0, 1.0, (3, 4, 6))
    given = {1: (q[1:],), 3: (q[1:], v[1:]), 5: (q[1:], v[1:], a[1:])}[order]
    waypoints = checked_waypoints(tree.compiled(), tree.joint_names, times[1:], *given)
    trajectory = JointTrajectory(waypoints, (q[0], v[0], a[0]), np.zeros(6, dtype=bool))
    assert trajectory.duration == 1.5
    for k in range(6):
        knots = np.column_stack((q[:, k], v[:, k], a[:, k]))[:, : (order + 1) // 2]
        truth = BPoly.from_derivatives(times, knots)
        for t in (0.0, 0.1, 0.4, 0.9, 1.499):
            sample = [values[k] for values in trajectory.sample(t)]
            expected = [truth(t), truth(t, 1), truth(t, 2)]
            np.testing.assert_allclose(sample, expected, rtol=0, atol=1e-9)
    rest = trajectory.sample(2.0)
    np.testing.assert_array_equal(rest, [q[-1], np.zeros(6), np.zeros(6)])


def test_invalid_waypoints_are_rejected():
    for names, times, positions, error, words in (
        (["elbow"], [1.0], [[0.0]], JointNamesError, "elbow_joint"),
        (["elbow_joint"] * 2, [1.0], [[0.0, 0.0]], JointNamesError, "twice"),
        ([], [1.0], [[]], JointNamesError, "names no joints"),
        (["elbow_joint"], [], [], ConfigurationError, "no points"),
        (["elbow_joint"], [1.0, 1.0], [[0.0], [0.1]], ConfigurationError, "increase"),
        (["elbow_joint"], [-1.0], [[0.0]], ConfigurationError, "increase"),
        (["elbow_joint"], [1.0], [[0.0, 1.0]], ConfigurationError, "point 1 has 2 positions"),
        (["elbow_joint"], [1.0], [[math.nan]], ConfigurationError, "finite"),
        (
            ["elbow_joint"],
            [1.0],
            [[0.0], [0.1]],
            ConfigurationError,
            "positions as times, 1, not 2",
        ),
        (["elbow_joint"], [1.0], [[4.0]], ConfigurationError, "elbow_joint to 4"),
    ):
        with case(words), pytest.raises(error, match=words):
            checked_waypoints(load_robot("ur5").compiled(), names, times, positions)
    tree = RigidBodyTree("stone")
    tree.add_body(RigidBody("stone", Joint("free", "floating")), "base")
    with pytest.raises(JointNamesError, match="floating"):  # no motor moves it
        checked_waypoints(tree.compiled(), ["free/trans_x"], [1.0], [[0.0]])


def test_continuous_joint_moves_in_the_shorter_direction_and_keeps_its_turns():
    robot = DrivenRobot(load_robot("double_pendulum"), [3.0 + 4.0 * math.pi, 0.0])
    execution = go(robot, ["joint_A"], [1.0], [[-3.0]])
    robot.advance(0.5)
    assert robot.q[0] == pytest.approx(math.pi + 4.0 * math.pi)
    run(robot, execution)
    assert execution.outcome is Outcome.REACHED
    assert robot.q[0] == pytest.approx(6.0 * math.pi - 3.0)


# -- modes ---------------------------------------------------------------------------------------


def test_kinematic_mode_is_exact_and_reports_the_torques():
    tree = load_robot("panda")
    robot = DrivenRobot(tree)
    goal = tree.random_configuration(3)
    execution = go_smoothly(robot, goal)
    model = pinocchio.buildModelFromXML(write_urdf(tree))
    data = model.createData()
    for _ in range(100):
        robot.advance(0.02)
        q, v, a = execution.desired(robot.time)
        np.testing.assert_array_equal(robot.v, v)
        np.testing.assert_allclose(robot.q, q, rtol=0, atol=1e-12)
        np.testing.assert_allclose(robot.effort, pinocchio.rnea(model, data, q, v, a), atol=1e-9)
    run(robot, execution)
    np.testing.assert_allclose(robot.q, goal, rtol=0, atol=1e-12)


@pytest.mark.parametrize(
    ("controller", "on_the_way", "at_the_end"),
    [("computed_torque", 3e-3, 2e-3), ("pd_gravity", 0.1, 0.01)],
)
@pytest.mark.parametrize("name", ["panda", "ur5"])
def test_torques_move_an_arm_along_its_trajectory(name, controller, on_the_way, at_the_end):
    tree = load_robot(name)
    for number, joint in enumerate(tree.joints):
        joint.dynamics = JointDynamics(damping=0.3, friction=0.2 * (number % 3))
    robot = DrivenRobot(tree, mode="dynamic", controller=controller)
    goal = tree.random_configuration(3)
    execution = go_smoothly(robot, goal)
    assert run(robot, execution) < on_the_way
    assert execution.outcome is Outcome.REACHED
    np.testing.assert_allclose(robot.q, goal, rtol=0, atol=at_the_end)
    robot.advance(1.0)  # and there it stays
    np.testing.assert_allclose(robot.q, goal, rtol=0, atol=at_the_end)


def test_motors_give_no_more_than_their_limit():
    tree = load_robot("ur5")
    tree.get_joint("shoulder_lift_joint").effort_limit = 20.0  # too weak for the arm stretched out
    robot = DrivenRobot(tree, mode="dynamic")
    execution = go_smoothly(robot, np.zeros(6), path=0.2)
    while execution.outcome is None:
        robot.advance(0.01)
        assert abs(robot.effort[1]) <= 20.0
    assert execution.outcome is Outcome.LEFT_PATH
    assert "off the path, beyond 0.2" in execution.message


def test_free_mode_agrees_with_the_simulation():
    tree = load_robot("double_pendulum")
    robot = DrivenRobot(tree, [math.radians(30.0), 0.0], mode="free")
    truth = simulate(tree, robot.q, [0.0, 0.0], None, 2.0)
    robot.advance(2.0)
    np.testing.assert_allclose(robot.q, truth.positions[-1], rtol=0, atol=1e-9)
    np.testing.assert_array_equal(robot.effort, [0.0, 0.0])
    with pytest.raises(ConfigurationError, match="falls freely"):
        go(robot, ["joint_A"], [1.0], [[0.0]])
    caught = robot.q.copy()
    robot.set_mode("kinematic")
    robot.advance(1.0)
    np.testing.assert_array_equal(robot.q, caught)


def test_robot_that_torques_cannot_move_is_rejected_with_a_reason():
    puma = load_robot("puma560")
    robot = DrivenRobot(puma)
    with pytest.warns(DescriptionWarning, match=r"link_1: .*; link_3: "):
        robot.set_mode("dynamic")
    puma.get_body("link_2").inertia = Inertia(-1.0, (0, 0, 0), np.eye(3))
    robot = DrivenRobot(puma)
    with pytest.raises(ModelError, match=r"link_2 \(mass -1 kg\)"):
        robot.set_mode("dynamic")
    assert robot.mode == "kinematic"
    with pytest.raises(ModelError, match="move no mass"):
        DrivenRobot(load_robot("nao"), mode="free")


def test_a_motion_beyond_all_bounds_ends_at_rest():
    tree = RigidBodyTree("slider")
    joint = Joint("slide", "prismatic")
    joint.dynamics = JointDynamics(damping=1e6)  # far too stiff for the step
    body = RigidBody("weight", joint)
    body.inertia = Inertia(1e-3, (0.0, 0.0, 0.0), 1e-6 * np.eye(3))
    tree.add_body(body, "base")
    robot = DrivenRobot(tree, mode="free")
    robot.set_state([0.0], [1.0])
    with pytest.raises(ModelError, match="diverges"), np.errstate(all="ignore"):
        robot.advance(1.0)
    assert np.isfinite(robot.q).all()
    np.testing.assert_array_equal(robot.v, [0.0])


# -- trajectories one after another --------------------------------------------------------------


def test_a_joint_limited_in_speed_comes_later():
    robot = DrivenRobot(load_robot("ur5"))
    names, limit = robot.compiled.joint_names, robot.compiled.velocity_limit[0]
    goal = robot.q + 3.0 * np.eye(6)[0]
    execution = go(robot, names, [0.1], [goal])
    while execution.outcome is None:
        robot.advance(0.01)
        assert abs(robot.v[0]) <= limit
    assert execution.outcome is Outcome.REACHED
    # Goal tolerance included.
    assert robot.time == pytest.approx((3.0 - 0.01) / limit, abs=0.02)
    hurried = go(robot, names, [0.1], [goal - 2.0], goal_time=0.2)
    run(robot, hurried)
    assert hurried.outcome is Outcome.MISSED_GOAL


def test_arm_and_gripper_move_apart_and_a_new_trajectory_replaces_its_own_kind():
    robot = DrivenRobot(load_robot("ur5"))
    names, begin = robot.compiled.joint_names, robot.q.copy()
    arm = go(robot, names[:3], [2.0], [begin[:3] + 0.5])
    wrist = go(robot, names[3:], [1.0], [begin[3:] - 0.5])
    robot.advance(0.5)
    np.testing.assert_allclose(robot.q - begin, [0.125] * 3 + [-0.25] * 3, atol=1e-12)
    elbow = go(robot, names[2:3], [1.0], [[0.0]])
    assert arm.outcome is Outcome.REPLACED
    assert wrist.outcome is None
    robot.advance(1.0)
    assert wrist.outcome is elbow.outcome is Outcome.REACHED
    # The joints that the second did not name hold where they were.
    np.testing.assert_allclose(robot.q[:2], begin[:2] + 0.125, atol=1e-12)


def test_a_trajectory_may_begin_later_or_have_begun():
    robot = DrivenRobot(load_robot("ur5"))
    names, begin = robot.compiled.joint_names, robot.q.copy()
    go(robot, names, [1.0], [begin + 0.4], start=0.5)
    for seconds, moved in ((0.5, 0.0), (0.5, 0.2)):
        robot.advance(seconds)
        np.testing.assert_allclose(robot.q, begin + moved, atol=1e-9)
    robot.stop("enough")
    robot.advance(1.0)
    np.testing.assert_allclose(robot.q, begin + 0.2, atol=1e-9)
    with pytest.raises(ConfigurationError, match="ended"):
        go(robot, names, [1.0], [begin + 0.4], start=robot.time - 1.5)


def test_a_robot_without_moving_joints_can_be_controlled():
    tree = RigidBodyTree("post")
    tree.add_body(RigidBody("post", Joint("fixed", "fixed")), "base")
    robot = DrivenRobot(tree, mode="dynamic", controller="pd_gravity")
    robot.advance(0.01)
    assert robot.q.shape == (0,)


def test_reset_and_set_state():
    robot = DrivenRobot(load_robot("ur5"), np.full(6, 0.1))
    execution = go(robot, robot.compiled.joint_names, [1.0], [[0.0] * 6])
    robot.advance(0.5)
    robot.set_state(np.full(6, 0.3))
    assert execution.outcome is Outcome.STOPPED
    robot.advance(0.1)
    np.testing.assert_array_equal(robot.q, np.full(6, 0.3))
    with pytest.raises(ConfigurationError, match="elbow_joint = 9"):
        robot.set_state([0.0, 0.0, 9.0, 0.0, 0.0, 0.0])
    robot.reset()
    np.testing.assert_array_equal(robot.q, np.full(6, 0.1))


def test_a_trajectory_without_speed_holds_the_robot():
    for speed in (0.0, 5e-324):
        robot = DrivenRobot(load_robot("panda"))
        go(robot, ["panda_joint1"], [1.0], [[1.0]], [[0.0]])
        robot.advance(0.5)
        resting = robot.q.copy()
        execution = go(robot, ["panda_joint1"], [1.0], [[1.0]], [[0.0]], speed=speed)
        robot.advance(0.5)
        np.testing.assert_allclose(robot.q, resting, atol=1e-12)
        assert execution.outcome is None


@pytest.mark.parametrize("speed", [0.1, 0.5, 3.0])
def test_a_scaled_trajectory_replaces_another_one_without_a_jump(speed):
    """Positions and velocities are continuous when speeds change and trajectories are replaced."""
    robot = DrivenRobot(load_robot("panda"))
    first = go(robot, ["panda_joint1"], [20.0], [[2.0]], [[0.0]], speed=speed)
    robot.advance(0.5)
    before = robot.desired(robot.time)
    first.set_speed(robot.time, 2.0 * speed)
    assert robot.desired(robot.time)[0] == pytest.approx(before[0])
    first.set_speed(robot.time, speed)
    again = go(robot, ["panda_joint1"], [2.0], [[1.0]], [[0.0]], speed=speed)
    assert first.outcome is Outcome.REPLACED
    for one, two in zip(before[:2], robot.desired(robot.time)[:2], strict=True):
        assert two == pytest.approx(one, abs=1e-12)
    robot.advance(1.0)
    assert again.elapsed(robot.time) == pytest.approx(speed * 1.0)


# -- coming to rest ------------------------------------------------------------------------------


def moving_panda(jerk_limit):
    """Return a Panda in the middle of a motion of all its joints."""
    robot = DrivenRobot(load_robot("panda"))
    robot.jerk_limit = jerk_limit
    goal = robot.q + np.array([1.0, 0.5, -0.5, -0.6, 0.8, 0.4, 0.3])
    go(robot, robot.compiled.position_names, [2.0], [goal], *2 * ([np.zeros(7)],))
    robot.advance(0.9)
    return robot


def motion_until_rest(robot, period=1e-3):
    """Return the desired velocities (n, nv) until the joints rest, and the positions."""
    times = robot.time + period * np.arange(3000)
    q, v, _ = (np.array(rows) for rows in zip(*map(robot.desired, times), strict=True))
    assert not v[-1].any()
    return v, q


def test_a_stopped_trajectory_comes_to_rest_within_the_jerk_limit():
    robot = moving_panda(15.0)
    before = robot.desired(robot.time)
    robot.stop("enough")
    v, q = motion_until_rest(robot)
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
        _, q = motion_until_rest(robot, 0.1)
        assert (q >= robot.compiled.lower - 1e-3).all()
        assert (q <= robot.compiled.upper + 1e-3).all()


def test_joints_that_a_new_trajectory_leaves_out_come_to_rest():
    robot = moving_panda(20.0)
    speed = robot.desired(robot.time)[1]
    go(robot, robot.compiled.position_names[:1], [1.0], [[0.2]], [[0.0]])
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
