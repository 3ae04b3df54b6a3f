"""The servo: straight lines, limits, and no collisions."""

import numpy as np
import pytest

from rigid_tree_kinematics import load_robot
from rigid_tree_kinematics.collision import CollisionChecker, Scene, load_scene
from rigid_tree_kinematics.description.robots import bundled_folder
from rigid_tree_kinematics.errors import ConfigurationError, ModelError, UnknownNameError
from rigid_tree_kinematics.kinematics import geometric_jacobian
from rigid_tree_kinematics.servo import Servo, ServoSettings, ServoStatus

READY = np.array([0.0, -0.785398, 0.0, -2.356194, 0.0, 1.570796, 0.785398, 0.035])
JOINTS = [f"panda_joint{number}" for number in range(1, 8)]
ROBOT = load_robot("panda_hand")
SRDF = bundled_folder("robots") / "panda_hand.srdf"


def panda(scene: Scene | None = None, start: np.ndarray = READY, **settings) -> Servo:
    checker = CollisionChecker(ROBOT, scene, srdf=SRDF) if scene is not None else None
    servo = Servo(ROBOT, JOINTS, "panda_hand_tcp", ServoSettings(**settings), checker)
    servo.reset(start)
    return servo


def test_a_twist_moves_the_tip_along_a_straight_line_without_turning_it():
    servo = panda()
    start = servo.tip_pose()
    for _ in range(200):
        step = servo.step_twist([0.08, 0.08, -0.03, 0.0, 0.0, 0.0])
        assert step.status is ServoStatus.NO_WARNING
    gone = servo.tip_pose()[:3, 3] - start[:3, 3]
    direction = np.array([0.08, 0.08, -0.03])
    assert np.linalg.norm(gone) > 0.2
    off = gone - gone @ direction / (direction @ direction) * direction
    assert np.linalg.norm(off) < 1e-4
    np.testing.assert_allclose(servo.tip_pose()[:3, :3], start[:3, :3], atol=1e-4)


def test_a_turn_about_the_tip_leaves_it_where_it_is_and_one_about_a_frame_circles_it():
    servo = panda()
    start = servo.tip_pose()
    for _ in range(100):
        servo.step_twist(servo.in_base([0, 0, 0, 0, 0, 0.5], start, about_tip=True))
    np.testing.assert_allclose(servo.tip_pose()[:3, 3], start[:3, 3], atol=1e-4)

    servo.reset(READY)
    for _ in range(100):
        servo.step_twist(servo.in_base([0, 0, 0, 0, 0, 0.3], np.eye(4), about_tip=False))
    end = servo.tip_pose()[:3, 3]
    assert np.arctan2(end[1], end[0]) > 0.2
    np.testing.assert_allclose(np.hypot(end[0], end[1]), start[0, 3], atol=5e-4)


@pytest.mark.parametrize("jerk", [0.0, 30.0])
def test_any_commands_keep_velocities_accelerations_jerks_and_margins(jerk):
    rng = np.random.default_rng(3)
    servo = panda(acceleration_limit=4.0, jerk_limit=jerk)
    compiled = ROBOT.compiled()
    low, high = compiled.lower[:7] + 0.1, compiled.upper[:7] - 0.1
    before, wanted, rates = np.zeros(7), np.zeros(7), np.zeros(7)
    bounds = 0
    peak = 0.0
    for k in range(3000):
        if k % 40 == 0:
            wanted = rng.uniform(-4.0, 4.0, 7)
        step = servo.step_joints(wanted)
        bounds += step.status is ServoStatus.JOINT_BOUND
        assert (np.abs(step.velocities) <= compiled.velocity_limit[:7] + 1e-12).all()
        assert (np.abs(step.velocities - before) <= 0.04 + 1e-12).all()
        assert (step.positions >= low - 3e-3).all()
        assert (step.positions <= high + 3e-3).all()
        peak = max(peak, np.abs(step.velocities - before - rates).max() / 0.01**2)
        before, rates = step.velocities, step.velocities - before
    assert bounds > 50
    if jerk:
        assert 0.5 * jerk < peak <= jerk * (1.0 + 1e-9)
    else:
        assert peak > 400.0


def test_a_joint_halts_at_its_margin_and_comes_back():
    servo = panda()
    for _ in range(600):
        step = servo.step_joints([1.0, 0, 0, 0, 0, 0, 0])
    assert step.status is ServoStatus.JOINT_BOUND
    assert "panda_joint1" in step.message
    assert not step.moves
    np.testing.assert_allclose(step.positions[0], 2.8973 - 0.1, atol=1e-3)
    for _ in range(50):
        step = servo.step_joints([-1.0, 0, 0, 0, 0, 0, 0])
    assert step.status is ServoStatus.NO_WARNING
    assert step.positions[0] < 2.6


def test_a_joint_at_its_limit_holds_up_the_others_or_not():
    for halts, others_move in ((True, False), (False, True)):
        servo = panda(halt_all_joints=halts)
        for _ in range(400):
            step = servo.step_joints([1.5, 0, 0.2, 0, 0, 0, 0])
        assert bool(abs(step.velocities[2]) > 0.1) is others_move


def test_the_tip_slows_down_and_halts_before_a_singularity_and_leaves_it_freely():
    servo = panda()
    statuses = [servo.step_twist([0.3, 0, 0, 0, 0, 0]).status for _ in range(600)]
    approaching = ServoStatus.DECELERATE_FOR_APPROACHING_SINGULARITY
    assert statuses.index(approaching) < statuses.index(ServoStatus.HALT_FOR_SINGULARITY)
    assert not servo.moves
    J = geometric_jacobian(ROBOT, servo.configuration, "panda_hand_tcp")[:, :7]
    assert 25.0 < np.linalg.cond(J) < 31.0
    far = servo.tip_pose()[0, 3]
    steps = [servo.step_twist([-0.3, 0, 0, 0, 0, 0]) for _ in range(100)]
    assert {step.status for step in steps} == {ServoStatus.NO_WARNING}
    assert servo.tip_pose()[0, 3] < far - 0.1


def test_limits_of_the_robot_override_the_settings_and_given_ones_the_robot():
    """Speeding up and braking take |v| / a of the slowest joint, which is at its limit."""
    robot = ROBOT.copy()
    robot.get_joint(JOINTS[0]).acceleration_limit = 2.0
    robot.get_joint(JOINTS[1]).deceleration_limit = 0.5
    robot.get_joint(JOINTS[2]).jerk_limit = 30.0
    for jerk_limits, delay in ({JOINTS[2]: np.inf}, 0), (None, 2 * 5.0 / 30.0):
        servo = Servo(
            robot,
            JOINTS,
            "panda_hand_tcp",
            ServoSettings(acceleration_limit=5.0),
            acceleration_limits={JOINTS[1]: 1.0},
            jerk_limits=jerk_limits,
        )
        servo.reset(READY)
        times = []
        for wanted in ([0.3, 0.0], [0.0, 0.2], [0.0, 0.0]):
            goal, steps = np.array([*wanted, 0, 0, 0, 0, 0]), 0
            while not np.allclose(servo.step_joints(goal).velocities, goal, atol=1e-9):
                steps += 1
            times.append(0.01 * (steps + 1))
        np.testing.assert_allclose(times, np.array([0.15, 0.2, 0.2]) + delay, atol=0.021)


@pytest.mark.parametrize("jerk", [0.0, 40.0])
def test_no_command_causes_a_collision(jerk):
    rng = np.random.default_rng(7)
    scene = load_scene("panda_pillars")
    servo = panda(scene, jerk_limit=jerk)
    twist = np.zeros(6)
    halts = 0
    for k in range(3000):
        if k % 60 == 0:
            twist = np.concatenate([rng.uniform(-1, 1, 3), rng.uniform(-1.5, 1.5, 3)])
        if k % 4 == 0:
            servo.update_distances()
        step = servo.step_twist(twist)
        halts += step.status is ServoStatus.HALT_FOR_COLLISION
        report = servo.checker.check(servo.configuration)
        assert report.free, report.message
    assert halts >= 5


def test_motion_away_from_near_obstacles_is_not_slowed():
    servo = panda(load_scene("panda_pillars"))
    for k in range(400):
        if k % 4 == 0:
            servo.update_distances()
        step = servo.step_twist([0, 0, -0.3, 0, 0, 0])
    assert step.status is ServoStatus.HALT_FOR_COLLISION
    assert "'table'" in step.message
    assert servo.checker.distance(servo.configuration).distance < 0.003
    for _ in range(20):
        servo.update_distances()
        step = servo.step_twist([0, 0, 0.3, 0, 0, 0])
    assert step.status is ServoStatus.NO_WARNING
    assert step.moves


@pytest.mark.parametrize("jerk", [0.0, 50.0])
def test_pose_is_reached_and_kept(jerk):
    servo = panda(jerk_limit=jerk)
    target = servo.tip_pose()
    turn = np.array([[0.0, -1.0, 0.0], [1.0, 0.0, 0.0], [0.0, 0.0, 1.0]])
    target = target.copy()
    target[:3, :3] = target[:3, :3] @ turn
    target[:3, 3] += (0.1, -0.1, 0.05)
    for _ in range(600):
        servo.step_pose(target)
    np.testing.assert_allclose(servo.tip_pose(), target, atol=1e-4)


@pytest.mark.parametrize("jerk", [0.0, 50.0])
def test_stopping_points_are_the_braking_motion(jerk):
    servo = panda(jerk_limit=jerk)
    for _ in range(100):
        servo.step_joints([0.523, -0.2, 0, 0, 0, 0, 0])
    (_, on, _), (time, end, still) = servo.stopping_points()
    assert not still.any()
    servo.step_joints([0.523, -0.2, 0, 0, 0, 0, 0])
    np.testing.assert_allclose(on, servo.configuration[:7], atol=1e-12)
    steps = 0
    while servo.moves:
        servo.halt()
        steps += 1
    assert abs(steps * 0.01 - (time - 0.01)) <= 0.01 + 1e-9
    np.testing.assert_allclose(servo.configuration[:7], end, atol=1e-9)


def test_near_things_are_those_of_the_exact_distance():
    checker = CollisionChecker(ROBOT, load_scene("panda_pillars"), srdf=SRDF)
    rng = np.random.default_rng(2)
    found = 0
    for _ in range(100):
        q = ROBOT.random_configuration(rng)
        near = checker.near(q, 0.08, 0.08)
        smallest = checker.distance(q).distance
        assert bool(near) == (smallest < 0.08)
        if near:
            assert min(item.distance for item in near) == pytest.approx(smallest, abs=1e-6)
            assert len({(item.first, item.second) for item in near}) == len(near)
            found += 1
    assert found > 30


def test_invalid_input_is_rejected():
    servo = panda()
    with pytest.raises(ConfigurationError, match="6 finite numbers"):
        servo.step_twist([np.nan] * 6)
    with pytest.raises(ConfigurationError, match="7 finite numbers"):
        servo.step_joints([1.0])
    with pytest.raises(ConfigurationError, match="7 finite numbers"), np.errstate(all="ignore"):
        servo.step_twist([1e308] * 6)
    with pytest.raises(UnknownNameError):
        Servo(ROBOT, ["elbow"], "panda_hand_tcp")
    for joints, words in (
        (["panda_joint1", "panda_joint1"], "given once"),
        (["panda_finger_joint2"], "own"),  # mimics the first
    ):
        with pytest.raises(ModelError, match=words):
            Servo(load_robot("panda_hand"), joints, "panda_link8")
    with pytest.raises(ModelError, match="joint_limit_margins"):
        panda(joint_limit_margins=(0.1, 0.2))
    with pytest.raises(ConfigurationError, match="hard_stop"):
        ServoSettings(hard_stop_singularity_threshold=10.0)
