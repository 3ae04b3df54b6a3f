"""Streams of poses: no lag; single targets, jumps and stops. Pinocchio is the judge."""

import numpy as np
import pinocchio as pin
import pytest

from rigid_tree_kinematics import load_robot
from rigid_tree_kinematics.description import write_urdf
from rigid_tree_kinematics.model.transforms import rpy_matrix, transform
from rigid_tree_kinematics.servo import Servo, ServoSettings, ServoStatus

READY = np.array([0.0, -0.785398, 0.0, -2.356194, 0.0, 1.570796, 0.785398])
TIP = "panda_link8"
ROBOT = load_robot("panda")
MODEL = pin.buildModelFromXML(write_urdf(ROBOT))
DATA = MODEL.createData()
ACCELERATION = 2.5  # m/s^2, about that of the tip


def tip(q: np.ndarray) -> np.ndarray:
    pin.framesForwardKinematics(MODEL, DATA, q)
    return np.array(DATA.oMf[MODEL.getFrameId(TIP)].homogeneous)


START = tip(READY)


def panda(period: float = 0.01, **settings: float) -> Servo:
    servo = Servo(ROBOT, ROBOT.joint_names, TIP, ServoSettings(period=period, **settings))
    servo.reset(READY)
    return servo


def off(q: np.ndarray, target: np.ndarray) -> tuple[float, float]:
    """Return the distance (m) and the angle (rad) between the tip and a target."""
    place = tip(q)
    turn = pin.log3(place[:3, :3].T @ target[:3, :3])
    return float(np.linalg.norm(place[:3, 3] - target[:3, 3])), float(np.linalg.norm(turn))


def circle(time: float) -> np.ndarray:
    """A circle of 0.1 m in 4 s that turns the tip too, and starts and ends at rest."""
    share = np.clip(time / 4.0, 0.0, 1.0)
    angle = 2.0 * np.pi * (10.0 * share**3 - 15.0 * share**4 + 6.0 * share**5)
    shift = 0.1 * np.array([0.0, np.sin(angle), np.cos(angle) - 1.0])
    turn = 0.1 * np.sin(angle)
    return (
        transform(START[:3, 3] + shift)
        @ transform(rotation=rpy_matrix(turn, 0.0, turn))
        @ (transform(rotation=START[:3, :3]))
    )


def line(time: float) -> np.ndarray:
    """0.2 m/s sideways for a second, with an abrupt start and an abrupt stop."""
    return transform((0.0, 0.2 * np.clip(time, 0.0, 1.0), 0.0)) @ START


@pytest.mark.parametrize(("period", "most"), [(0.001, 1e-5), (0.01, 1e-4)])
def test_a_circle_is_followed_without_a_lag(period, most):
    servo, errors = panda(period), []
    for k in range(1, round(4.5 / period) + 1):
        step = servo.step_pose(circle(k * period))
        assert step.status is ServoStatus.NO_WARNING
        errors.append(max(off(step.positions, circle(k * period))))
    assert max(errors) < most


@pytest.mark.parametrize(
    ("rate", "stamped", "most"),
    [(30.0, True, 0.004), (60.0, True, 0.002), (50.0, False, 0.003), (60.0, False, 0.03)],
)
def test_poses_that_come_less_often_than_steps_are_followed_too(rate, stamped, most):
    """Without stamps, poses at 60 Hz seem to be 10 or 20 ms apart: only half of the lag goes."""
    servo, errors = panda(), []
    for k in range(1, 401):
        stamp = np.floor(k * 0.01 * rate + 1e-9) / rate
        step = servo.step_pose(circle(stamp), stamp=stamp if stamped else None)
        errors.append(max(off(step.positions, circle(k * 0.01))))
    assert max(errors) < most  # 0.05 by the error alone


def test_a_late_pose_does_not_slow_the_tip_down():
    servo, speeds = panda(), []
    for k in range(1, 101):
        stamp = 0.01 * (k - (k % 7 == 0))  # each seventh one comes a step late
        speeds.append(np.linalg.norm(servo.step_pose(line(stamp), stamp=stamp).velocities))
    assert np.abs(np.diff(speeds[-30:])).max() < 0.01 * speeds[-1]


def test_a_single_target_is_approached_as_by_its_error_alone():
    target = transform((0.0, 0.1, 0.05)) @ START
    servo, other = panda(), panda()
    for k in range(300):
        error = target[:3, 3] - tip(other.configuration)[:3, 3]
        turn = pin.log3(target[:3, :3] @ tip(other.configuration)[:3, :3].T)
        other.step_twist(other.within_speeds(5.0 * np.r_[error, turn]))
        step = servo.step_pose(target, stamp=0.02 * (k // 2))
        np.testing.assert_allclose(step.positions, other.configuration, atol=1e-9)
    assert max(off(step.positions, target)) < 1e-4


def test_a_jump_of_the_target_causes_no_overshoot():
    servo = panda()
    for k in range(1, 51):
        servo.step_pose(line(0.01 * k))
    reached = tip(servo.configuration)[1, 3]
    target = transform((0.0, -0.15, 0.0)) @ line(0.5)
    least = [tip(servo.step_pose(target).positions)[1, 3] for _ in range(400)]
    assert max(least) < reached + 0.2**2 / (2.0 * ACCELERATION) + 0.002
    assert min(least) > target[1, 3] - 1e-4
    assert max(off(servo.configuration, target)) < 1e-4


def test_a_small_jump_in_a_slow_stream_is_no_motion():
    """15 mm in 1/30 s are faster than the tip may be; strong joints would follow and overshoot."""
    servo, gone = panda(acceleration_limit=100.0), []
    for k in range(1, 201):
        stamp = np.floor(k * 0.01 * 30.0 + 1e-9) / 30.0
        target = transform((0.0, 0.015 if stamp >= 1.0 else 0.0, 0.0)) @ START
        gone.append(off(servo.step_pose(target, stamp=stamp).positions, START)[0])
    assert max(gone) < 0.015 + 1e-5
    assert gone[-1] > 0.0148


@pytest.mark.parametrize("rate", [100.0, 30.0])
def test_a_stream_that_stops_is_left_by_the_braking_distance_only(rate):
    """An abrupt stop is found when the next pose does not come: after at most 1.5 periods."""
    servo, passed = panda(), []
    for k in range(1, 501):
        stamp = np.floor(k * 0.01 * rate + 1e-9) / rate
        step = servo.step_pose(line(stamp))
        passed.append(tip(step.positions)[1, 3] - line(1.0)[1, 3])
    assert max(passed) < 0.2**2 / (2.0 * ACCELERATION) + 0.2 * (1.5 / rate + 0.01)
    assert min(passed[200:]) > -1e-4
    assert max(off(step.positions, line(1.0))) < 1e-4
    assert not step.moves


def test_a_target_that_brakes_is_not_overshot():
    def target(time: float) -> np.ndarray:
        way = (
            0.2 * time
            if time < 0.5
            else 0.1 + 0.2 * min(time - 0.5, 0.4) * (1.0 - 0.5 * min(time - 0.5, 0.4) / 0.4)
        )
        return transform((0.0, way, 0.0)) @ START

    servo = panda()
    for k in range(1, 151):
        place = tip(servo.step_pose(target(0.01 * k)).positions)
        assert place[1, 3] < target(2.0)[1, 3] + 5e-4
    assert max(off(servo.configuration, target(2.0))) < 1e-4


def test_a_pose_in_the_frame_of_the_tip_does_not_run_away():
    """The target moves as the tip does: its own velocity is 0, and the error stays."""
    servo, offset = panda(), transform((0.0, 0.0, -0.01))
    for k in range(200):
        offset[2, 3] = -0.01 - 1e-9 * k  # always a new pose
        before = tip(servo.configuration)
        step = servo.step_pose(offset, before)
        gone = before[:3, :3].T @ (tip(step.positions) - before)[:3, 3]
        assert gone[2] > -0.01 * 5.0 * 0.01 - 1e-5
    np.testing.assert_allclose(gone, (0.0, 0.0, -0.0005), atol=2e-6)
