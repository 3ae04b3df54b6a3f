"""Driven robots: the meaning of trajectories, and how well they are followed."""

import math

import numpy as np
import pinocchio
import pytest
from scipy.interpolate import BPoly

from rigid_tree_kinematics import Joint, RigidBody, RigidBodyTree, load_robot
from rigid_tree_kinematics.description import write_urdf
from rigid_tree_kinematics.dynamics import simulate
from rigid_tree_kinematics.dynamics.driven_robot import DrivenRobot
from rigid_tree_kinematics.errors import ConfigurationError, ModelError
from rigid_tree_kinematics.model import Inertia, JointDynamics
from rigid_tree_kinematics.trajectories import (
    JointNamesError,
    JointTrajectory,
    Outcome,
    Tolerances,
    checked_waypoints,
)


def tolerances(count, **given):
    chosen = {
        "path_position": math.inf,
        "path_velocity": math.inf,
        "goal_position": 0.01,
        "goal_velocity": 0.01,
        **given,
    }
    time = chosen.pop("goal_time", 5.0)
    return Tolerances(**{k: np.full(count, v) for k, v in chosen.items()}, goal_time=time)


def smooth_way(tree, start, goal, duration=3.0):
    """Return waypoints through the middle, with all derivatives."""
    middle, speed = 0.5 * (start + goal), (goal - start) / duration
    still = np.zeros_like(goal)
    return checked_waypoints(
        tree.compiled(),
        tree.position_names,
        [0.5 * duration, duration],
        [middle, goal],
        [speed, still],
        [still, still],
    )


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


@pytest.mark.parametrize(
    ("names", "times", "positions", "error", "words"),
    [
        (["elbow"], [1.0], [[0.0]], JointNamesError, "elbow_joint"),
        (["elbow_joint"] * 2, [1.0], [[0.0, 0.0]], JointNamesError, "twice"),
        ([], [1.0], [[]], JointNamesError, "names no joints"),
        (["elbow_joint"], [], [], ConfigurationError, "no points"),
        (["elbow_joint"], [1.0, 1.0], [[0.0], [0.1]], ConfigurationError, "increase"),
        (["elbow_joint"], [-1.0], [[0.0]], ConfigurationError, "increase"),
        (["elbow_joint"], [1.0], [[0.0, 1.0]], ConfigurationError, "point 1 has 2 positions"),
        (["elbow_joint"], [1.0], [[math.nan]], ConfigurationError, "finite"),
        (["elbow_joint"], [1.0], [[4.0]], ConfigurationError, "elbow_joint to 4"),
    ],
)
def test_invalid_waypoints_are_rejected(names, times, positions, error, words):
    with pytest.raises(error, match=words):
        checked_waypoints(load_robot("ur5").compiled(), names, times, positions)


def test_no_motor_moves_a_floating_joint():
    tree = RigidBodyTree("stone")
    tree.add_body(RigidBody("stone", Joint("free", "floating")), "base")
    with pytest.raises(JointNamesError, match="floating"):
        checked_waypoints(tree.compiled(), ["free/trans_x"], [1.0], [[0.0]])


def test_continuous_joint_moves_in_the_shorter_direction_and_keeps_its_turns():
    tree = load_robot("double_pendulum")
    robot = DrivenRobot(tree, [3.0 + 4.0 * math.pi, 0.0])
    waypoints = checked_waypoints(tree.compiled(), ["joint_A"], [1.0], [[-3.0]])
    execution = robot.follow(waypoints, 0.0, tolerances(1))
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
    execution = robot.follow(smooth_way(tree, robot.q, goal), 0.0, tolerances(7))
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
    execution = robot.follow(smooth_way(tree, robot.q, goal), 0.0, tolerances(robot.q.size))
    assert run(robot, execution) < on_the_way
    assert execution.outcome is Outcome.REACHED
    np.testing.assert_allclose(robot.q, goal, rtol=0, atol=at_the_end)
    robot.advance(1.0)  # and there it stays
    np.testing.assert_allclose(robot.q, goal, rtol=0, atol=at_the_end)


def test_motors_give_no_more_than_their_limit():
    tree = load_robot("ur5")
    tree.get_joint("shoulder_lift_joint").effort_limit = 20.0  # too weak for the arm stretched out
    robot = DrivenRobot(tree, mode="dynamic")
    goal = np.zeros(6)
    limits = tolerances(6, path_position=0.2)
    execution = robot.follow(smooth_way(tree, robot.q, goal), 0.0, limits)
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
    waypoints = checked_waypoints(tree.compiled(), ["joint_A"], [1.0], [[0.0]])
    with pytest.raises(ConfigurationError, match="falls freely"):
        robot.follow(waypoints, 2.0, tolerances(1))
    caught = robot.q.copy()
    robot.set_mode("kinematic")
    robot.advance(1.0)
    np.testing.assert_array_equal(robot.q, caught)


def test_robot_that_torques_cannot_move_is_rejected_with_a_reason():
    robot = DrivenRobot(load_robot("puma560"))
    with pytest.raises(ModelError, match="link_1"):
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
    tree = load_robot("ur5")
    robot = DrivenRobot(tree)
    goal = robot.q.copy()
    goal[0] += 3.0
    limit = tree.compiled().velocity_limit[0]
    waypoints = checked_waypoints(tree.compiled(), tree.joint_names, [0.1], [goal])
    execution = robot.follow(waypoints, 0.0, tolerances(6))
    while execution.outcome is None:
        robot.advance(0.01)
        assert abs(robot.v[0]) <= limit
    assert execution.outcome is Outcome.REACHED
    # Goal tolerance included.
    assert robot.time == pytest.approx((3.0 - 0.01) / limit, abs=0.02)
    hurried = robot.follow(
        checked_waypoints(tree.compiled(), tree.joint_names, [0.1], [goal - 2.0]),
        robot.time,
        tolerances(6, goal_time=0.2),
    )
    run(robot, hurried)
    assert hurried.outcome is Outcome.MISSED_GOAL


def test_arm_and_gripper_move_apart_and_a_new_trajectory_replaces_its_own_kind():
    tree = load_robot("ur5")
    names = tree.joint_names
    robot = DrivenRobot(tree)
    compiled = tree.compiled()
    begin = robot.q.copy()
    arm = robot.follow(
        checked_waypoints(compiled, names[:3], [2.0], [begin[:3] + 0.5]), 0.0, tolerances(3)
    )
    wrist = robot.follow(
        checked_waypoints(compiled, names[3:], [1.0], [begin[3:] - 0.5]), 0.0, tolerances(3)
    )
    robot.advance(0.5)
    np.testing.assert_allclose(robot.q - begin, [0.125] * 3 + [-0.25] * 3, atol=1e-12)
    elbow = robot.follow(
        checked_waypoints(compiled, names[2:3], [1.0], [[0.0]]), 0.5, tolerances(1)
    )
    assert arm.outcome is Outcome.REPLACED
    assert wrist.outcome is None
    robot.advance(1.0)
    assert wrist.outcome is Outcome.REACHED
    assert elbow.outcome is Outcome.REACHED
    # The joints that the second did not name hold where they were.
    np.testing.assert_allclose(robot.q[:2], begin[:2] + 0.125, atol=1e-12)


def test_a_trajectory_may_begin_later_or_have_begun():
    tree = load_robot("ur5")
    robot = DrivenRobot(tree)
    begin = robot.q.copy()
    waypoints = checked_waypoints(tree.compiled(), tree.joint_names, [1.0], [begin + 0.4])
    robot.follow(waypoints, 0.5, tolerances(6))
    robot.advance(0.5)
    np.testing.assert_allclose(robot.q, begin, atol=1e-12)
    robot.advance(0.5)
    np.testing.assert_allclose(robot.q, begin + 0.2, atol=1e-9)
    robot.stop("enough")
    robot.advance(1.0)
    np.testing.assert_allclose(robot.q, begin + 0.2, atol=1e-9)
    with pytest.raises(ConfigurationError, match="ended"):
        robot.follow(waypoints, robot.time - 1.5, tolerances(6))


def test_reset_and_set_state():
    tree = load_robot("ur5")
    robot = DrivenRobot(tree, np.full(6, 0.1))
    goal = checked_waypoints(tree.compiled(), tree.joint_names, [1.0], [[0.0] * 6])
    execution = robot.follow(goal, 0.0, tolerances(6))
    robot.advance(0.5)
    robot.set_state(np.full(6, 0.3))
    assert execution.outcome is Outcome.STOPPED
    robot.advance(0.1)
    np.testing.assert_array_equal(robot.q, np.full(6, 0.3))
    with pytest.raises(ConfigurationError, match="elbow_joint = 9"):
        robot.set_state([0.0, 0.0, 9.0, 0.0, 0.0, 0.0])
    robot.reset()
    np.testing.assert_array_equal(robot.q, np.full(6, 0.1))


@pytest.mark.parametrize("speed", [0.0, 5e-324])
def test_a_trajectory_without_speed_holds_the_robot(speed):
    robot = DrivenRobot(load_robot("panda"))
    ways = checked_waypoints(robot.compiled, ["panda_joint1"], [1.0], [[1.0]], [[0.0]])
    robot.follow(ways, robot.time, tolerances(1))
    robot.advance(0.5)
    held = robot.q.copy()
    execution = robot.follow(ways, robot.time, tolerances(1), speed)
    robot.advance(0.5)
    np.testing.assert_allclose(robot.q, held, atol=1e-12)
    assert execution.outcome is None


@pytest.mark.parametrize("speed", [0.1, 0.5, 3.0])
def test_a_scaled_trajectory_replaces_another_one_without_a_jump(speed):
    """Positions and velocities are continuous when speeds change and trajectories are replaced."""
    robot = DrivenRobot(load_robot("panda"))
    names = ["panda_joint1"]

    def towards(goal, duration):
        ways = checked_waypoints(robot.compiled, names, [duration], [[goal]], [[0.0]])
        return robot.follow(ways, robot.time, tolerances(1), speed)

    first = towards(2.0, 20.0)
    robot.advance(0.5)
    before = robot.desired(robot.time)
    first.set_speed(robot.time, 2.0 * speed)
    assert robot.desired(robot.time)[0] == pytest.approx(before[0])
    first.set_speed(robot.time, speed)
    again = towards(1.0, 2.0)
    assert first.outcome is Outcome.REPLACED
    for one, two in zip(before[:2], robot.desired(robot.time)[:2], strict=True):
        assert two == pytest.approx(one, abs=1e-12)
    robot.advance(1.0)
    assert again.elapsed(robot.time) == pytest.approx(speed * 1.0)
