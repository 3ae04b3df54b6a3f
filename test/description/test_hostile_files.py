"""Special files and impossible names raise the package's errors."""

import os
from pathlib import Path
from typing import Any

import pytest

from harness.cases import case
from rigid_tree_kinematics import load_robot
from rigid_tree_kinematics.collision import load_scene
from rigid_tree_kinematics.description import load_mesh, resolve_mesh_path
from rigid_tree_kinematics.description.srdf import read_collision_rules
from rigid_tree_kinematics.errors import RigidTreeError
from rigid_tree_kinematics.model import Mesh

READERS: dict[str, Any] = {
    "robot.urdf": load_robot,
    "robot.xacro": load_robot,
    "robot.yaml": load_robot,
    "scene.yaml": load_scene,
    "robot.srdf": read_collision_rules,
}
MESHES = (".stl", ".obj", ".dae")
IMPOSSIBLE = (
    "x" * 300,
    "x" * 5000,
    "/" + "x" * 5000 + ".urdf",
    "a\0b",
    "/a\0b.yaml",
    "/a\0b.urdf",
    "/a\0b.xacro",
    "~nobody-of-this-name/x.urdf",
    "~nobody-of-this-name/x.yaml",
    "package://" + "x" * 300 + "/mesh.stl",
    "package://a\0b/mesh.stl",
    "package://a*/" + "x" * 5000,
    "\udcff/x.yaml",
)


def test_a_fifo_is_rejected_without_waiting_for_a_writer(tmp_path: Path) -> None:
    meshes = {f"mesh{suffix}": lambda file: load_mesh(Mesh(str(file))) for suffix in MESHES}
    for name, read in {**READERS, **meshes}.items():
        os.mkfifo(tmp_path / name)
        with case(name), pytest.raises(RigidTreeError):
            read(tmp_path / name)


def test_an_impossible_name_is_rejected(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ROS_PACKAGE_PATH", "/usr/share:/a\N{EURO SIGN}")
    for read in (*dict.fromkeys(READERS.values()), resolve_mesh_path):
        for name in IMPOSSIBLE:
            with case(f"{read.__name__} {ascii(name)[:60]}"), pytest.raises(RigidTreeError):
                read(name)
