"""xacro files become trees, also without ROS; errors name the file."""

import os
import warnings
from pathlib import Path

import pytest

from rigid_tree_kinematics.description import load_robot, read_xacro_file, xacro_text
from rigid_tree_kinematics.description.urdf import xacro_arguments, xacro_reader
from rigid_tree_kinematics.errors import DescriptionError, DescriptionWarning

# Its include is named by $(find data): the folder around it is taken for the package.
ARM = Path(__file__).parent / "data" / "arm.urdf.xacro"


def offsets(tree):
    return [joint.joint_to_parent[0, 3] for joint in tree.joints]


def test_macros_includes_and_default_arguments():
    tree = read_xacro_file(ARM)
    assert (tree.name, tree.base_name, tree.body_names) == ("arm", "base", ("first", "second"))
    assert offsets(tree) == [0.5, 1.0]


def test_arguments():
    assert offsets(read_xacro_file(ARM, {"length": "0.25"})) == [0.25, 0.5]
    assert offsets(load_robot(ARM)) == [0.5, 1.0]  # none is left from the last time


def refused(path, content):
    path.write_text(
        f'<robot name="r" xmlns:xacro="http://www.ros.org/wiki/xacro">\n{content}\n</robot>'
    )
    with pytest.raises(DescriptionError) as caught:
        read_xacro_file(path)
    return str(caught.value)


def test_errors_name_the_file_and_the_reason(tmp_path):
    path = tmp_path / "robot.xacro"
    assert "name 'height' is not defined" in refused(path, '<link name="${height}"/>')
    assert "robot.xacro: xacro" in refused(path, '<link name="${height}"/>')
    assert "'some_package' was not found" in refused(path, '<link name="$(find some_package)"/>')
    message = refused(path, '<xacro:include filename="$(find some_package)/a.xacro"/>')
    assert message.count("xacro cannot expand the file: package 'some_package' was not found") == 1
    assert message.count("was not found") == 1
    assert "nowhere.xacro" in refused(path, '<xacro:include filename="nowhere.xacro"/>')
    assert "side" in refused(path, '<link name="$(arg side)"/>')
    assert "unknown macro name" in refused(path, "<xacro:leg/>")
    assert "robot.xacro (expanded):" in refused(path, '<link name="a"/><link name="a"/>')
    assert "robot.xacro:3: malformed XML" in refused(path, '<link name="a">')
    with pytest.raises(DescriptionError, match="No such file"):
        xacro_text(tmp_path / "nowhere.xacro")
    assert read_xacro_file(ARM).name == "arm"  # no failure leaves anything behind


def test_entities_are_rejected_in_included_files_too(tmp_path):
    bomb = tmp_path / "bomb.xacro"
    bomb.write_text('<!DOCTYPE robot [<!ENTITY a "aaa">]>\n<robot><link name="&a;"/></robot>')
    with pytest.raises(DescriptionError, match=r"bomb\.xacro:1: .*DOCTYPE"):
        read_xacro_file(bomb)
    message = refused(tmp_path / "robot.xacro", '<xacro:include filename="bomb.xacro"/>')
    assert "bomb.xacro:1: " in message
    assert "DOCTYPE" in message


def test_macros_that_call_themselves_without_end(tmp_path):
    loop = '<xacro:macro name="m" params=""><xacro:m/></xacro:macro><xacro:m/>'
    assert "recursion" in refused(tmp_path / "robot.xacro", loop)


def test_what_a_file_may_cost_is_limited(tmp_path, monkeypatch):
    monkeypatch.setattr(xacro_reader, "LONGEST", 2)
    path = tmp_path / "robot.xacro"
    assert "more than 2 s" in refused(path, '<link name="${9**9**9}"/>')
    assert "too much memory" in refused(path, "<link name=\"${len('a' * 3 * 10**9)}\"/>")
    os.mkfifo(tmp_path / "pipe.xacro")
    assert "an include that does not end" in refused(
        path, '<xacro:include filename="pipe.xacro"/>'
    )
    assert read_xacro_file(ARM).name == "arm"


@pytest.fixture
def needy(tmp_path):
    """A file with an included one: arguments without values, also in an expression."""
    start = '<robot xmlns:xacro="http://www.ros.org/wiki/xacro" '
    (tmp_path / "link.xacro").write_text(
        f"""{start}><xacro:macro name="a_link" params="label">
        <link name="${{label}} ${{xacro.arg('kind')}}"/></xacro:macro></robot>"""
    )
    path = tmp_path / "arm.urdf.xacro"
    path.write_text(
        f"""{start} name="$(arg name)"><xacro:arg default="1" name="size"/>
        <xacro:include filename="link.xacro"/><xacro:a_link label="$(arg label)"/></robot>"""
    )
    return path


def test_load_robot_takes_arguments_and_names_missing_ones(needy):
    given = {}
    for name, value in (("name", "my arm"), ("label", "left side"), ("kind", "x=1")):
        advice = f'load_robot(path, xacro_arguments={{"{name}": "..."}})'
        with pytest.raises(DescriptionError) as caught:
            load_robot(needy, xacro_arguments=given)
        message = str(caught.value)
        assert f"the argument '{name}' has no value" in message
        assert advice in message
        assert f'xacro_args:="{name}:=..."' in message
        given[name] = value
    tree = load_robot(needy, xacro_arguments=given)
    assert (tree.name, tree.base_name) == ("my arm", "left side x=1")
    with pytest.warns(DescriptionWarning, match="'sise'; did you mean 'size'"):
        load_robot(needy, xacro_arguments=given | {"sise": "2"})
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        load_robot(needy, xacro_arguments=given | {"size": "2"})
    with pytest.raises(DescriptionError, match=r"only for \.xacro files"):
        load_robot("ur5", xacro_arguments={"name": "ur"})


def test_arguments_are_written_as_for_the_command():
    assert xacro_arguments("") == {}
    text = """name:=ur  ur_type:='ur 5e' empty:= path:=/a:=b "with space:=1" """
    assert xacro_arguments(text) == {
        "name": "ur",
        "ur_type": "ur 5e",
        "empty": "",
        "path": "/a:=b",
        "with space": "1",
    }
    for wrong in ("name", "name:=a b", ":=a", "name=a", "name:='a"):
        with pytest.raises(DescriptionError, match="xacro arguments"):
            xacro_arguments(wrong)


def test_files_in_any_encoding(tmp_path):
    path = tmp_path / "robot.xacro"
    for encoding in ("utf-8", "utf-8-sig", "utf-16", "iso-8859-1"):
        declared = encoding.removesuffix("-sig")
        text = f'<?xml version="1.0" encoding="{declared}"?><robot name="r"><link name="Füß"/>'
        path.write_bytes(f"{text}</robot>".encode(encoding))
        assert load_robot(path).base_name == "Füß", encoding
