"""Invalid URDF is rejected with the file, the line, the element and a fix."""

import pytest

from description.urdf.documents import AB, joint, pair
from harness.cases import case
from rigid_tree_kinematics.description import read_urdf, read_urdf_file
from rigid_tree_kinematics.errors import DescriptionError

ABC = AB + '<link name="c"/>'
ENDS = '<parent link="a"/><child link="b"/>'
LIMIT = '<limit lower="-1" upper="1" effort="1" velocity="1"/>'


def link(inside):
    return f'<link name="a">\n{inside}</link>'


def shape(geometry):
    return link(f"<collision><geometry>{geometry}</geometry></collision>")


def origin(attributes):
    return pair(f"<origin {attributes}/>")


# Content of the robot element from line 2; line of the error; parts of its message.
CASES = (
    ("", 1, "no links ... write"),
    ("<link/>", 2, "link ... no name"),
    ('<link name=""/>', 2, "empty name"),
    (AB + '\n<link name="a"/>', 3, "link 'a' ... line 2 ... unique"),
    (ABC + joint() + "\n" + joint(child="c"), 4, "joint 'j' ... line 2 ... unique"),
    (AB, 2, "2 root links ... 'a' (line 2) ... 'b' (line 2) ... Connect"),
    (
        ABC + joint() + "\n" + joint(name="k", parent="c"),
        4,
        "joint 'k' ... 'b' has two parents ... 'a' ... 'c' ... remove",
    ),
    (pair() + "\n" + joint(name="k", parent="b", child="a"), 4, "loop ... a -> b -> a. Remove"),
    (ABC + joint(parent="c") + joint(name="k", parent="b", child="c"), 2, "loop ... c ... b"),
    (pair(parent="b"), 2, "loop: b -> b"),
    (pair(parent="aa"), 2, "'j' ... parent link 'aa' ... mean 'a'"),
    (pair(child="bb"), 2, "child link 'bb' ... mean 'b'"),
    (AB + '<joint name="j" type="fixed"><child link="b"/></joint>', 2, "no <parent> ... write"),
    (pair('<child link="a"/>'), 2, "2 <child> elements ... write one"),
    (f'{AB}<joint type="fixed">{ENDS}</joint>', 2, "no name"),
    (f'{AB}<joint name="j">{ENDS}</joint>', 2, "no type"),
    (pair(kind="Revolut"), 2, "'Revolut' ... mean 'revolute'"),
    (pair(kind="revolute"), 2, "'j' ... needs <limit ... continuous"),
    (pair(kind="prismatic"), 2, "needs <limit"),
    (pair('<axis xyz="0 0 0"/>'), 3, "'0 0 0' ... unit vector"),
    (pair('<axis xyz="0 1"/>'), 3, "3 numbers ... 2: '0 1'"),
    (pair("<axis/>"), 3, "xyz ... missing"),
    (origin('xyz="0 zero 0"'), 3, "origin ... xyz ... 'zero' ... like"),
    (origin('xyz="0 1,5 0"'), 3, "'1,5'"),
    (origin('xyz="0,1,2"'), 3, "3 numbers ... spaces"),
    (origin('rpy="0 nan 0"'), 3, "rpy ... 'nan' ... finite"),
    (origin('rpy="0 -inf 0"'), 3, "'-inf' ... finite"),
    (origin('xyz="0 1_0 0"'), 3, "'1_0'"),
    (origin('xyz="0 0x1 0"'), 3, "'0x1'"),
    (origin('xyz="0 ٣ 0"'), 3, "'٣'"),
    (origin('xyz="0 1e999 0"'), 3, "'1e999' ... too large"),
    (origin('xyz="0 0 0 0"'), 3, "takes 3 numbers ... has 4"),
    (origin('rpy="0 0 0" quat_xyzw="0 0 0 1"'), 3, "rpy and quat_xyzw ... keep one"),
    (origin('quat_xyzw="0 0 0 0"'), 3, "quaternion"),
    (pair(LIMIT.replace('"-1"', '"low"'), kind="revolute"), 3, "limit ... lower ... 'low'"),
    (pair(LIMIT.replace('"-1"', '"nan"'), kind="revolute"), 3, "limit ... lower ... 'nan'"),
    (pair("<mimic/>"), 3, "mimic ... no joint"),
    (pair('<mimic joint="j"/>'), 2, "'j' ... itself"),
    (
        ABC
        + joint('<mimic joint="k"/>')
        + "\n"
        + joint('<mimic joint="j"/>', name="k", parent="b", child="c"),
        4,
        "cycle ... j ... k",
    ),
    (
        ABC + joint(kind="planar") + joint('<mimic joint="j"/>', name="k", child="c"),
        3,
        "planar ... one position",
    ),
    (shape('<box size="1 -1 1"/>'), 3, "box ... '1 -1 1' ... above zero"),
    (shape('<box size="1 1"/>'), 3, "box ... size takes 3 numbers"),
    (shape('<sphere radius="-1"/>'), 3, "sphere ... above zero"),
    (shape('<sphere radius="big"/>'), 3, "sphere ... 'big'"),
    (shape('<cylinder radius="1"/>'), 3, "length ... missing"),
    (shape('<mesh filename="m.stl" scale="1 1 0"/>'), 3, "scale ... zero"),
    (shape('<mesh filename="m.stl" scale="1 2"/>'), 3, "scale ... 3 numbers"),
    (link('<collision><origin xyz="0 0"/><geometry/></collision>'), 3, "origin ... 3 numbers"),
    (
        link('<inertial><mass value="1"/><inertia ixx="heavy"/></inertial>'),
        3,
        "link 'a' > inertial > inertia: ixx ... 'heavy'",
    ),
    ('<link name="a"/>\n<xacro:include filename="b"/>', 3, "xacro file ... .xacro"),
    (origin('xyz="0 0 ${h}"'), 3, "'${h}' ... xacro file"),
    ('<link name="a"/>\n<drake:joint name="j"/>', 3, "Drake ... plain URDF"),
    ('<link name="a"/>\n<drake:linear_bushing_rpy/>', 3, "Drake ... plain URDF"),
    ('<link name="a"/><loop_joint name="j"/>', 2, "Drake"),
    ('<link name="a"/><loop name="l" type="fixed"/>', 2, "loop 'l' ... no <predecessor>"),
    (
        '<link name="a"/><loop name="l" type="fixed"><predecessor link="b"/></loop>',
        2,
        "loop 'l' > predecessor ... no body 'b'",
    ),
    (
        '<link name="a"/><loop name="a" type="revolute"><predecessor link="a"/>\n'
        '<successor link="a"/><axis xyz="0 0 0"/></loop>',
        3,
        "no direction",
    ),
    ('<link name="a"/>' + "<loop/>" * 1001, 1, "1001 loops; at most 1000"),
    (ABC + joint('<dynamics armature="-1"/>'), 3, "armature must be >= 0"),
)


def assert_refused(text, line, words):
    with case(text), pytest.raises(DescriptionError) as caught:
        read_urdf(text, "robot.urdf")
    message, place = str(caught.value), f"robot.urdf:{line}: " if line else "robot.urdf: "
    assert message.startswith(place), (text, message)
    assert (caught.value.source, caught.value.line) == ("robot.urdf", line)
    assert all(word in message for word in words.split(" ... ")), (text, message)


# The same in a document of URDF 1.2.
LATEST = (
    (pair('<limit lower="1" effort="1"/>', kind="revolute"), 3, "no upper ... URDF 1.2 requires"),
    (pair("<limit/>", kind="prismatic"), 3, "no lower and no upper"),
    (pair('<limit acceleration="-1"/>'), 3, "acceleration limit must be >= 0"),
    (pair('<limit jerk="high"/>'), 3, "jerk ... 'high'"),
)


def test_broken_urdf_is_rejected_by_line_and_element():
    for inside, line, words in CASES:
        assert_refused(f'<robot name="r">\n{inside}</robot>', line, words)
    for inside, line, words in LATEST:
        assert_refused(f'<robot name="r" version="1.2">\n{inside}</robot>', line, words)


BOMB = """<!DOCTYPE robot [<!ENTITY a "aaaaaaaaaa"><!ENTITY b "&a;&a;&a;&a;&a;&a;&a;&a;&a;">]>
<robot name="&b;"><link name="a"/></robot>"""
EXTERNAL = """<!DOCTYPE robot [<!ENTITY x SYSTEM "file:///etc/hostname">]>
<robot name="&x;"><link name="a"/></robot>"""

DOCUMENTS = (
    ("", None, "empty"),
    (" \n ", None, "empty"),
    ("\nname: robot", 2, "not XML: it starts with 'name: robot'"),
    ('<robot name="r">\n<link name="a">\n</robot>', 3, "<link> of line 2"),
    ('<robot name="r">\n<link na', 2, "malformed XML"),
    ('<robot name="r"><link name="a"/></robot><robot/>', 1, "malformed XML"),
    ("<robot>&nbsp;</robot>", 1, "undefined entity"),
    (BOMB, 1, "DOCTYPE"),
    (EXTERNAL, 1, "DOCTYPE"),
    ('<sdf version="1.6"><model name="m"/></sdf>', 1, "this is SDF"),
    ("<mujoco/>", 1, "MuJoCo"),
    ("<html/>", 1, "root element of a URDF is <robot>, not <html>"),
    ("<robot name='\ud800'/>", None, "decoded"),
)


def test_what_is_no_urdf_is_called_by_its_name():
    for text, line, words in DOCUMENTS:
        assert_refused(text, line, words)


def test_lines_are_those_of_the_file_after_leading_blank_lines():
    with pytest.raises(DescriptionError) as caught:
        read_urdf('\n\n<?xml version="1.0"?>\n<robot name="r">\n<link/>\n</robot>')
    assert caught.value.line == 5


def test_unreadable_documents(tmp_path):
    with pytest.raises(DescriptionError, match="NoneType"):
        read_urdf(None)
    with pytest.raises(DescriptionError, match=r"nowhere\.urdf: cannot read"):
        read_urdf_file(tmp_path / "nowhere.urdf")
    path = tmp_path / "robot.urdf"
    path.write_bytes(b'<?xml version="1.0" encoding="martian"?><robot><link name="a"/></robot>')
    with pytest.raises(DescriptionError, match="encoding"):
        read_urdf_file(path)
