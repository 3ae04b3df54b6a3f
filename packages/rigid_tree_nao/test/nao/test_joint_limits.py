"""Coupled joint limits at Aldebaran's table points, between them, and mirrored."""

import numpy as np
import pytest

from rigid_tree_nao.model.body import NaoBody
from rigid_tree_nao.model.joint_limits import clamped, coupled_limits, within_limits

BODY = NaoBody("V6")
ZERO = within_limits(BODY, np.zeros(26))


def limits_of(joint, **angles):
    posture = ZERO.copy()
    for name, angle in angles.items():
        posture[BODY.index[name]] = angle
    lower, upper = coupled_limits(BODY, posture)
    return lower[BODY.index[joint]], upper[BODY.index[joint]]


def test_the_head_nods_less_where_it_is_turned():
    for yaw, low, high in (
        (0.0, -0.671951, 0.5149),
        (0.756077, -0.548033, 0.370010),
        (-0.756077, -0.548033, 0.370010),
        (1.526988, -0.330041, 0.200015),
        ((0.756077 + 0.903033) / 2, (-0.548033 - 0.479965) / 2, (0.370010 + 0.330041) / 2),
    ):
        assert limits_of("HeadPitch", HeadYaw=yaw) == pytest.approx((low, high), abs=1e-6)


def test_ankles_roll_less_where_they_are_pitched():
    for pitch, low, high in (
        (-1.189, -0.0501, 0.0752),
        (-0.700051, -0.397880, 0.220086),
        (0.0, -0.397880, 0.768992),
        (0.922, -0.0005, 0.0506),
    ):
        assert limits_of("LAnkleRoll", LAnklePitch=pitch) == pytest.approx((low, high), abs=2e-3)
        right = limits_of("RAnkleRoll", RAnklePitch=pitch)
        assert right == pytest.approx((-high, -low), abs=2e-3)


def test_command_is_clamped_and_reported():
    cut, remarks = clamped(BODY, {"HeadYaw": 1.526988, "HeadPitch": 0.5, "LHand": 0.5}, ZERO)
    assert cut == {"HeadYaw": 1.526988, "HeadPitch": pytest.approx(0.200015), "LHand": 0.5}
    assert remarks == ["HeadPitch 0.5 clamped to 0.20001"]


def test_cut_angles_are_within_all_limits():
    for angles in np.random.default_rng(0).uniform(-3.0, 3.0, (20, 26)):
        cut = within_limits(BODY, angles)
        lower, upper = coupled_limits(BODY, cut)
        assert (lower <= cut).all(), angles
        assert (cut <= upper).all(), angles
        np.testing.assert_array_equal(within_limits(BODY, cut), cut, str(angles))
