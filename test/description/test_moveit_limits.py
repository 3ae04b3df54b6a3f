"""Limits of MoveIt's joint_limits.yaml against values read by hand."""

import numpy as np
import pytest

from rigid_tree_kinematics import load_robot
from rigid_tree_kinematics.description import read_urdf
from rigid_tree_kinematics.description.srdf import with_joint_limits
from rigid_tree_kinematics.errors import ConfigurationError

PLANAR = """<robot name="cart"><link name="base"/><link name="cart"/>
<joint name="ground" type="planar"><parent link="base"/><child link="cart"/></joint></robot>"""


def test_they_replace_those_of_the_description_and_clamp_home():
    robot = load_robot("panda")
    before = robot.compiled()
    bounds = {
        "panda_joint1": (None, 0.5),
        "panda_joint2": (-3.0, 3.0),
        "panda_joint4": (-1.0, None),
    }
    compiled = with_joint_limits(robot, bounds, {"panda_joint1": 1.0}).compiled()
    expected = np.array([before.lower, before.upper])
    expected[1, 0], expected[:, 1], expected[0, 3] = 0.5, (-3.0, 3.0), -1.0
    np.testing.assert_array_equal([compiled.lower, compiled.upper], expected)
    np.testing.assert_array_equal(compiled.home, np.clip(before.home, *expected))
    assert compiled.velocity_limit[0] == 1.0
    np.testing.assert_array_equal(compiled.velocity_limit[1:], before.velocity_limit[1:])
    np.testing.assert_array_equal(robot.compiled().upper, before.upper)


def test_those_of_a_mimic_joint_limit_the_joint_that_it_follows():
    robot = with_joint_limits(
        load_robot("panda_hand"),
        {"panda_finger_joint2": (None, 0.01)},
        {"panda_finger_joint2": 0.1},
    )
    compiled = robot.compiled()
    assert compiled.upper[-1] == 0.01
    assert compiled.velocity_limit[-1] == 0.1


def test_joints_with_several_positions_have_their_variables_limited():
    robot = with_joint_limits(read_urdf(PLANAR), {"ground/x": (-1.0, 2.0)}, {})
    compiled = robot.compiled()
    assert (compiled.lower[0], compiled.upper[0]) == (-1.0, 2.0)
    np.testing.assert_array_equal(compiled.upper[1:], read_urdf(PLANAR).compiled().upper[1:])


def test_an_empty_range_is_named():
    words = "'panda_joint1' a min_position 3 above max_position 2.8973"
    with pytest.raises(ConfigurationError, match=words):
        with_joint_limits(load_robot("panda"), {"panda_joint1": (3.0, None)}, {})
