"""A description in another format than URDF is published as URDF."""

from pathlib import Path

import pytest

from rigid_tree_kinematics.description import read_urdf
from rigid_tree_kinematics.errors import DescriptionError
from rigid_tree_kinematics.nodes.common.robot.robot_source import chosen_robot, described_robot

SDF = """<sdf version="1.9"><model name="arm"><link name="a"/><link name="b"/>
  <joint name="j" type="ball"><parent>a</parent><child>b</child></joint></model></sdf>"""

LOOP = SDF.replace(
    "</model>", '<joint name="k" type="fixed"><parent>a</parent><child>b</child></joint></model>'
)


def test_sdf_is_read_and_becomes_urdf() -> None:
    for _ in range(2):  # the second time from the texts in use
        robot = described_robot(SDF, "topic robot_description")
        assert robot.tree.joint_names == ("j_x", "j_y", "j_z")
        assert read_urdf(robot.urdf).joint_names == robot.tree.joint_names
        assert "ball joint" in robot.warnings[0]


def test_urdf_keeps_its_text() -> None:
    text = '<robot name="r"><!-- a comment --><link name="a"/></robot>'
    assert described_robot(text, "topic robot_description").urdf == text


def test_mjcf_is_rejected_because_compiling_it_has_no_limits() -> None:
    with pytest.raises(DescriptionError, match="only from a file"):
        described_robot("<mujoco/>", "topic robot_description")


def test_what_urdf_cannot_hold_is_logged_with_the_robot(
    tmp_path: Path, recwarn: pytest.WarningsRecorder
) -> None:
    (tmp_path / "robot.sdf").write_text(LOOP)
    robot = chosen_robot("", str(tmp_path / "robot.sdf"))
    assert robot is not None
    assert "closed loop" in robot.warnings[0]
    assert "URDF has no closed loops" in robot.warnings[1]
    assert not recwarn.list
