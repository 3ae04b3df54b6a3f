"""Suspicious but usable URDF gives one warning, valid URDF none."""

import math
import warnings

import numpy as np
import pytest

from description.urdf.documents import AB, joint, pair
from harness.cases import case
from rigid_tree_kinematics.description import read_urdf
from rigid_tree_kinematics.errors import DescriptionWarning


def inertial(inside):
    return f'<link name="a">\n<inertial>{inside}</inertial></link>'


def moments(xx, yy, zz, mass=1.0):
    return inertial(
        f'<mass value="{mass}"/>'
        f'<inertia ixx="{xx}" iyy="{yy}" izz="{zz}" ixy="0" ixz="0" iyz="0"/>'
    )


def visual(material):
    return f'<visual><geometry><sphere radius="1"/></geometry>{material}</visual>'


GREEN = '<material name="m"><color rgba="0 1 0 1"/></material>'
RED = '<material name="m"><color rgba="1 0 0 1"/></material>'

WHITE = '<material{}><color rgba="1 1 1 1"/></material>'

NO_EFFORT = pair('<limit lower="0" upper="1" velocity="1"/>', kind="revolute")
STRANGER = pair('<mimic joint="nobody"/>')
CONTRADICTION = (
    AB
    + '<link name="c"/>'
    + joint('<limit lower="0" upper="1" effort="1" velocity="1"/>', kind="revolute")
    + joint(
        '<mimic joint="j" offset="5"/><limit lower="0" upper="1" effort="1" velocity="1"/>',
        name="k",
        kind="revolute",
        child="c",
    )
)
# Content of the robot element from line 2; parts of the warning.
CASES = (
    (
        inertial('<inertia ixx="1" iyy="1" izz="1" ixy="0" ixz="0" iyz="0"/>'),
        "no <mass ... line 3 (link 'a')",
    ),
    (inertial('<mass value="0"/>'), "no <inertia>; zero is used ... line 3"),
    (
        inertial('<mass value="1"/><inertia ixx="1" iyy="1" izz="1" ixy="0"/>'),
        "no ixz, iyz; 0 is used ... line 3",
    ),
    (moments(1, 1, 1, mass=-1), "mass is negative ... line 3"),
    (moments(1, 1, -1), "not positive definite ... line 3"),
    (moments(0, 0, 0), "not positive definite"),
    (moments(1, 1, 3), "add up to less than the third ... link 'a'"),
    (NO_EFFORT, "<limit> has no effort; unlimited is used ... line 3 (joint 'j')"),
    (pair("<limit/>"), "no effort and no velocity"),
    (
        pair('<limit effort="1" velocity="1"/>', kind="revolute"),
        "cannot move ... continuous or fixed",
    ),
    (pair('<dynamics damping="-1"/>'), "negative damping"),
    (pair("<safety_controller/>"), "no k_velocity"),
    (pair('<dynamics D="1"/>'), "'D' of <dynamics>, ignored"),
    (pair("<motor/>"), "<motor> in <joint>, ignored ... line 3"),
    (pair('<axis xyz="1 0 0"/><axis xyz="0 1 0"/>'), "a second <axis>; the first one is used"),
    (STRANGER, "'nobody', which is not in the document; moves independently"),
    (pair('<mimic joint="x"/>', kind="fixed"), "of a fixed joint is ignored"),
    (CONTRADICTION, "'j' ... from 5 to 6 ... own limits 0 to 1 ... joint 'k'"),
    (
        GREEN + f'<link name="a">{visual(RED)}</link>',
        "material 'm' has another definition, in line 2, which is used",
    ),
    (
        '<link name="a">' + visual('<material name="m"/>') + "</link>",
        "material 'm' is not defined",
    ),
    ('<link name="a">' + visual(WHITE.format("")) + "</link>", "material has no name"),
    (RED.replace("1 0 0 1", "255 0 0 1") + '<link name="a"/>', "within 0 to 1"),
)


def test_one_warning_has_the_remark_and_its_line():
    for inside, words in CASES:
        with case(inside), pytest.warns(DescriptionWarning) as caught:
            read_urdf(f'<robot name="r">\n{inside}</robot>', "robot.urdf")
        (warning,) = caught
        message = str(warning.message)
        assert message.startswith("robot.urdf: the robot is usable, with 1 remark:\n"), message
        assert warning.filename == __file__  # the caller is blamed, not the library
        assert all(word in message for word in words.split(" ... ")), message


def test_extensions_are_one_remark_each_kind():
    text = """<robot name="r"><link name="a"/>
    <gazebo/><gazebo reference="a"><material>Red</material></gazebo>
    <transmission name="t"/><sensor name="s"/><ros2_control name="c" type="system"/>
    <gazebo/></robot>"""
    with pytest.warns(DescriptionWarning) as caught:
        read_urdf(text)
    (warning,) = caught
    lines = str(warning.message).splitlines()
    assert len(lines) == 5
    assert lines[1] == "  <gazebo> is for the simulator Gazebo; ignored: line 2, line 2, line 4"


def test_all_lines_are_listed():
    joints = "".join(
        f'\n<link name="l{i}"/>{joint("<x/>", name=f"j{i}", child=f"l{i}")}' for i in range(9)
    )
    with pytest.warns(DescriptionWarning) as caught:
        read_urdf(f'<robot name="r"><link name="a"/>{joints}</robot>')
    message = str(caught[0].message)
    for i in range(9):
        assert str(3 + 2 * i) in message


def test_a_nameless_robot_and_a_strange_version():
    with pytest.warns(DescriptionWarning) as caught:
        tree = read_urdf('<robot version="7"><link name="a"/></robot>')
    assert tree.name == "robot"
    assert "2 remarks" in str(caught[0].message)


VALID = (
    GREEN + '<link name="a"/>',
    GREEN + f'<link name="a">{visual(GREEN)}</link>',
    '<link name="a">'
    + visual(WHITE.format(' name=""').replace("</m", '<texture filename=""/></m'))
    + "</link>",
    moments(1, 2, 3),
    moments(0.00139, 0.00221, 0.003601),
    moments(0, 0, 0, mass=0),
    AB
    + joint(
        '<axis xyz="0 0 0"/><limit lower="0" upper="0" effort="0" velocity="0"/>', kind="fixed"
    ),
    AB + joint('<limit lower="0" upper="0" effort="0" velocity="0"/>'),
    pair('<axis xyz="0 0 -3"/>'),
    pair(kind="floating"),
    '<link name="world"/><link name="b"/>' + joint(parent="world", kind="fixed"),
)


def test_valid_urdf_does_not_warn():
    for inside in VALID:
        with case(inside), warnings.catch_warnings():
            warnings.simplefilter("error")
            read_urdf(f'<robot name="r" xmlns:xacro="http://x" version="1.1">{inside}</robot>')


def test_robot_with_a_warning_is_read_as_reported():
    with pytest.warns(DescriptionWarning):
        tree = read_urdf(f'<robot name="r">{CONTRADICTION}</robot>')
    np.testing.assert_array_equal((tree.compiled().lower, tree.compiled().upper), [[0], [1]])
    with pytest.warns(DescriptionWarning):
        tree = read_urdf(f'<robot name="r">{STRANGER}</robot>')
    assert tree.joint_names == ("j",)
    with pytest.warns(DescriptionWarning):
        tree = read_urdf(f'<robot name="r">{NO_EFFORT}</robot>')
    assert tree.get_joint("j").effort_limit == math.inf
