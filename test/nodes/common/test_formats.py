"""A description in another format than URDF is published as URDF."""

from pathlib import Path

import pytest

from rigid_tree_kinematics.collision import LeftOut, Scene
from rigid_tree_kinematics.description import load_robot, read_urdf
from rigid_tree_kinematics.nodes.common.robot.robot_source import chosen_robot, described_robot
from rigid_tree_kinematics.nodes.planning import PlannerSettings, PlanningRobot

SDF = """<sdf version="1.9"><model name="arm"><link name="a"/><link name="b"/>
  <joint name="j" type="ball"><parent>a</parent><child>b</child></joint></model></sdf>"""

LOOP = SDF.replace(
    "</model>", '<joint name="k" type="fixed"><parent>a</parent><child>b</child></joint></model>'
)

MJCF = """<mujoco><option gravity="0 0 -1.62"/><worldbody><body name="arm"><joint name="turn"/>
  <geom size="0.1"/></body></worldbody></mujoco>"""


def test_sdf_is_read_and_becomes_urdf() -> None:
    for _ in range(2):  # the second time from the texts in use
        robot = described_robot(SDF, "topic robot_description")
        assert robot.tree.joint_names == ("j_x", "j_y", "j_z")
        assert read_urdf(robot.urdf).joint_names == robot.tree.joint_names
        assert "ball joint" in robot.warnings[0]


def test_urdf_keeps_its_text() -> None:
    text = '<robot name="r"><!-- a comment --><link name="a"/></robot>'
    assert described_robot(text, "topic robot_description").urdf == text


def test_mjcf_is_read_from_the_parameter_at_the_start() -> None:
    robot = chosen_robot(MJCF, "")
    assert robot is not None
    assert robot.tree.joint_names == read_urdf(robot.urdf).joint_names == ("turn",)


def test_contacts_that_mjcf_excludes_are_not_checked(tmp_path: Path) -> None:
    bodies = "".join(f'<body name="{name}"><joint/><geom size="0.1"/></body>' for name in "abc")
    exclusion = '<contact><exclude body1="a" body2="c"/></contact>'
    text = f"<mujoco><worldbody>{bodies}</worldbody>{exclusion}</mujoco>"
    (tmp_path / "robot.xml").write_text(text)
    for given in ((text, ""), ("", str(tmp_path / "robot.xml"))):
        description = chosen_robot(*given)
        assert description is not None
        robot = PlanningRobot(description, PlannerSettings())
        checker = robot.checkers.checker(Scene())
        assert checker.left_out_pairs["a", "c"] is LeftOut.MODEL


def test_loops_are_in_the_urdf(tmp_path: Path) -> None:
    (tmp_path / "robot.sdf").write_text(LOOP)
    robot = chosen_robot("", str(tmp_path / "robot.sdf"))
    assert robot is not None
    assert "closed loop" in robot.warnings[0]
    assert read_urdf(robot.urdf).loops == robot.tree.loops != ()


def test_nodes_have_the_links_of_the_urdf_that_they_publish() -> None:
    bundled = load_robot("puma560")
    robot = chosen_robot("", "puma560")
    assert robot is not None
    assert robot.tree.body_names == read_urdf(robot.urdf).body_names != bundled.body_names
    assert robot.tree.home_configuration().tolist() == bundled.home_configuration().tolist()
    robot = chosen_robot(MJCF.replace("<joint", '<joint pos="0 0 1"'), "")
    assert robot is not None
    assert robot.tree.body_names == ("arm_joint_frame", "arm")


def test_what_urdf_cannot_hold_is_logged_with_the_robot(recwarn: pytest.WarningsRecorder) -> None:
    robot = chosen_robot(MJCF, "")
    assert robot is not None
    assert "URDF has no gravity" in robot.warnings[0]
    assert not recwarn.list
