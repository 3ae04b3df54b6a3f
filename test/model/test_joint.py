"""Joints: accepted and rejected values, and transforms."""

import math
from collections.abc import Callable

import numpy as np
import pytest

from rigid_tree_kinematics import Joint
from rigid_tree_kinematics.errors import ModelError
from rigid_tree_kinematics.model import Mimic


def rotation_x(angle: float) -> np.ndarray:
    c, s = math.cos(angle), math.sin(angle)
    return np.array([[1, 0, 0, 0], [0, c, -s, 0], [0, s, c, 0], [0, 0, 0, 1.0]])


def rotation_z(angle: float) -> np.ndarray:
    c, s = math.cos(angle), math.sin(angle)
    return np.array([[c, -s, 0, 0], [s, c, 0, 0], [0, 0, 1, 0], [0, 0, 0, 1.0]])


def shift(x: float, z: float) -> np.ndarray:
    T = np.eye(4)
    T[0, 3], T[2, 3] = x, z
    return T


def test_conventions_set_one_side_and_clear_the_other() -> None:
    a, alpha, d, theta = 0.3, 0.7, -0.2, 1.1
    joint = Joint("j", "revolute")
    joint.set_fixed_transform((a, alpha, d, theta), "mdh")
    expected = rotation_x(alpha) @ shift(a, 0) @ rotation_z(theta) @ shift(0, d)
    np.testing.assert_allclose(joint.joint_to_parent, expected, atol=1e-15)
    np.testing.assert_array_equal(joint.child_to_joint, np.eye(4))
    joint.set_fixed_transform((a, alpha, d, theta), "dh")
    expected = rotation_z(theta) @ shift(0, d) @ shift(a, 0) @ rotation_x(alpha)
    np.testing.assert_array_equal(joint.joint_to_parent, np.eye(4))
    np.testing.assert_allclose(joint.child_to_joint, expected, atol=1e-15)
    joint.set_fixed_transform(shift(1, 2))
    np.testing.assert_array_equal(joint.joint_to_parent, shift(1, 2))
    np.testing.assert_array_equal(joint.child_to_joint, np.eye(4))


@pytest.mark.parametrize(
    ("limits", "home"),
    [((-1, 1), 0.0), ((0.5, 1.5), 1.0), ((-2, -1), -1.5), ((0, 2), 0.0), ((1, math.inf), 1.0)],
)
def test_home_is_zero_or_the_middle(limits: tuple[float, float], home: float) -> None:
    assert Joint("j", "revolute", limits=limits).home_position == home


@pytest.mark.parametrize(
    ("attempt", "complaint"),
    [
        (lambda j: setattr(j, "axis", (0, 0, 0)), "axis is zero"),
        (lambda j: setattr(j, "axis", (0, 0, math.nan)), "three finite numbers"),
        (lambda j: setattr(j, "axis", (0, 1)), "three finite numbers"),
        (lambda j: setattr(j, "position_limits", (1, -1)), "low <= high"),
        (lambda j: setattr(j, "position_limits", (math.nan, 1)), "low <= high"),
        (lambda j: setattr(j, "position_limits", 3), r"\(low, high\)"),
        (lambda j: setattr(j, "home_position", 4.0), "outside the limits"),
        (lambda j: setattr(j, "home_position", math.inf), "finite"),
        (lambda j: setattr(j, "position_limits", (0.5, 1)), "home position"),
        (lambda j: setattr(j, "velocity_limit", -1), "velocity limit"),
        (lambda j: setattr(j, "effort_limit", math.nan), "effort limit"),
        (lambda j: setattr(j, "mimic", Mimic("joint")), "mimic itself"),
        (lambda j: j.set_fixed_transform(np.eye(3)), "4x4"),
        (lambda j: j.set_fixed_transform(2 * np.eye(4)), "last row"),
        (lambda j: j.set_fixed_transform(np.diag([1, 1, -1, 1.0])), "not a rotation"),
        (lambda j: j.set_fixed_transform(np.full((4, 4), math.nan)), "NaN"),
        (lambda j: j.set_fixed_transform((1, 2, 3), "dh"), "four numbers"),
        (lambda j: j.set_fixed_transform((1, 2, 3, 4), "DH"), "unknown convention"),
    ],
)
def test_bad_values_are_rejected_and_change_nothing(
    attempt: Callable[[Joint], None], complaint: str
) -> None:
    joint = Joint("joint", "revolute", (0, 0, 2), limits=(-1, 1))
    joint.home_position = 0.2
    before = {key: np.array(value) for key, value in vars(joint).items()}
    with pytest.raises(ModelError, match=complaint) as error:
        attempt(joint)
    assert "joint" in str(error.value)
    for key, value in vars(joint).items():
        assert np.array_equal(np.array(value), before[key]), key


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
