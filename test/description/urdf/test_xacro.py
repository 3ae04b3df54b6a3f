"""xacro files become trees, also without ROS; errors name the file."""

import os
from pathlib import Path

import pytest

from rigid_tree_kinematics.description import load_robot, read_xacro_file, xacro_text
from rigid_tree_kinematics.description.urdf import xacro_reader
from rigid_tree_kinematics.errors import DescriptionError

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
