"""Velocities of joints and frames, in closed form; limits and obstacles that slow them down."""

import numpy as np
import pytest

from rigid_tree_kinematics import load_robot
from rigid_tree_kinematics.collision import CollisionChecker, Obstacle, Scene
from rigid_tree_kinematics.errors import ConfigurationError, ModelError
from rigid_tree_kinematics.ik.differential import (
    CollisionBarrier,
    DifferentialIK,
    FrameVelocityTask,
    JointVelocityTask,
    StepStatus,
)
from rigid_tree_kinematics.kinematics import geometric_jacobian
from rigid_tree_kinematics.model import Box
from rigid_tree_kinematics.model.transforms import rotation_log, transform

PANDA, UR5 = load_robot("panda"), load_robot("ur5")
START = np.array([0.0, 0.3, 0.0, -1.8, 0.0, 2.1, 0.785])
FOLDED = [0.3, -1.2, 1.5, -0.8, 1.2, 0.4]


def test_a_twist_moves_a_frame_by_itself_times_the_step():
    """Also in large steps: the position by v dt, the orientation by the rotation about w."""
    task = FrameVelocityTask("panda_link8")
    ik = DifferentialIK(PANDA, [task], start=START, damping=1e-10)
    rng = np.random.default_rng(1)
    for _ in range(50):
        twist = rng.uniform(-0.3, 0.3, 6)
        task.set_target(twist)
        before = np.array(PANDA.get_transform(ik.configuration, "panda_link8"))
        after = np.array(PANDA.get_transform(ik.step(0.01, 3).configuration, "panda_link8"))
        np.testing.assert_allclose((after - before)[:3, 3], 0.01 * twist[:3], atol=1e-7)
        turn = rotation_log(after[:3, :3] @ before[:3, :3].T)
        np.testing.assert_allclose(turn, 0.01 * twist[3:], atol=1e-7)
        ik.reset(START)


@pytest.mark.parametrize("moving", [[0, 1, 2, 3, 4, 5, 6], [0, 2, 3, 5], [1]], ids=len)
def test_velocities_are_the_least_squares_of_the_twist(moving):
    names = PANDA.joint_names
    locked = [name for k, name in enumerate(names) if k not in moving]
    task = FrameVelocityTask("panda_link8")
    ik = DifferentialIK(PANDA, [task], locked=locked, damping=1e-10)
    rng = np.random.default_rng(4)
    for _ in range(50):
        ik.reset(PANDA.random_configuration(rng))
        J = geometric_jacobian(PANDA, ik.configuration, "panda_link8")[:, moving]
        if np.linalg.cond(J) > 30.0:
            continue
        twist = 0.01 * rng.normal(size=6)
        task.set_target(twist)
        found = ik.step(1e-5).velocity
        expected = np.linalg.lstsq(J, twist, rcond=None)[0]
        np.testing.assert_allclose(found[moving], expected, rtol=2e-3, atol=1e-6)


def test_velocity_and_acceleration_limits_shorten_velocities_and_keep_their_direction():
    """Of a 6-axis arm, the largest share of its only solution that the limits allow."""
    frame, joints = FrameVelocityTask("tool0"), JointVelocityTask()
    names, dt, most = UR5.joint_names, 0.01, np.array([1.0, 2.0, 3.0, 4.0, 5.0, 6.0])
    limits = dict(zip(names, most, strict=True))
    J = geometric_jacobian(UR5, FOLDED, "tool0")
    rng, shares = np.random.default_rng(5), []
    for task in frame, joints:
        ik = DifferentialIK(
            UR5, [task], velocity_limits=dict.fromkeys(names, 0.025), acceleration_limits=limits
        )
        ik.keeps_direction = True
        for _ in range(100):
            target = rng.normal(size=6) * 10.0 ** rng.uniform(-3, 0)
            wanted = np.linalg.solve(J, target) if task is frame else target
            ik.reset(FOLDED)
            task.set_target(target)
            share = min(1.0, (np.minimum(0.025, most * dt) / np.abs(wanted)).min())
            np.testing.assert_allclose(ik.step(dt).velocity, share * wanted, atol=2e-4 * 0.025)
            shares.append(share)
    assert 20 < np.sum(np.array(shares) < 1.0) < 180


def test_a_stop_before_a_joint_limit_keeps_the_direction():
    names = UR5.joint_names
    task = JointVelocityTask()
    ik = DifferentialIK(UR5, [task], start=FOLDED, acceleration_limits=dict.fromkeys(names, 2.0))
    ik.keeps_direction = True
    wanted = np.array([0.3, 0.0, 0.6, 0.0, -0.4, 0.9])
    task.set_target(wanted)
    steps = [ik.step(0.01) for _ in range(2000)]
    assert np.abs(steps[-1].velocity).max() < 1e-6
    assert "upper position" in steps[-1].active_limits.values()
    upper = UR5.compiled().upper
    assert (upper - steps[-1].configuration).min() == pytest.approx(0.0, abs=1e-3)
    gone = steps[-1].configuration - FOLDED
    np.testing.assert_allclose(gone, wanted * (gone @ wanted / (wanted @ wanted)), atol=2e-3)


@pytest.mark.parametrize("halts", [True, False])
def test_the_tip_halts_before_a_wall_on_its_path_or_slides_along(halts):
    scene = Scene()
    tip = np.array(PANDA.get_transform(START, "panda_link8"))[:3, 3]
    scene.add(Obstacle.of("wall", Box((0.02, 2.0, 2.0)), transform((tip[0] + 0.2, 0.0, 0.0))))
    checker = CollisionChecker(PANDA, scene)
    task = FrameVelocityTask("panda_link8")
    ik = DifferentialIK(
        PANDA,
        [task],
        start=START,
        barriers=[CollisionBarrier(checker, (0.002, 0.01), halts=halts)],
        acceleration_limits=dict.fromkeys(PANDA.joint_names, 5.0),
    )
    ik.keeps_direction = True
    task.set_target([0.3, 0.1, 0.0, 0.0, 0.0, 0.0])
    statuses = set()
    for _ in range(800):
        step = ik.step(0.002)
        statuses.add(step.status)
        assert checker.distance(step.configuration).distance >= 0.01
    assert statuses == {StepStatus.FOLLOWED}
    assert any("'wall'" in name for name in step.active_barriers)
    gone = np.array(PANDA.get_transform(step.configuration, "panda_link8"))[:3, 3] - tip
    if halts:
        assert np.abs(step.velocity).max() < 1e-3
        assert gone[1] == pytest.approx(gone[0] / 3.0, abs=1e-4)
        assert gone[2] == pytest.approx(0.0, abs=3e-4)
        task.set_target([-0.3, 0.0, 0.0, 0.0, 0.0, 0.0])  # away from it is free
        steps = [ik.step(0.002) for _ in range(100)]
        assert not any(step.active_barriers for step in steps)
        assert np.abs(steps[-1].velocity).max() > 0.1
    else:
        assert gone[1] > gone[0] / 3.0 + 0.05


def test_it_brakes_on_request_and_continues_from_any_state():
    names = UR5.joint_names
    ik = DifferentialIK(UR5, [], acceleration_limits=dict.fromkeys(names, 2.0))
    v = np.array([0.4, -0.2, 0.0, 0.1, 0.0, 0.0])
    beyond = UR5.compiled().upper + 0.1
    ik.place(beyond, v - 0.4)
    assert (ik.step(0.01).configuration <= beyond).all()
    ik.place(np.array(FOLDED), v)
    steps = [ik.brake(0.01) for _ in range(20)]  # 0.4 / 2 s
    np.testing.assert_allclose(steps[9].velocity, 0.5 * v, atol=1e-12)
    np.testing.assert_allclose(steps[-1].velocity, 0.0, atol=1e-12)
    np.testing.assert_allclose(
        steps[-1].configuration - FOLDED, v * 0.01 * np.arange(20).sum() / 20.0, atol=1e-12
    )


def test_invalid_velocities_are_rejected():
    task = FrameVelocityTask("tool0")
    DifferentialIK(UR5, [task])
    with pytest.raises(ConfigurationError, match="6 finite numbers"):
        task.set_target([np.nan] * 6)
    with pytest.raises(ModelError, match="costs"):
        FrameVelocityTask("tool0", 0.0, 0.0)
