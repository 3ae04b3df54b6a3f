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


def faulty(inside, tag="visual"):
    return f'<link name="a">\n<{tag}>{inside}</{tag}></link>'


def shape(geometry, tag="visual"):
    return faulty(f"<geometry>{geometry}</geometry>", tag)


def limited(kind, inside):
    limit = '<limit lower="-1" upper="1" effort="1" velocity="1"/>'
    return pair(limit + inside, kind=kind)


LEFT_OUT = "the visual is left out: line 3 (link 'a')"
# Faults in parts that no answer needs.
LEFT_OUT_CASES = (
    (faulty(""), f"<visual> has no <geometry>; {LEFT_OUT}"),
    (shape(""), f"<geometry> is empty; {LEFT_OUT}"),
    (shape('<box size="1 one 1"/>'), f"<box>: size: 'one' is not a finite number ... {LEFT_OUT}"),
    (shape('<box size="1 1"/>'), f"<box>: size takes 3 numbers ... {LEFT_OUT}"),
    (shape('<box size="1 -1 1"/>'), f"must be above zero (m); {LEFT_OUT}"),
    (shape('<sphere radius="nan"/>'), LEFT_OUT),
    (shape('<cylinder radius="1"/>'), f"<cylinder>: length ... is missing ... {LEFT_OUT}"),
    (shape("<mesh/>"), f"a <mesh> without a filename; {LEFT_OUT}"),
    (shape('<mesh filename="m.stl" scale="1 2"/>'), f"<mesh>: scale takes ... {LEFT_OUT}"),
    (shape('<mesh filename="m.stl" scale="1 1 0"/>'), f"contains a zero; {LEFT_OUT}"),
    (shape('<cone radius="1"/>'), f"<geometry> has <cone>, which is no shape of URDF; {LEFT_OUT}"),
    (faulty('<origin xyz="0 0"/><geometry><sphere radius="1"/></geometry>'), LEFT_OUT),
    (
        shape('<ellipsoid radii="1 2 3"/>', "collision"),
        "<geometry> has <ellipsoid>, which is no shape of URDF; the collision is left out: line 3",
    ),
    (shape("", "collision"), "<geometry> is empty; the collision is left out"),
    (shape('<mesh filename=""/>', "collision"), "without a filename; the collision is left out"),
    *(
        (shape(form, tag), f"{words}; the {tag} is left out: line 3 (link 'a')")
        for tag in ("visual", "collision")
        for form, words in (
            ('<box size="0 0 0"/>', "a <box> of size zero"),
            ('<sphere radius="0.0"/>', "a <sphere> of size zero"),
            ('<cylinder radius="0" length="0"/>', "a <cylinder> of size zero"),
            ('<mesh filename="m.stl" scale="0 0 0"/>', "a <mesh> with scale zero"),
        )
    ),
)
NEGATIVE = '<limit effort="-1" velocity="-2"/>'
# Parts that are used nevertheless.
USED_CASES = (
    (shape('<box size="1 1 0"/>', "collision"), "a <box> with a size of zero; 0.0001 m is used"),
    (shape('<cylinder radius="1" length="0"/>'), "a <cylinder> with a size of zero"),
    (shape('<mesh filename="m" scale="2 2 2 2"/>'), "'2 2 2 2' is not three numbers; 2 is used"),
    (shape('<mesh filename="m" scale="0.001"/>', "collision"), "0.001 is used for all axes"),
    (shape('<sphere radius="1"/><material name="m"/>'), "<material> in <geometry>, ignored"),
    (shape('<sphere radius="1"/><box size="1 1 1"/>'), "a second shape in <geometry>"),
    ('<link name="a">' + visual(RED.replace("1 0 0 1", "1 0 0")) + "</link>", "no color is used"),
    (RED.replace("1 0 0 1", "red") + '<link name="a"/>', "<color>: rgba ... no color is used"),
    ('<link name="a"/><drake:x><drake:y/></drake:x>', "<drake:x> in <robot>, ignored"),
    (pair('<axis xzy="0 0 1"/>', kind="fixed"), "unknown attribute 'xzy' of <axis>"),
    (pair('<axis xyz="0 0"/>', kind="fixed"), "<axis>: xyz takes 3 ... a fixed joint does not"),
    (pair('<axis xyz="up"/>', kind="floating"), "a floating joint does not need it"),
    (pair('<limit effort="b"/>', kind="fixed"), "<limit>: effort ... a fixed joint does"),
    (pair('<dynamics damping="b"/>', kind="fixed"), "<dynamics>: damping ... a fixed joint does"),
    (
        pair('<limit lower="low" effort="1" velocity="1"/>'),
        "<limit>: lower: 'low' is ... a continuous joint does not need it: line 3",
    ),
    (pair('<calibration rising="up"/>'), "<calibration>: rising ... is ignored"),
    (pair('<safety_controller k_velocity="x"/>'), "<safety_controller>: k_velocity ... 0 is used"),
    (
        pair('<limit lower="-1" effort="1" velocity="1"/>', kind="revolute"),
        "<limit> has no upper; 0 is used",
    ),
    (pair(NEGATIVE.replace("-2", "2")), "the effort is negative; unlimited is used"),
    (pair(NEGATIVE.replace("-1", "1")), "the velocity is negative; its absolute value"),
    (
        '<link name="a"><visual>\n<geometry><sphere radius="1"/></geometry><xacro:grey/></visual>'
        "</link>",
        "<xacro:grey> in <visual>, ignored: line 3 (link 'a')",
    ),
    (
        limited("revolute", '<safety_controller k_velocity="1" soft_lower_limit="1"/>'),
        "the soft limits 1 to inf leave no range and are ignored: line 3 (joint 'j')",
    ),
    (
        pair('<safety_controller k_velocity="1" soft_lower_limit="-1"/>'),
        "the soft limits of a continuous joint are ignored",
    ),
    (
        pair('<limit effort="1" velocity="1" acceleration="2"/>'),
        'acceleration is part of URDF 1.2 and used ... <robot version="1.2">: line 3 (joint',
    ),
    (
        pair('<origin quat_xyzw="0 0 0 1"/>'),
        'quat_xyzw is part of URDF 1.1 and used ... <robot version="1.1">: line 3 (joint',
    ),
    (shape('<capsule radius="1" length="1"/>'), "<capsule> is part of URDF 1.1 and used"),
)

NO_EFFORT = pair('<limit lower="0" upper="1" velocity="1"/>', kind="revolute")
SWAPPED = pair('<limit lower="1" upper="-1" effort="1" velocity="1"/>', kind="revolute")
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
    (SWAPPED, "lower (1) is above upper (-1); they are swapped ... line 3"),
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
    *LEFT_OUT_CASES,
    *USED_CASES,
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


def test_faulty_shapes_are_left_out():
    for inside, _ in LEFT_OUT_CASES:
        with case(inside), pytest.warns(DescriptionWarning):
            base = read_urdf(f'<robot name="r">{inside}</robot>').base
        assert base.visuals + base.collisions == []


@pytest.mark.filterwarnings("ignore::rigid_tree_kinematics.errors.DescriptionWarning")
def test_swapped_limits_are_those_of_the_file_in_order():
    """Gazebo's reader swaps them, too; Pinocchio draws random positions between them."""
    tree = read_urdf(f'<robot name="r">{SWAPPED}</robot>')
    assert tree.joint_limits(tree.joint_names[0]) == (-1.0, 1.0)


def test_negative_rates_are_no_effort_limit_and_the_absolute_velocity():
    """The velocity as in jointBoundsFromURDF of MoveIt's RobotModel."""
    with pytest.warns(DescriptionWarning):
        found = read_urdf(f'<robot name="r">{pair(NEGATIVE)}</robot>').get_joint("j")
    assert (found.effort_limit, found.velocity_limit) == (math.inf, 2.0)


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
    shape('<capsule radius="1" length="1"/>', "collision"),
    pair('<origin quat_xyzw="0 0 0 1"/>'),
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
