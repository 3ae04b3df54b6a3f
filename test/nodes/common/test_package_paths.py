"""Nodes find the meshes of a package that has another name, and tell others where they are."""

from pathlib import Path

import pytest
import trimesh

from rigid_tree_kinematics.nodes.common.robot.robot_source import chosen_robot, described_robot

URDF = (
    '<robot name="arm"><link name="base"><visual><geometry>'
    '<mesh filename="package://arm_description/base.stl"/></geometry></visual></link></robot>'
)


@pytest.fixture
def copy(tmp_path: Path) -> Path:
    trimesh.creation.box((1, 1, 1)).export(tmp_path / "base.stl")
    (tmp_path / "arm.urdf").write_text(URDF)
    return tmp_path


def test_the_published_robot_names_the_files(copy: Path) -> None:
    found = chosen_robot("", str(copy / "arm.urdf"), package_paths=f"/tmp:{copy}")
    assert found is not None
    assert (copy / "base.stl").as_uri() in found.urdf


def test_a_robot_of_a_topic_is_read_with_each_nodes_paths(copy: Path) -> None:
    read = [described_robot(URDF, "topic", paths).tree for paths in ("", str(copy), str(copy))]
    names = [tree.base.visuals[0].geometry.filename for tree in read]
    assert names == ["package://arm_description/base.stl", *2 * [(copy / "base.stl").as_uri()]]
    assert read[1] is read[2]
