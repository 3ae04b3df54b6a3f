"""Broken URDF is refused with the file, the line, the element and the cure."""

import pytest

from rigid_tree_kinematics.description import read_urdf, read_urdf_file
from rigid_tree_kinematics.errors import DescriptionError

AB = '<link name="a"/><link name="b"/>'
ABC = AB + '<link name="c"/>'
ENDS = '<parent link="a"/><child link="b"/>'
LIMIT = '<limit lower="-1" upper="1" effort="1" velocity="1"/>'


def joint(inside="", name="j", kind="continuous", parent="a", child="b"):
    ends = f'<parent link="{parent}"/><child link="{child}"/>'
    return f'<joint name="{name}" type="{kind}">{ends}\n{inside}</joint>'


def link(inside):
    return f'<link name="a">\n{inside}</link>'


def shape(geometry):
    return link(f"<visual><geometry>{geometry}</geometry></visual>")


def origin(attributes):
    return AB + joint(f"<origin {attributes}/>")


# Content of the robot element from line 2; line of the error; parts of its message.
CASES = {
    "no links": ("", 1, "no links ... write"),
    "link without name": ("<link/>", 2, "link ... no name"),
    "link with empty name": ('<link name=""/>', 2, "empty name"),
    "two links of a name": (AB + '\n<link name="a"/>', 3, "link 'a' ... line 2 ... unique"),
    "two joints of a name": (
        ABC + joint() + "\n" + joint(child="c"),
        4,
        "joint 'j' ... line 2 ... unique",
    ),
    "two roots": (AB, 2, "2 root links ... 'a' (line 2) ... 'b' (line 2) ... Connect"),
    "two parents": (
        ABC + joint() + "\n" + joint(name="k", parent="c"),
        4,
        "joint 'k' ... 'b' has two parents ... 'a' ... 'c' ... remove",
    ),
    "loop of all links": (
        AB + joint() + "\n" + joint(name="k", parent="b", child="a"),
        4,
        "loop ... a -> b -> a. Remove",
    ),
    "loop beside a tree": (
        ABC + joint(parent="c") + joint(name="k", parent="b", child="c"),
        2,
        "loop ... c ... b",
    ),
    "link on itself": (AB + joint(parent="b"), 2, "loop: b -> b"),
    "unknown parent": (AB + joint(parent="aa"), 2, "'j' ... parent link 'aa' ... mean 'a'"),
    "unknown child": (AB + joint(child="bb"), 2, "child link 'bb' ... mean 'b'"),
    "no parent": (
        AB + '<joint name="j" type="fixed"><child link="b"/></joint>',
        2,
        "no <parent> ... write",
    ),
    "two children": (AB + joint('<child link="a"/>'), 2, "2 <child> elements ... write one"),
    "joint without name": (f'{AB}<joint type="fixed">{ENDS}</joint>', 2, "no name"),
    "joint without type": (f'{AB}<joint name="j">{ENDS}</joint>', 2, "no type"),
    "unknown joint type": (AB + joint(kind="Revolut"), 2, "'Revolut' ... mean 'revolute'"),
    "missing limit": (AB + joint(kind="revolute"), 2, "'j' ... needs <limit ... continuous"),
    "missing limit of a slider": (AB + joint(kind="prismatic"), 2, "needs <limit"),
    "swapped limits": (
        AB + joint('<limit lower="1" upper="-1" effort="1" velocity="1"/>', kind="revolute"),
        3,
        "lower (1) ... upper (-1) ... swapped",
    ),
    "negative effort": (
        AB + joint('<limit effort="-1" velocity="1"/>'),
        3,
        "effort limit must be >= 0",
    ),
    "zero axis": (AB + joint('<axis xyz="0 0 0"/>'), 3, "'0 0 0' ... unit vector"),
    "axis of two numbers": (AB + joint('<axis xyz="0 1"/>'), 3, "3 numbers ... 2: '0 1'"),
    "axis without xyz": (AB + joint("<axis/>"), 3, "xyz ... missing"),
    "text for a number": (origin('xyz="0 zero 0"'), 3, "origin ... xyz ... 'zero' ... like"),
    "decimal comma": (origin('xyz="0 1,5 0"'), 3, "'1,5'"),
    "commas between": (origin('xyz="0,1,2"'), 3, "3 numbers ... spaces"),
    "NaN": (origin('rpy="0 nan 0"'), 3, "rpy ... 'nan' ... finite"),
    "infinity": (origin('rpy="0 -inf 0"'), 3, "'-inf' ... finite"),
    "underscore": (origin('xyz="0 1_0 0"'), 3, "'1_0'"),
    "hexadecimal": (origin('xyz="0 0x1 0"'), 3, "'0x1'"),
    "digits of other scripts": (origin('xyz="0 ٣ 0"'), 3, "'٣'"),
    "overflow": (origin('xyz="0 1e999 0"'), 3, "'1e999' ... too large"),
    "four numbers": (origin('xyz="0 0 0 0"'), 3, "takes 3 numbers ... has 4"),
    "rpy and quaternion": (
        origin('rpy="0 0 0" quat_xyzw="0 0 0 1"'),
        3,
        "rpy and quat_xyzw ... keep one",
    ),
    "zero quaternion": (origin('quat_xyzw="0 0 0 0"'), 3, "quaternion"),
    "text in a limit": (
        AB + joint(LIMIT.replace('"-1"', '"low"'), kind="revolute"),
        3,
        "limit ... lower ... 'low'",
    ),
    "mimic without joint": (AB + joint("<mimic/>"), 3, "mimic ... no joint"),
    "mimic of itself": (AB + joint('<mimic joint="j"/>'), 2, "'j' ... itself"),
    "mimic circle": (
        AB
        + '<link name="c"/>'
        + joint('<mimic joint="k"/>')
        + "\n"
        + joint('<mimic joint="j"/>', name="k", parent="b", child="c"),
        4,
        "circle ... j ... k",
    ),
    "mimic of a planar joint": (
        AB
        + '<link name="c"/>'
        + joint(kind="planar")
        + joint('<mimic joint="j"/>', name="k", child="c"),
        3,
        "planar ... one position",
    ),
    "zero box": (shape('<box size="1 0 1"/>'), 3, "box ... '1 0 1' ... above zero"),
    "negative sphere": (shape('<sphere radius="-1"/>'), 3, "sphere ... above zero"),
    "cylinder without length": (shape('<cylinder radius="1"/>'), 3, "length ... missing"),
    "zero scale": (shape('<mesh filename="m.stl" scale="1 1 0"/>'), 3, "scale ... zero"),
    "one scale": (shape('<mesh filename="m.stl" scale="1"/>'), 3, "scale ... 3 numbers"),
    "mesh without file": (shape("<mesh/>"), 3, "mesh ... no filename"),
    "capsule": (shape('<capsule radius="1" length="1"/>'), 3, "<capsule> ... cylinder ... sphere"),
    "unknown shape": (shape("<cone/>"), 3, "<cone> ... box, cylinder, sphere or mesh"),
    "no shape": (shape(""), 3, "one shape, not 0"),
    "two shapes": (shape('<sphere radius="1"/><sphere radius="2"/>'), 3, "one shape, not 2"),
    "no geometry": (link("<collision/>"), 3, "link 'a' > collision ... no <geometry>"),
    "color of three": (
        '<material name="m"><color rgba="1 1 1"/></material><link name="a"/>',
        2,
        "material 'm' > color ... rgba ... 4 numbers",
    ),
    "xacro element": (
        '<link name="a"/>\n<xacro:include filename="b"/>',
        3,
        "xacro file ... .xacro",
    ),
    "xacro expression": (origin('xyz="0 0 ${h}"'), 3, "'${h}' ... xacro file"),
    "Drake element": ('<link name="a"/>\n<drake:joint name="j"/>', 3, "Drake ... plain URDF"),
    "Drake loop": ('<link name="a"/><loop_joint name="j"/>', 2, "Drake"),
}


@pytest.mark.parametrize("case", CASES)
def test_broken_urdf_is_refused_by_line_and_element(case):
    inside, line, words = CASES[case]
    with pytest.raises(DescriptionError) as caught:
        read_urdf(f'<robot name="r">\n{inside}</robot>', "robot.urdf")
    message = str(caught.value)
    assert message.startswith(f"robot.urdf:{line}: ")
    assert (caught.value.source, caught.value.line) == ("robot.urdf", line)
    for word in words.split(" ... "):
        assert word in message


BOMB = """<!DOCTYPE robot [<!ENTITY a "aaaaaaaaaa"><!ENTITY b "&a;&a;&a;&a;&a;&a;&a;&a;&a;">]>
<robot name="&b;"><link name="a"/></robot>"""
EXTERNAL = """<!DOCTYPE robot [<!ENTITY x SYSTEM "file:///etc/hostname">]>
<robot name="&x;"><link name="a"/></robot>"""

DOCUMENTS = {
    "empty": ("", None, "empty"),
    "blank": (" \n ", None, "empty"),
    "not XML": ("\nname: robot", 2, "not XML: it starts with 'name: robot'"),
    "unclosed": ('<robot name="r">\n<link name="a">\n</robot>', 3, "<link> of line 2"),
    "cut off": ('<robot name="r">\n<link na', 2, "malformed XML"),
    "two roots": ('<robot name="r"><link name="a"/></robot><robot/>', 1, "malformed XML"),
    "unknown entity": ("<robot>&nbsp;</robot>", 1, "undefined entity"),
    "entity bomb": (BOMB, 1, "DOCTYPE"),
    "external entity": (EXTERNAL, 1, "DOCTYPE"),
    "SDF": ('<sdf version="1.6"><model name="m"/></sdf>', 1, "this is SDF"),
    "MJCF": ("<mujoco/>", 1, "MuJoCo"),
    "other XML": ("<html/>", 1, "root element of a URDF is <robot>, not <html>"),
    "surrogate": ("<robot name='\ud800'/>", None, "decoded"),
}


@pytest.mark.parametrize("case", DOCUMENTS)
def test_what_is_no_urdf_is_called_by_its_name(case):
    text, line, words = DOCUMENTS[case]
    with pytest.raises(DescriptionError) as caught:
        read_urdf(text, "robot.urdf")
    assert words in str(caught.value)
    assert caught.value.line == line


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
