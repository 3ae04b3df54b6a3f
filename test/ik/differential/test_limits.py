"""Limits and barriers of steps: never exceeded, named when active, least violation if needed."""

import numpy as np
import pytest

from rigid_tree_kinematics import Joint, RigidBody, RigidBodyTree, load_robot
from rigid_tree_kinematics.errors import ConfigurationError, ModelError
from rigid_tree_kinematics.ik.differential import (
    DifferentialIK,
    FrameTask,
    JointVelocityTask,
    PlaneBarrier,
    PositionBarrier,
    PostureTask,
    StepStatus,
)
from rigid_tree_kinematics.model.transforms import rpy_matrix, transform

DT = 0.01
START = [0.0, 0.3, 0.0, -1.8, 0.0, 2.1, 0.785]


def cart(limit=1.5):
    tree = RigidBodyTree()
    tree.add_body(RigidBody("cart", Joint("slide", "prismatic", (1, 0, 0), (-9, limit))), "base")
    joint = tree.get_joint("slide")
    joint.velocity_limit, joint.acceleration_limit = 1.0, 2.0
    return tree


@pytest.mark.parametrize("robot", ["panda", "ur5", "panda_hand", "puma560"])
def test_no_limit_is_exceeded_with_any_targets_at_any_time(robot):
    tree = load_robot(robot)
    tip, rng = tree.body_names[-1], np.random.default_rng(8)
    accelerations = dict.fromkeys(tree.compiled().joint_names, 6.0)
    task, posture = FrameTask(tip), PostureTask(0.1, priority=2)
    ik = DifferentialIK(tree, [task, posture], acceleration_limits=accelerations)
    compiled, before = ik.compiled, ik.velocity
    reasons = set()
    for step in range(6000):
        if step % 40 == 0:
            T = tree.get_transform(tree.random_configuration(rng), tip)
            task.set_target(transform(rng.choice([0.0, 1.0]) * rng.normal(size=3)) @ T)
        result = ik.step(DT)
        q, v = result.configuration, result.velocity
        assert np.isfinite(q).all()
        assert result.status is StepStatus.FOLLOWED
        assert (q >= compiled.lower).all()
        assert (q <= compiled.upper).all()
        assert (np.abs(v) <= compiled.velocity_limit + 1e-9).all()
        assert (np.abs(v - before) <= 6.0 * DT + 1e-9).all()
        before = v
        reasons |= {text.split(" limit")[0] for text in result.active}
    assert {"lower acceleration", "lower position"} <= reasons
    if np.isfinite(compiled.velocity_limit).all():
        assert "upper velocity" in reasons


def test_a_joint_brakes_for_its_target_and_for_its_limit_without_overshoot():
    for goal, place in ((1.0, 1.0), (4.0, 1.5)):
        task = FrameTask("cart", (1.0, 0.0, 0.0), 0.0)
        ik = DifferentialIK(cart(), [task])
        task.set_target(transform((goal, 0, 0)))
        positions = [ik.step(DT).configuration[0] for _ in range(250)]
        assert max(positions) <= place + 1e-5
        assert positions[-1] == pytest.approx(place, abs=1e-5)
        # s m at 1 m/s with 2 m/s^2: s + 0.5 s, and half a step for each change of velocity.
        arrival = np.flatnonzero(np.array(positions) > place - 1e-4)[0] * DT
        assert place + 0.48 <= arrival <= place + 0.54


def test_moving_targets_are_followed_without_lag_within_acceleration_limits():
    task = FrameTask("cart", (1.0, 0.0, 0.0), 0.0)
    ik = DifferentialIK(cart(9.0), [task])
    for k in range(300):
        place = 0.3 * (1.0 - np.cos(2.0 * k * DT))  # 0.6 m/s, 1.2 m/s^2
        task.set_target(transform((place, 0, 0)))
        step = ik.step(DT)
        assert step.configuration[0] == pytest.approx(place, abs=1e-6)


def test_constraints_that_contradict_the_limits_are_violated_least():
    """The target moves at 2 m/s, the joint at most at 1: a constraint becomes a least square."""
    task = FrameTask("cart", (1.0, 0.0, 0.0), 0.0, priority=0)
    ik = DifferentialIK(cart(9.0), [task], velocity_limits={"slide": 1.0})
    for k in range(100):
        task.set_target(transform((2.0 * k * DT, 0, 0)))
        step = ik.step(DT)
    assert step.status is StepStatus.RELAXED
    assert step.velocity[0] == pytest.approx(1.0)
    assert step.active == ("upper velocity limit of 'slide'",)
    assert "upper velocity limit of 'slide'" in step.message
    for _ in range(200):
        step = ik.step(DT)
    assert step.status is StepStatus.FOLLOWED
    assert step.configuration[0] == pytest.approx(1.98, abs=1e-6)


def test_a_frame_slides_along_the_planes_of_its_box():
    robot = load_robot("panda")
    task = FrameTask("panda_link8", 1.0, 0.0)
    tip = robot.get_transform(START, "panda_link8")
    accelerations = dict.fromkeys(robot.compiled().joint_names, 8.0)
    box = PositionBarrier("panda_link8", upper=(tip[0, 3] + 0.05, np.inf, np.inf))
    normal = np.array([0.0, 1.0, 1.0])
    floor = PlaneBarrier("panda_link8", normal, normal @ tip[:3, 3] / np.sqrt(2.0) - 0.04)
    ik = DifferentialIK(
        robot, [task], start=START, barriers=[box, floor], acceleration_limits=accelerations
    )
    task.set_target(transform((0.2, 0.1, -0.3)) @ tip)
    for _ in range(400):
        step = ik.step(DT)
        place = robot.get_transform(step.configuration, "panda_link8")[:3, 3]
        assert place[0] <= tip[0, 3] + 0.05 + 1e-6
        assert normal @ (place - tip[:3, 3]) / np.sqrt(2.0) >= -0.04 - 1e-6
        assert step.status is StepStatus.FOLLOWED
    assert step.active[-2:] == ("upper x bound of 'panda_link8'", "plane of 'panda_link8'")
    # The nearest point of the target's projection on the edge of both half-spaces.
    shift = np.array([0.2, 0.1, -0.3])
    shift -= (normal @ shift / 2.0 + 0.04 / np.sqrt(2.0)) * normal
    shift[0] = 0.05
    np.testing.assert_allclose(place - tip[:3, 3], shift, atol=1e-3)


def test_barriers_that_contradict_each_other_are_violated_equally():
    right = PositionBarrier("cart", upper=(-0.1, np.inf, np.inf))
    left = PositionBarrier("cart", lower=(0.1, -np.inf, -np.inf))
    ik = DifferentialIK(cart(), [FrameTask("cart", (1.0, 0.0, 0.0), 0.0)], barriers=[right, left])
    for _ in range(100):
        step = ik.step(DT)
        assert step.status is StepStatus.RELAXED
    assert step.configuration[0] == pytest.approx(0.0, abs=1e-6)
    for arguments in (((0, 0, 0), 1.0), ((1, 0), 1.0), ((1, 0, 0), np.inf)):
        with pytest.raises(ModelError, match="barrier of 'cart'"):
            PlaneBarrier("cart", *arguments)
    with pytest.raises(ModelError, match="no bound"):
        PositionBarrier("cart")


def test_a_floating_base_follows_at_its_limits():
    """Those of the speed and of the angular speed hold in all directions."""
    tree = RigidBodyTree()
    tree.add_body(RigidBody("drone", Joint("free", "floating")), "base")
    tree.get_joint("free").velocity_limit = 0.5
    task = FrameTask("drone")
    ik = DifferentialIK(tree, [task], acceleration_limits={"free": 2.0})
    target = transform((0.3, -0.2, 0.1), rpy_matrix(0.4, -0.3, 0.8))
    task.set_target(target)
    before = ik.velocity
    for _ in range(400):
        step = ik.step(DT)
        assert (np.linalg.norm(step.velocity.reshape(2, 3), axis=1) <= 0.5 + 1e-9).all()
        assert (np.abs(step.velocity - before) <= 2.0 * DT + 1e-9).all()
        before = step.velocity
    np.testing.assert_allclose(tree.get_transform(step.configuration, "drone"), target, atol=1e-6)
    assert np.linalg.norm(step.configuration[3:]) == pytest.approx(1.0, abs=1e-12)


def test_it_continues_from_a_placed_state():
    """The step starts with the placed positions and velocities, and the target remains."""
    robot = load_robot("ur5")
    limits = dict.fromkeys(robot.joint_names, 2.0)
    task = JointVelocityTask()
    ik = DifferentialIK(robot, [task], acceleration_limits=limits)
    task.set_target(np.ones(6))
    q, v = np.linspace(-0.5, 0.5, 6), np.array([0.4, -0.2, 0.0, 0.1, 0.99, 1.0])
    ik.place(q, v)
    step = ik.step(0.01)
    np.testing.assert_allclose(step.velocity, np.minimum(v + 0.02, 1.0), atol=1e-5)
    np.testing.assert_allclose(step.configuration, q + 0.01 * step.velocity, atol=1e-12)
    with pytest.raises(ConfigurationError, match="6 finite numbers"):
        ik.place(q, np.full(6, np.nan))
