"""Joints: accepted and rejected values, and transforms."""

import math
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from harness.cases import case
from rigid_tree_kinematics import Joint
from rigid_tree_kinematics.errors import ModelError
from rigid_tree_kinematics.model import JointDynamics, Mimic
from rigid_tree_kinematics.model.transforms import rpy_matrix, transform


def test_conventions_set_one_side_and_clear_the_other() -> None:
    a, alpha, d, theta = 0.3, 0.7, -0.2, 1.1
    about_x, about_z = transform(rotation=rpy_matrix(alpha, 0, 0)), rpy_matrix(0, 0, theta)
    along_x, screw_z = transform((a, 0, 0)), transform((0, 0, d), about_z)
    joint = Joint("j", "revolute")
    joint.set_fixed_transform((a, alpha, d, theta), "mdh")
    np.testing.assert_allclose(joint.joint_to_parent, about_x @ along_x @ screw_z, atol=1e-15)
    np.testing.assert_array_equal(joint.child_to_joint, np.eye(4))
    joint.set_fixed_transform((a, alpha, d, theta), "dh")
    np.testing.assert_array_equal(joint.joint_to_parent, np.eye(4))
    np.testing.assert_allclose(joint.child_to_joint, screw_z @ along_x @ about_x, atol=1e-15)
    joint.set_fixed_transform(along_x)
    np.testing.assert_array_equal(joint.joint_to_parent, along_x)
    np.testing.assert_array_equal(joint.child_to_joint, np.eye(4))


def test_home_is_zero_or_the_middle() -> None:
    homes = {(-1, 1): 0.0, (0.5, 1.5): 1.0, (-2, -1): -1.5, (0, 2): 0.0, (1, math.inf): 1.0}
    for limits, home in homes.items():
        assert Joint("j", "revolute", limits=limits).home_position == home, limits


def test_bad_values_are_rejected_and_change_nothing() -> None:
    def put(key: str, value: object) -> Callable[[Joint], None]:
        return lambda joint: setattr(joint, key, value)

    def fix(*values: Any) -> Callable[[Joint], None]:
        return lambda joint: joint.set_fixed_transform(*values)

    for attempt, complaint in (
        (put("axis", (0, 0, 0)), "axis is zero"),
        (put("axis", (0, 0, math.nan)), "three finite numbers"),
        (put("axis", (0, 1)), "three finite numbers"),
        (put("position_limits", (1, -1)), "low <= high"),
        (put("position_limits", (math.nan, 1)), "low <= high"),
        (put("position_limits", 3), r"\(low, high\)"),
        (put("home_position", 4.0), "outside the limits"),
        (put("home_position", math.inf), "finite"),
        (put("position_limits", (0.5, 1)), "home position"),
        (put("velocity_limit", -1), "velocity limit"),
        (put("effort_limit", math.nan), "effort limit"),
        (put("mimic", Mimic("joint")), "mimic itself"),
        (lambda joint: JointDynamics(friction=math.nan), "joint's friction must be finite"),
        (fix(np.eye(3)), "4x4"),
        (fix(2 * np.eye(4)), "last row"),
        (fix(np.diag([1, 1, -1, 1.0])), "not a rotation"),
        (fix(np.full((4, 4), math.nan)), "NaN"),
        (fix((1, 2, 3), "dh"), "four numbers"),
        (fix((1, 2, 3, 4), "DH"), "unknown convention"),
    ):
        joint = Joint("joint", "revolute", (0, 0, 2), limits=(-1, 1))
        joint.home_position = 0.2
        before = {key: np.array(value) for key, value in vars(joint).items()}
        with case(complaint), pytest.raises(ModelError, match=complaint) as error:
            attempt(joint)
        assert "joint" in str(error.value)
        for key, value in vars(joint).items():
            assert np.array_equal(np.array(value), before[key]), (complaint, key)


def test_names_and_types_are_checked() -> None:
    with pytest.raises(ModelError, match="unknown type 'ball'"):
        Joint("j", "ball")
    with pytest.raises(ModelError, match="name"):
        Joint("")
    with pytest.raises(ModelError, match="no limits"):
        Joint("j", "continuous", limits=(-1, 1))
    with pytest.raises(ModelError, match="planar joint cannot mimic"):
        Joint("j", "planar").mimic = Mimic("k")
    with pytest.raises(ModelError, match="about or along z"):
        Joint("j", "revolute", (1, 0, 0)).set_fixed_transform((0, 0, 0, 0), "mdh")


def test_defaults_are_the_source_documents() -> None:
    huge = Joint("j", "revolute", (3e200, 4e200, 0))
    np.testing.assert_allclose(huge.axis, (0.6, 0.8, 0.0))
    assert Joint("j", "revolute").position_limits == (-math.pi, math.pi)
    assert Joint("j", "prismatic").position_limits == (-0.5, 0.5)
    assert Joint("j", "continuous").position_limits == (-math.inf, math.inf)
    assert Joint("j").type == "fixed"


def test_joints_of_several_numbers() -> None:
    joint = Joint("root", "floating")
    assert joint.position_names[-1] == "root/rot_w"
    np.testing.assert_array_equal(joint.home_position, (0, 0, 0, 0, 0, 0, 1))
    joint.home_position = (1, 2, 3, 0, 0, 0, 2)
    np.testing.assert_array_equal(joint.home_position, (1, 2, 3, 0, 0, 0, 1))
    planar = Joint("floor", "planar")
    planar.position_limits = ([-1, -2, -3], [1, 2, 3])
    with pytest.raises(ModelError, match="outside"):
        planar.home_position = (0, 2.5, 0)


def test_limits_of_a_floating_joint_are_those_of_its_translation() -> None:
    joint = Joint("root", "floating", limits=(-0.5, 0.5))
    low, high = joint.position_limits
    np.testing.assert_array_equal(low, [-0.5] * 3 + [-math.inf] * 4)
    np.testing.assert_array_equal(high, [0.5] * 3 + [math.inf] * 4)
    np.testing.assert_array_equal(joint.home_position, (0, 0, 0, 0, 0, 0, 1))
    joint.position_limits = ([0, 0, 1, *[-1] * 4], [1, 1, 2, *[1] * 4])
    np.testing.assert_array_equal(joint.home_position, (0, 0, 1.5, 0, 0, 0, 1))
    with pytest.raises(ModelError, match="a quaternion has no limits"):
        joint.position_limits = ([0, 0, 1, 0, -1, -1, -1], [1] * 7)
