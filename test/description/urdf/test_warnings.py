"""Suspicious but usable URDF gives one warning, valid URDF none."""

import math
import warnings

import numpy as np
import pytest

from rigid_tree_kinematics.description import read_urdf
from rigid_tree_kinematics.errors import DescriptionWarning

AB = '<link name="a"/><link name="b"/>'


def joint(inside="", name="j", kind="continuous", parent="a", child="b"):
    ends = f'<parent link="{parent}"/><child link="{child}"/>'
    return f'<joint name="{name}" type="{kind}">{ends}\n{inside}</joint>'


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

# Content of the robot element from line 2; parts of the warning.
CASES = {
    "no mass": (
        inertial('<inertia ixx="1" iyy="1" izz="1" ixy="0" ixz="0" iyz="0"/>'),
        "no <mass ... line 3 (link 'a')",
    ),
    "no inertia": (inertial('<mass value="0"/>'), "no <inertia>; zero is used ... line 3"),
    "no products": (
        inertial('<mass value="1"/><inertia ixx="1" iyy="1" izz="1" ixy="0"/>'),
        "no ixz, iyz; 0 is used ... line 3",
    ),
    "negative mass": (moments(1, 1, 1, mass=-1), "mass is negative ... line 3"),
    "indefinite": (moments(1, 1, -1), "not positive definite ... line 3"),
    "zero moments": (moments(0, 0, 0), "not positive definite"),
    "triangle": (moments(1, 1, 3), "add up to less than the third ... link 'a'"),
    "no effort": (
        AB + joint('<limit lower="0" upper="1" velocity="1"/>', kind="revolute"),
        "<limit> has no effort; unlimited is used ... line 3 (joint 'j')",
    ),
    "no effort and velocity": (AB + joint("<limit/>"), "no effort and no velocity"),
    "cannot move": (
        AB + joint('<limit effort="1" velocity="1"/>', kind="revolute"),
        "cannot move ... continuous or fixed",
    ),
    "negative damping": (AB + joint('<dynamics damping="-1"/>'), "negative damping"),
    "safety without k_velocity": (AB + joint("<safety_controller/>"), "no k_velocity"),
    "unknown attribute": (AB + joint('<dynamics D="1"/>'), "'D' of <dynamics>, ignored"),
    "unknown element": (AB + joint("<motor/>"), "<motor> in <joint>, ignored ... line 3"),
    "second axis": (
        AB + joint('<axis xyz="1 0 0"/><axis xyz="0 1 0"/>'),
        "a second <axis>; the first one is used",
    ),
    "mimic of a stranger": (
        AB + joint('<mimic joint="nobody"/>'),
        "'nobody', which is not in the document; moves independently",
    ),
    "mimic on a fixed joint": (
        AB + joint('<mimic joint="x"/>', kind="fixed"),
        "of a fixed joint is ignored",
    ),
    "contradicting mimic": (
        AB
        + '<link name="c"/>'
        + joint('<limit lower="0" upper="1" effort="1" velocity="1"/>', kind="revolute")
        + joint(
            '<mimic joint="j" offset="5"/><limit lower="0" upper="1" effort="1" velocity="1"/>',
            name="k",
            kind="revolute",
            child="c",
        ),
        "'j' ... from 5 to 6 ... own limits 0 to 1 ... joint 'k'",
    ),
    "other definition": (
        GREEN + f'<link name="a">{visual(RED)}</link>',
        "material 'm' has another definition, in line 2, which is used",
    ),
    "undefined material": (
        '<link name="a">' + visual('<material name="m"/>') + "</link>",
        "material 'm' is not defined",
    ),
    "nameless material": (
        '<link name="a">' + visual(WHITE.format("")) + "</link>",
        "material has no name",
    ),
    "color of 255": (RED.replace("1 0 0 1", "255 0 0 1") + '<link name="a"/>', "within 0 to 1"),
}


@pytest.mark.parametrize("case", CASES)
def test_one_warning_tells_the_remark_and_its_line(case):
    inside, words = CASES[case]
    with pytest.warns(DescriptionWarning) as caught:
        read_urdf(f'<robot name="r">\n{inside}</robot>', "robot.urdf")
    (warning,) = caught
    message = str(warning.message)
    assert message.startswith("robot.urdf: the robot is usable, with 1 remark:\n")
    assert warning.filename == __file__  # the caller is blamed, not the library
    for word in words.split(" ... "):
        assert word in message


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


VALID = {
    "root material without use": GREEN + '<link name="a"/>',
    "same definition twice": GREEN + f'<link name="a">{visual(GREEN)}</link>',
    "empty texture of exporters": '<link name="a">'
    + visual(WHITE.format(' name=""').replace("</m", '<texture filename=""/></m'))
    + "</link>",
    "flat body": moments(1, 2, 3),
    "rounded flat body": moments(0.00139, 0.00221, 0.003601),
    "massless frame": moments(0, 0, 0, mass=0),
    "fixed joint with everything": AB
    + joint(
        '<axis xyz="0 0 0"/><limit lower="0" upper="0" effort="0" velocity="0"/>', kind="fixed"
    ),
    "continuous joint with limits": AB
    + joint('<limit lower="0" upper="0" effort="0" velocity="0"/>'),
    "axis of any length": AB + joint('<axis xyz="0 0 -3"/>'),
    "floating joint without limit": AB + joint(kind="floating"),
    "world as root": '<link name="world"/><link name="b"/>' + joint(parent="world", kind="fixed"),
}


@pytest.mark.parametrize("case", VALID)
def test_valid_urdf_does_not_warn(case):
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        read_urdf(f'<robot name="r" xmlns:xacro="http://x" version="1.1">{VALID[case]}</robot>')


def test_the_robot_behind_a_warning_is_as_told():
    inside, _ = CASES["contradicting mimic"]
    with pytest.warns(DescriptionWarning):
        tree = read_urdf(f'<robot name="r">{inside}</robot>')
    np.testing.assert_array_equal((tree.compiled().lower, tree.compiled().upper), [[0], [1]])
    with pytest.warns(DescriptionWarning):
        tree = read_urdf(f'<robot name="r">{CASES["mimic of a stranger"][0]}</robot>')
    assert tree.joint_names == ("j",)
    with pytest.warns(DescriptionWarning):
        tree = read_urdf(f'<robot name="r">{CASES["no effort"][0]}</robot>')
    assert tree.get_joint("j").effort_limit == math.inf
