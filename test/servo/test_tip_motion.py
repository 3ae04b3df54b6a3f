"""The condition number of a tip's Jacobian, and the velocity of a pose that is followed."""

import numpy as np
import pytest

from rigid_tree_kinematics import load_robot
from rigid_tree_kinematics.kinematics import geometric_jacobian
from rigid_tree_kinematics.model.transforms import rotation_log, rpy_matrix, transform
from rigid_tree_kinematics.servo.tip_motion import FollowedPose, TipMotion

ROBOT = load_robot("panda_hand")
TIP = "panda_hand_tcp"
SOME = [[0, 1, 2, 3, 4, 5, 6], [0, 2, 3, 5], [1], [0, 1, 2, 3, 4, 5, 6, 7]]


@pytest.mark.parametrize("places", SOME, ids=len)
def test_the_condition_number_is_that_of_the_singular_values(places):
    compiled = ROBOT.compiled()
    slots = np.array(places)
    motion = TipMotion(compiled, TIP, slots, slots)  # each joint has one position
    rng = np.random.default_rng(4)
    for _ in range(200):
        q = ROBOT.random_configuration(rng)
        J = geometric_jacobian(compiled, q, TIP)[:, slots]
        values = np.linalg.svd(J, compute_uv=False)
        values = values[values > 1e-9 * values[0]]
        assert motion.condition(q) == pytest.approx(values[0] / values[-1], rel=1e-6)
    assert TipMotion(compiled, TIP, np.arange(7), np.arange(7)).condition(np.zeros(8)) > 1e6


@pytest.mark.parametrize("spacing", [1, 2, 5])
def test_poses_of_a_stream_are_followed_without_a_lag(spacing):
    """The tip moves exactly by the twists; every pose comes ``spacing`` steps after the last."""
    dt, twist = 0.01, np.array([0.1, 0.0, -0.05, 0.0, 0.3, 0.0])

    def pose(time):
        return transform(twist[:3] * time, rpy_matrix(0.0, twist[4] * time, 0.0))

    followed, T = FollowedPose(pose(0.0)), pose(0.0)
    for k in range(1, 600):
        target = pose(dt * (k - k % spacing))
        rate = followed.twist(target, T, dt)
        T = transform(T[:3, 3] + dt * rate[:3], rpy_matrix(0.0, dt * rate[4], 0.0) @ T[:3, :3])
    at = pose(dt * 599)
    np.testing.assert_allclose(T[:3, 3], at[:3, 3], atol=1e-6)
    np.testing.assert_allclose(rotation_log(at[:3, :3] @ T[:3, :3].T), 0.0, atol=1e-6)


def test_a_jump_after_a_rest_is_no_motion():
    followed, T = FollowedPose(np.eye(4)), np.eye(4)
    for _ in range(20):
        assert not followed.twist(np.eye(4), T, 0.01).any()
    for _ in range(30):
        rate = followed.twist(transform((0.1, 0.0, 0.0)), T, 0.01)
        np.testing.assert_allclose(rate, [0.5, 0.0, 0.0, 0.0, 0.0, 0.0], atol=1e-12)
